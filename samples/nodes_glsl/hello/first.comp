// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "records.glsl"

// Broadcast: every record launches as many workgroups as it says, and each of them sends two records on.
layout(local_size_x = 2) in;
readonly NODE_INPUT(EntryRecord, record);
NODE_MAX_GRID(16, 1, 1);
NODE_OUTPUT(Increment, ToSecond, "secondNode", 2);

void main() {
  ToSecond to_second = ToSecond_group(2);
  const uint thread = gl_LocalInvocationIndex;
  to_second.at[thread].entry_record_index = record.record_index;
  to_second.at[thread].value = gl_GlobalInvocationID.x * 2 + thread + 1;
  node_enqueue(to_second);
}
