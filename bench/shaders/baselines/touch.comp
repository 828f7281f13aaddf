// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/buffers.glsl"

// The least that a step can do that depends on the step before.
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { Words words; } push;

void main() { atomicAdd(push.words.at[0], 1); }
