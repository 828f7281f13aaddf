// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#define COMPUTE
#include "state.glsl"

layout(local_size_x = 8) in;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  words[i] += identity + table[i] + push[0].x + push[5].w;
}
