// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "material_source.glsl"

// Enqueues pixels in the order of the frame.
void main() {
  uint pixels[kItems];
  uint materials[kItems];
  [[unroll]] for (uint i = 0; i < kItems; ++i) {
    pixels[i] = pixel_of(first_item() + i * gl_WorkGroupSize.x + gl_LocalInvocationID.x, kByTiles);
    materials[i] = material_of(push.visibility.at[pixels[i]]);
  }
  [[unroll]] for (uint i = 0; i < kItems; ++i) send(pixels[i], materials[i]);
}
