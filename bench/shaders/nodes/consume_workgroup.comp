// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/records.glsl"

// One workgroup a record.
layout(local_size_x = 32) in;
NODE_STATIC_GRID(1, 1, 1);
NODE_API_ENTRY(false);
readonly NODE_INPUT(Record, record);
layout(push_constant) uniform Push { Words results; } push;

void main() {
  const uint lane = gl_LocalInvocationID.x;
  if (lane < 4) push.results.at[record.words.x * 4 + lane] = result_word(record, lane);
}
