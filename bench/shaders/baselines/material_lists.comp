// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "materials.glsl"
#include "../shared/count_pixels.glsl"

// Writes each pixel to the list of its material, kItems pixels an invocation. A workgroup takes its places in a list with one atomic.
layout(local_size_x_id = 3) in;
layout(constant_id = 2) const uint kMaterials = 1;
layout(constant_id = 5) const uint kItems = 1;
layout(constant_id = 6) const bool kByTiles = false;

shared uint counts[kMaterials];  // later: where the workgroup's places in the list begin

uint add_count(uint material, uint count) { return atomicAdd(counts[material], count); }

void main() {
  const uint lane = gl_LocalInvocationID.x;
  for (uint material = lane; material < kMaterials; material += gl_WorkGroupSize.x) counts[material] = 0;
  barrier();
  const uint first = gl_WorkGroupID.x * gl_WorkGroupSize.x * kItems + lane;
  uint numbers[kItems];
  uint materials[kItems];
  uint ranks[kItems];
  [[unroll]] for (uint i = 0; i < kItems; ++i) {
    numbers[i] = pixel_of(first + i * gl_WorkGroupSize.x, kByTiles);
    materials[i] = material_of(push.visibility.at[numbers[i]]);
  }
  [[unroll]] for (uint i = 0; i < kItems; ++i) ranks[i] = count_item(materials[i]);
  barrier();
  for (uint material = lane; material < kMaterials; material += gl_WorkGroupSize.x)
    if (counts[material] != 0) counts[material] = take_places(material, counts[material]);
  barrier();
  [[unroll]] for (uint i = 0; i < kItems; ++i) push.pixels.at[counts[materials[i]] + ranks[i]] = numbers[i];
}
