// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"

layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Entry {
  uvec2 next;
  uint value;
};
struct Walk {
  Entry entry;
  uint steps;
};
readonly NODE_INPUTS(Walk, walks, 1);
layout(set = 0, binding = 0) buffer Results { uint words[]; } results;

void main() {
  atomicAdd(results.words[1], walks[0].entry.value);
  atomicAdd(results.words[2], walks[0].steps);
}
