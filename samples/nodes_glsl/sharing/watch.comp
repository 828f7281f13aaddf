// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "point.glsl"

// Sees every point that "sum" gets, with a grid of its own.
layout(local_size_x = 1) in;
NODE_SHARES_INPUT("sum", 0);
NODE_API_ENTRY(false);
NODE_STATIC_GRID(2, 1, 1);
readonly NODE_INPUT(Point, point);
layout(set = 0, binding = 0) buffer Results { uint words[]; } results;

void main() { atomicAdd(results.words[64 + point.slot], 10 + gl_WorkGroupID.x); }
