// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/materials.glsl"

// Shades the pixels of one material: a thread node where kInvocations is 1, else a coalescing node.
layout(local_size_x_id = 1) in;
layout(constant_id = 0) const uint kMaterial = 0;
layout(constant_id = 1) const uint kInvocations = 1;
layout(constant_id = 2) const uint kSteps = 1;
layout(constant_id = 3) const bool kTextured = false;
NODE_INDEX(kMaterial);
NODE_API_ENTRY(false);
readonly NODE_INPUTS(Pixel, pixels, kInvocations);
layout(push_constant) uniform Push {
  Words results;
  Words visibility;
} push;

void main() {
  if (gl_LocalInvocationID.x >= pixels.length()) return;
  const uint pixel = pixels[gl_LocalInvocationID.x].number;
  push.results.at[pixel] = shade(pixel, push.visibility.at[pixel], kMaterial, kSteps, kTextured);
}
