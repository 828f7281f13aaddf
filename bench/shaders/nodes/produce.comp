// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/records.glsl"

// kItems records an invocation.
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kGridX = 1;
layout(constant_id = 1) const uint kGridY = 1;
layout(constant_id = 2) const uint kItems = 1;
const uint kRecords = 256 * kItems;
NODE_STATIC_GRID(kGridX, kGridY, 1);
NODE_OUTPUT(Record, Work, "consume", kRecords);

void main() {
  const uint workgroup = gl_WorkGroupID.y * kGridX + gl_WorkGroupID.x;
  Work work = Work_group(kRecords);
  for (uint i = gl_LocalInvocationID.x; i < kRecords; i += 256) work.at[i] = make_record(workgroup * kRecords + i);
  node_enqueue(work);
}
