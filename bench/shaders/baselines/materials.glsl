// SPDX-License-Identifier: Apache-2.0
// What the steps of hand-written material shading share.
#extension GL_GOOGLE_include_directive : require
#include "../shared/materials.glsl"

// The head of a material's list begins with the VkDispatchIndirectCommand of its dispatch. Each head has a cache line of its own.
struct Head {  // mirrored by bench/workloads/material_shading.cpp
  uint x;
  uint y;
  uint z;
  uint count;
  uint start;  // of the list
  uint padding[27];
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Heads { Head at[]; };

layout(push_constant) uniform Push {
  Words results;
  Words visibility;
  Words pixels;  // the lists of all materials
  Heads heads;
  uint pixels_a_step;  // that one more workgroup of the dispatch takes
} push;

// Takes `count` places in the list of a material, whose dispatch grows with it. Returns the first one among all lists.
uint take_places(uint material, uint count) {
  const uint step = push.pixels_a_step;
  const uint first = atomicAdd(push.heads.at[material].count, count);
  const uint growth = (first + count + step - 1) / step - (first + step - 1) / step;
  if (growth != 0) atomicAdd(push.heads.at[material].x, growth);
  return push.heads.at[material].start + first;
}
