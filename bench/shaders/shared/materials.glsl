// SPDX-License-Identifier: Apache-2.0
// Pixels of a frame and the materials that shade them. Mirrored by bench/workloads/material_shading.cpp.
#extension GL_EXT_control_flow_attributes : require
#include "buffers.glsl"

struct Pixel {
  uint number;  // y * kWidth + x
};

layout(constant_id = 9) const uint kWidth = 8;
const uint kTileSide = 8;
const uint kTextureSide = 256;
const uint kStepsOfTexel = 8;  // a textured material reads one texel in so many steps
layout(set = 0, binding = 0) uniform usampler2D surface;

// The pixel that is item `item` of the classification: row by row, or tile by tile.
uint pixel_of(uint item, bool by_tiles) {
  if (!by_tiles) return item;
  const uint tile = item / (kTileSide * kTileSide);
  const uint place = item % (kTileSide * kTileSide);
  const uint row = tile / (kWidth / kTileSide) * kTileSide + place / kTileSide;
  return row * kWidth + tile % (kWidth / kTileSide) * kTileSide + place % kTileSide;
}

// A visibility word holds a material in its low 8 bits and a primitive in the others.
uint material_of(uint visibility) { return visibility & 0xff; }

uint texel(uint pixel, uint layer) {
  const uint x = pixel % kWidth + layer * 5;
  const uint y = pixel / kWidth + layer * 3;
  return texelFetch(surface, ivec2(x % kTextureSide, y % kTextureSide), 0).x;
}

uint steps_of(uint material) { return 5 + hash(material) % 46; }
bool is_textured(uint material) { return material % 3 == 0; }

uint shade(uint pixel, uint visibility, uint material, uint steps, bool textured) {
  uint colour = visibility ^ pixel;
  for (uint i = 0; i < steps; ++i) {
    if (textured && i % kStepsOfTexel == 0) colour ^= texel(pixel, i);
    colour = hash(colour + material);
  }
  return colour;
}
