// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/hops.glsl"

// A node of the row: a thread node where kInvocations is 1, else a coalescing node.
layout(local_size_x_id = 2) in;
layout(constant_id = 0) const uint kNode = 1;
layout(constant_id = 1) const uint kNodes = 2;
layout(constant_id = 2) const uint kInvocations = 1;
const uint kNext = kNode + 1;
const uint kLater = kNodes - kNode;  // one more than exist, since the last node needs an array too
NODE_INDEX(kNode);
NODE_API_ENTRY(false);
NODE_SPARSE NODE_BASE(kNext) NODE_ARRAY(kLater) NODE_OUTPUT(Hopper, Later, "hop", kInvocations);
readonly NODE_INPUTS(Hopper, hoppers, kInvocations);
layout(push_constant) uniform Push { Words results; } push;

void main() {
  const bool mine = gl_LocalInvocationID.x < hoppers.length();
  Hopper hopper = Hopper(0, 0, 0);
  if (mine) {
    hopper = hoppers[gl_LocalInvocationID.x];
    visit(push.results, hopper, kNode);
  }
  const bool sends = mine && hops_on(hopper, kNode, kNodes);
  Later later = Later_thread(sends ? 1 : 0, jump_of(hopper, kNodes) - 1);
  if (sends) later.at[0] = next_hopper(hopper, kNode);
  node_enqueue(later);
}
