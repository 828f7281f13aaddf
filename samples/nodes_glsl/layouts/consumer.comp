// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#ifdef SCALAR
#define NODE_LAYOUT scalar
#endif
#include "trellis/node_payload.glsl"
#include "records.glsl"

layout(local_size_x = 16) in;
layout(constant_id = 0) const uint kIndex = 0;
NODE_INDEX(kIndex);
readonly NODE_INPUTS(Part, parts, 16);
layout(set = 0, binding = 0) buffer Results { uint words[]; } results;

uint checksum(Part part) {
  float sum = 0.0;
  for (uint k = 0; k < 2; ++k) {
    sum += dot(part.inner[k].direction, vec3(1.0, 3.0, 5.0));
    for (uint w = 0; w < 3; ++w) sum += part.inner[k].weights[w] * float(w + 1);
  }
  for (uint c = 0; c < 3; ++c) sum += dot(part.turn[c], vec3(1.0, 2.0, 3.0));
  return uint(sum) + part.coordinate.x + 2 * part.coordinate.y;
}

void main() {
  if (gl_LocalInvocationIndex >= parts.length()) return;
  const Part part = parts[gl_LocalInvocationIndex];
  atomicAdd(results.words[node_shader_index * 256 + part.value], checksum(part));
}
