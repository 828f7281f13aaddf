// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bin.glsl"

// Adds up what is computed of the records of bin gl_WorkGroupID.y, which all workgroups of that row share: each takes neighbours, or every so-manyth.
layout(constant_id = 0) const uint kNeighbours = 0;

void main() {
  const uint bin = gl_WorkGroupID.y;
  const uint count = min(push.counters.at[bin].count, push.capacity);
  const uint part = (count + gl_NumWorkGroups.x - 1) / gl_NumWorkGroups.x;
  const uint first = kNeighbours != 0 ? gl_WorkGroupID.x * part + gl_LocalInvocationID.x : gl_GlobalInvocationID.x;
  const uint end = kNeighbours != 0 ? min(count, (gl_WorkGroupID.x + 1) * part) : count;
  const uint step = kNeighbours != 0 ? kInvocations : gl_NumWorkGroups.x * kInvocations;
  add_to_bin(push.results, bin, sum_records(bin, bin * push.capacity, first, end, step));
}
