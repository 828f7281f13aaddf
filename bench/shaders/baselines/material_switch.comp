// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "materials.glsl"

// Shades each pixel where it is: one kernel with the code of all materials.
layout(local_size_x_id = 3) in;
layout(constant_id = 2) const uint kMaterials = 1;
layout(constant_id = 6) const bool kByTiles = false;

#define CASE(m) \
  case m:       \
    if (m < kMaterials) colour = shade(pixel, visibility, m, steps_of(m), is_textured(m)); break;
#define CASES_4(m) CASE(m) CASE(m + 1) CASE(m + 2) CASE(m + 3)
#define CASES_16(m) CASES_4(m) CASES_4(m + 4) CASES_4(m + 8) CASES_4(m + 12)

void main() {
  const uint pixel = pixel_of(gl_GlobalInvocationID.x, kByTiles);
  const uint visibility = push.visibility.at[pixel];
  uint colour = 0;
  switch (material_of(visibility)) {
    CASES_16(0u) CASES_16(16u) CASES_16(32u) CASES_16(48u)
  }
  push.results.at[pixel] = colour;
}
