// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "../shared/append.glsl"
#include "../shared/skewed.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Parts { uvec2 at[]; };

// Writes a list of workgroups rather than of records: {record, number of the workgroup}. A prefix sum in the workgroup, one atomic, and then all
// invocations write entries, so that a huge record does not hold up the others.
const uint kInvocations = 256;
layout(local_size_x = kInvocations) in;
layout(constant_id = 0) const uint kItems = 1;  // records of an invocation; a power of two
const uint kRecords = kInvocations * kItems;
layout(push_constant) uniform Push {
  Words results;
  Parts parts;
  Queues queues;
  uint capacity;
} push;
shared uint sums[kInvocations];  // of subgroups
shared uint starts[kRecords];    // first workgroup of each record
shared uint base;

uint first_record() { return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * kRecords; }

// Place of an invocation in the order of prefix sums.
uint place_of_invocation() { return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID; }

// Sum of `value` over the invocations before this one; `total` is that over all of the workgroup.
uint sum_before(uint value, out uint total) {
  uint before = subgroupExclusiveAdd(value);
  const uint sum = subgroupAdd(value);
  if (subgroupElect()) sums[gl_SubgroupID] = sum;
  barrier();
  total = 0;
  for (uint i = 0; i < gl_NumSubgroups; ++i) {
    if (i < gl_SubgroupID) before += sums[i];
    total += sums[i];
  }
  return before;
}

// The record, of this workgroup, that has workgroup `part`.
uint record_of(uint part) {
  uint record = 0;
  for (uint step = kRecords / 2; step != 0; step /= 2) {
    if (starts[record + step] <= part) record += step;
  }
  return record;
}

void main() {
  const uint mine = place_of_invocation() * kItems;
  uint workgroups = 0;
  [[unroll]] for (uint i = 0; i < kItems; ++i) workgroups += workgroups_of(first_record() + mine + i);
  uint total;
  uint start = sum_before(workgroups, total);
  if (total == 0) return;
  if (gl_LocalInvocationID.x == 0) base = append(push.queues, 0, total);
  [[unroll]] for (uint i = 0; i < kItems; ++i) {
    starts[mine + i] = start;
    start += workgroups_of(first_record() + mine + i);
  }
  barrier();
  for (uint part = gl_LocalInvocationID.x; part < total; part += kInvocations) {
    const uint record = record_of(part);
    if (base + part < push.capacity) push.parts.at[base + part] = uvec2(first_record() + record, part - starts[record]);
  }
}
