// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "point.glsl"

// As many workgroups as the point says.
layout(local_size_x = 1) in;
NODE_MAX_GRID(8, 1, 1);
readonly NODE_INPUT(Point, point);
layout(set = 0, binding = 0) buffer Results { uint words[]; } results;

void main() { atomicAdd(results.words[point.slot], 1); }
