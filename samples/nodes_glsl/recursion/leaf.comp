// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "range.glsl"

layout(local_size_x = 1) in;
NODE_INPUTS(Range, ranges, 1);
layout(set = 0, binding = 0) buffer Results { uint words[]; } results;

void main() {
  for (uint i = 0; i < ranges[0].count; ++i) atomicAdd(results.words[ranges[0].first + i], ranges[0].count);
}
