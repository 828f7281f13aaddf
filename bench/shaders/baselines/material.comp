// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "materials.glsl"

// Shades the pixels in the list of one material.
layout(local_size_x_id = 1) in;
layout(constant_id = 0) const uint kMaterial = 0;
layout(constant_id = 2) const uint kSteps = 1;
layout(constant_id = 3) const bool kTextured = false;

void main() {
  if (gl_GlobalInvocationID.x >= push.heads.at[kMaterial].count) return;
  const uint pixel = push.pixels.at[push.heads.at[kMaterial].start + gl_GlobalInvocationID.x];
  push.results.at[pixel] = shade(pixel, push.visibility.at[pixel], kMaterial, kSteps, kTextured);
}
