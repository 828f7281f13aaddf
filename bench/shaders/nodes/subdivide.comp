// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/culling.glsl"

// Culls, keeps or divides patches and enqueues the rest for itself, at its last level for "draw". A thread node where kInvocations is 1.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint kInvocations = 1;
layout(constant_id = 1) const uint kRecursion = 1;
const uint kChildren = 4 * kInvocations;
NODE_RECURSION(kRecursion);
NODE_API_ENTRY(false);
readonly NODE_INPUTS(Patch, patches, kInvocations);
NODE_OUTPUT(Patch, Again, "subdivide", kChildren);
NODE_LIMIT_OF("Again") NODE_OUTPUT(Patch, Drawn, "draw", kChildren);

void main() {
  const bool mine = gl_LocalInvocationID.x < patches.length();
  Patch parent = Patch(0, 0, 0, 0);
  if (mine) parent = patches[gl_LocalInvocationID.x];
  const uint count = mine ? children_of(parent) : 0;
  if (node_remaining_recursion != 0) {
    Again again = Again_thread(count);
    for (uint i = 0; i < count; ++i) again.at[i] = child(parent, i, count);
    node_enqueue(again);
  } else {
    Drawn drawn = Drawn_thread(count);
    for (uint i = 0; i < count; ++i) drawn.at[i] = child(parent, i, count);
    node_enqueue(drawn);
  }
}
