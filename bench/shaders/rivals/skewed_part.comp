#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/skewed.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Parts { uvec2 at[]; };

// Does what workgroups of the node do, each with as many invocations as there; several share one workgroup here.
const uint kNodeInvocations = 32;
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kParts = 1;    // of a workgroup
layout(constant_id = 2) const bool kSums = false;  // add up in shared memory what is for the same record
layout(push_constant) uniform Push {
  Words results;
  Parts parts;
  Queues queues;
  uint capacity;
} push;

const uint kNoRecord = ~0u;
shared uint records[kParts];
shared uint values[kParts];

// Parts of a record are neighbours: the first one adds for all of them in this workgroup.
void add_sums() {
  const uint part = gl_LocalInvocationIndex;
  if (part >= kParts || records[part] == kNoRecord || (part != 0 && records[part - 1] == records[part])) return;
  uint sum = 0;
  for (uint i = part; i < kParts && records[i] == records[part]; ++i) sum += values[i];
  atomicAdd(push.results.at[records[part]], sum);
}

void main() {
  const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint index = (workgroup * gl_WorkGroupSize.x + gl_LocalInvocationIndex) / kNodeInvocations;
  // Read together with the list's length, which tells whether it means anything.
  const uvec2 part = push.parts.at[min(index, push.capacity - 1)];
  const bool mine = kRecordsAStep == 1 || index < push.queues.at[0].count;
  const bool works = gl_LocalInvocationIndex % kNodeInvocations == 0;
  if (!kSums) {
    if (mine && works) atomicAdd(push.results.at[part.x], part_result(part.x, part.y));
    return;
  }
  if (works) {
    records[gl_LocalInvocationIndex / kNodeInvocations] = mine ? part.x : kNoRecord;
    values[gl_LocalInvocationIndex / kNodeInvocations] = part_result(part.x, part.y);
  }
  barrier();
  add_sums();
}
