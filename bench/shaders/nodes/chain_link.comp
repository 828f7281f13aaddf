// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/links.glsl"

// Counts in its own word of the results and hands the record on to the next node. All nodes of a chain are one shader: what its code reads is not a
// constant of the node.
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint kLevel = 0;
layout(constant_id = 1) const uint kChains = 1;
const uint kNextLevel = kLevel + 1;
NODE_INDEX(kLevel);
NODE_STATIC_GRID(1, 1, 1);
NODE_BASE(kNextLevel) NODE_OUTPUT(Link, Next, "chain", 1);
readonly NODE_INPUT(Link, link);
layout(push_constant) uniform Push { Words results; } push;

void main() {
  atomicAdd(push.results.at[node_shader_index * kChains + link.chain], link.value);
  Next next = Next_group(1);
  if (gl_LocalInvocationID.x == 0) next.at[0] = next_link(link);
  node_enqueue(next);
}
