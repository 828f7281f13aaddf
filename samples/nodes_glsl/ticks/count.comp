// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"

layout(local_size_x = 8) in;
layout(constant_id = 0) const uint kMax = 16;
NODE_INPUTS(NodeEmpty, ticks, kMax);
layout(set = 0, binding = 0) buffer Results { uint words[]; } results;

void main() {
  if (gl_LocalInvocationIndex == 0) atomicAdd(results.words[0], uint(ticks.length()));
}
