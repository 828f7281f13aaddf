// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "skewed_part.glsl"

// What is for the same record is added up in shared memory first.
layout(constant_id = 1) const uint kParts = 1;  // of a workgroup
const uint kNoRecord = ~0u;
shared uint records[kParts];
shared uint values[kParts];

// Parts of a record are neighbours: the first one adds for all of them in this workgroup.
void add_sums() {
  const uint part = gl_LocalInvocationID.x;
  if (part >= kParts || records[part] == kNoRecord || (part != 0 && records[part - 1] == records[part])) return;
  uint sum = 0;
  for (uint i = part; i < kParts && records[i] == records[part]; ++i) sum += values[i];
  atomicAdd(push.results.at[records[part]], sum);
}

void main() {
  uvec2 part;
  const bool mine = find_part(part);
  if (is_worker()) {
    records[gl_LocalInvocationID.x / kNodeInvocations] = mine ? part.x : kNoRecord;
    values[gl_LocalInvocationID.x / kNodeInvocations] = part_result(part.x, part.y);
  }
  barrier();
  add_sums();
}
