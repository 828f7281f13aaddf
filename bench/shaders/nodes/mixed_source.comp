// SPDX-License-Identifier: Apache-2.0
#version 460
#define SENDERS 64
#extension GL_GOOGLE_include_directive : require
#include "mixed.glsl"

// One record an invocation, for any node of the first level.
layout(local_size_x = 64) in;
layout(constant_id = 2) const uint kGridX = 1;
NODE_STATIC_GRID(kGridX, 1, 1);

void main() { send(true, first_visitor(gl_WorkGroupID.x * 64 + gl_LocalInvocationID.x), 0); }
