// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/buffers.glsl"

// Adds up a word of each payload.
layout(local_size_x = 64) in;
struct Payload {
  uvec4 words[4];
};
readonly NODE_INPUTS(Payload, payloads, 64);
layout(push_constant) uniform Push { Words results; } push;

void main() {
  if (gl_LocalInvocationID.x < payloads.length())
    atomicAdd(push.results.at[0], payloads[gl_LocalInvocationID.x].words[3].w);
}
