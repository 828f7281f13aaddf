// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/records.glsl"

// One of very many nodes that differ in a constant: something to compile, with a loop, an atomic and an output.
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint kIndex = 0;
layout(constant_id = 1) const uint kCode = 0;
NODE_INDEX(kIndex);
readonly NODE_INPUTS(Record, records, 32);
NODE_SPARSE NODE_OUTPUT(Record, Rest, "rest", 1);
layout(push_constant) uniform Push { Words results; } push;

void main() {
  for (uint i = 0; i < records.length(); ++i) {
    const uint mixed = ((records[i].words.x + kCode) * 0x9e3779b9u) ^ (records[i].words.y << 3);
    if (mixed % 16 < kCode % 16 + 3) atomicAdd(push.results.at[mixed % 64], mixed & 255);
  }
  Rest rest = Rest_group(1);
  if (gl_LocalInvocationID.x == 0) rest.at[0] = Record(uvec4(kCode, node_shader_index, 0, 0));
  node_enqueue(rest);
}
