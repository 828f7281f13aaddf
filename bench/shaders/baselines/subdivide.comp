// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "culling.glsl"

// One level of the subdivision.
void main() {
  const bool mine = patch_number() < push.queues.at[push.queue].count;
  Patch parent = Patch(0, 0, 0, 0);
  if (mine) parent = push.patches.at[patch_number()];
  const uint count = mine ? children_of(parent) : 0;
  const uint place = take_places(count);
  for (uint i = 0; i < count; ++i) push.next.at[place + i] = child(parent, i, count);
}
