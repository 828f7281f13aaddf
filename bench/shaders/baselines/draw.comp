// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "culling.glsl"

// Adds the patches of the last level to the results of their instances.
void main() {
  if (patch_number() < push.queues.at[push.queue].count) draw(push.results, push.patches.at[patch_number()]);
}
