// SPDX-License-Identifier: Apache-2.0
// What both ways to enqueue the pixels of a frame for their materials share.
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/materials.glsl"

layout(local_size_x_id = 3) in;
layout(constant_id = 0) const uint kGridX = 1;
layout(constant_id = 1) const uint kGridY = 1;
layout(constant_id = 2) const uint kBins = 1;  // materials
layout(constant_id = 4) const uint kItemsOfWorkgroup = 256;
layout(constant_id = 5) const uint kItems = 1;  // of an invocation
layout(constant_id = 6) const bool kByTiles = false;
NODE_STATIC_GRID(kGridX, kGridY, 1);
NODE_ARRAY(kBins) NODE_OUTPUT(Pixel, Sorted, "material", kItemsOfWorkgroup);
layout(push_constant) uniform Push {
  Words results;
  Words visibility;
} push;

uint first_item() { return (gl_WorkGroupID.y * kGridX + gl_WorkGroupID.x) * kItemsOfWorkgroup; }

void send(uint pixel, uint material) {
  Sorted sorted = Sorted_thread(1, material);
  sorted.at[0] = Pixel(pixel);
  node_enqueue(sorted);
}
