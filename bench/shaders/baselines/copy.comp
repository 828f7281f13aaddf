// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/buffers.glsl"

// Copies memory: four vectors an invocation, a row of workgroups apart.
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
  Vectors from;
  Vectors to;
} push;

void main() {
  const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  const uint first = gl_GlobalInvocationID.y * 4 * step + gl_GlobalInvocationID.x;
  for (uint i = 0; i < 4; ++i) push.to.at[first + i * step] = push.from.at[first + i * step];
}
