// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/koch.glsl"

// Divides edges into four each, as often as it may enqueue itself; then it draws what comes of them.
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint kRecursion = 1;
NODE_RECURSION(kRecursion);
NODE_OUTPUT(Edge, Again, "koch", 256);
readonly NODE_INPUTS(Edge, edges, 64);
layout(push_constant) uniform Push { Lines results; } push;

void main() {
  const bool mine = gl_LocalInvocationID.x < edges.length();
  const bool last = node_remaining_recursion == 0;
  Again again = Again_thread(mine && !last ? 4 : 0);
  if (mine) {
    const Edge edge = edges[gl_LocalInvocationID.x];
    for (uint i = 0; i < 4; ++i) {
      if (last) draw(push.results, child(edge, i));
      else again.at[i] = child(edge, i);
    }
  }
  node_enqueue(again);
}
