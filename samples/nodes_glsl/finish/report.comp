// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "total.glsl"

layout(local_size_x = 1) in;
readonly NODE_INPUTS(Total, totals, 1);
layout(set = 0, binding = 0) buffer Results { uint words[]; } results;

void main() { atomicAdd(results.words[totals[0].slot], totals[0].sum); }
