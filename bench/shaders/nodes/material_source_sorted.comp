// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "material_source.glsl"
#include "../shared/count_pixels.glsl"

// Enqueues pixels in the order of their materials.
uint bin_of_item(uint item) { return material_of(push.visibility.at[pixel_of(item, kByTiles)]); }
#include "../shared/order_by_bin.glsl"

void place_bin(uint bin, uint start, uint count) {}

void main() {
  order_items(first_item(), first_item() + kItemsOfWorkgroup);
  for (uint i = 0; i < kItems; ++i) {
    const uint item = ordered[i * gl_WorkGroupSize.x + gl_LocalInvocationID.x];
    send(pixel_of(item, kByTiles), bin_of_item(item));
  }
}
