// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/hops.glsl"

// Node 0 of the row: makes one record per invocation.
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint kGridX = 1;
layout(constant_id = 1) const uint kNodes = 2;
const uint kLater = kNodes - 1;
NODE_STATIC_GRID(kGridX, 1, 1);
NODE_SPARSE NODE_BASE(1) NODE_ARRAY(kLater) NODE_OUTPUT(Hopper, Later, "hop", 64);

void main() {
  const Hopper hopper = first_hopper(gl_GlobalInvocationID.x);
  const bool sends = hops_on(hopper, 0, kNodes);
  Later later = Later_thread(sends ? 1 : 0, jump_of(hopper, kNodes) - 1);
  if (sends) later.at[0] = next_hopper(hopper, 0);
  node_enqueue(later);
}
