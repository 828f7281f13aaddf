// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "materials.glsl"
#include "../shared/count_pixels.glsl"

// As material_lists.comp, but pixels are put in the order of their materials first.
layout(local_size_x_id = 3) in;
layout(constant_id = 2) const uint kBins = 1;
layout(constant_id = 4) const uint kItemsOfWorkgroup = 256;
layout(constant_id = 5) const uint kItems = 1;
layout(constant_id = 6) const bool kByTiles = false;

uint bin_of_item(uint item) { return material_of(push.visibility.at[pixel_of(item, kByTiles)]); }
#include "../shared/order_by_bin.glsl"

shared uint shifts[kBins];  // from a place in `ordered` to one in the lists

void place_bin(uint bin, uint start, uint count) { shifts[bin] = take_places(bin, count) - start; }

void main() {
  const uint first = gl_WorkGroupID.x * kItemsOfWorkgroup;
  order_items(first, first + kItemsOfWorkgroup);
  [[unroll]] for (uint i = 0; i < kItems; ++i) {
    const uint place = i * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    const uint item = ordered[place];
    push.pixels.at[shifts[bin_of_item(item)] + place] = pixel_of(item, kByTiles);
  }
}
