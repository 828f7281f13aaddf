// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "records.glsl"

// One invocation a record: a workgroup of one, which takes one record.
layout(local_size_x = 1) in;
readonly NODE_INPUTS(Increment, increments, 1);
NODE_OUTPUT(Count, ToThird, "thirdNode", 1);

layout(set = 0, binding = 0) buffer Results { uint words[]; } results;  // 0 to 3: sums; 4 to 7: counts

void main() {
  const uint entry = increments[0].entry_record_index;
  atomicAdd(results.words[entry], increments[0].value);
  ToThird to_third = ToThird_thread(1);
  to_third.at[0].entry_record_index = entry;
  node_enqueue(to_third);
}
