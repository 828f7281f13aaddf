// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/picked.glsl"

struct Item {
  uint item;
};
layout(local_size_x = kInvocations) in;
NODE_STATIC_GRID(kWorkgroups, 1, 1);
NODE_ARRAY(kNodes) NODE_OUTPUT(Item, Picked, "picked", 256);

void main() {
  const uint item = gl_GlobalInvocationID.x;
  Picked picked = Picked_thread(is_picked(item) ? 1 : 0, node_of(item));
  if (is_picked(item)) picked.at[0].item = item;
  node_enqueue(picked);
}
