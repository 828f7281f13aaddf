// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "item.glsl"

// The application makes two nodes of this, with shader index 0 and 1.
layout(local_size_x = 16) in;
layout(constant_id = 0) const uint kIndex = 0;
NODE_INDEX(kIndex);
NODE_API_ENTRY(false);
readonly NODE_INPUTS(Item, items, 16);
layout(set = 0, binding = 0) buffer Results { uint words[]; } results;

void main() {
  if (gl_LocalInvocationIndex >= items.length()) return;
  const Item item = items[gl_LocalInvocationIndex];
  atomicAdd(results.words[node_shader_index * 256 + item.slot], item.value);
}
