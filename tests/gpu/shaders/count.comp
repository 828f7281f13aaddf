// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"

// A compute node next to mesh nodes: adds push constants to a word.
struct Count {
  uint counter;
};

layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
layout(push_constant) uniform Pushed { uint added; };
NODE_STATIC_GRID(3, 1, 1);
readonly NODE_INPUT(Count, count);

void main() { atomicAdd(words[count.counter], added); }
