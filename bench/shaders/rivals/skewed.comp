#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "../shared/append.glsl"
#include "../shared/skewed.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Parts { uvec2 at[]; };

// Writes a list of workgroups rather than of records: {record, number of the workgroup}. A prefix sum in the workgroup, one atomic, and then all
// invocations write entries, so that a huge record does not hold up the others.
const uint kInvocations = 256;
layout(local_size_x = kInvocations) in;
layout(push_constant) uniform Push {
  Words results;
  Parts parts;
  Queues queues;
  uint capacity;
} push;
shared uint sums[kInvocations];    // of subgroups
shared uint starts[kInvocations];  // first workgroup of each record
shared uint indices[kInvocations];
shared uint base;

void main() {
  const uint index = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * kInvocations + gl_LocalInvocationIndex;
  const uint workgroups = workgroups_of(index);
  const uint before = subgroupExclusiveAdd(workgroups);
  const uint sum = subgroupAdd(workgroups);
  if (subgroupElect()) sums[gl_SubgroupID] = sum;
  barrier();
  uint start = before;
  uint total = 0;
  for (uint i = 0; i < gl_NumSubgroups; ++i) {
    if (i < gl_SubgroupID) start += sums[i];
    total += sums[i];
  }
  const uint place = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
  starts[place] = start;
  indices[place] = index;
  if (gl_LocalInvocationIndex == 0 && total != 0) base = append(push.queues, 0, total);
  barrier();
  for (uint part = gl_LocalInvocationIndex; part < total; part += kInvocations) {
    uint low = 0;
    for (uint step = kInvocations / 2; step != 0; step /= 2) {
      if (starts[low + step] <= part) low += step;
    }
    if (base + part < push.capacity) push.parts.at[base + part] = uvec2(indices[low], part - starts[low]);
  }
}
