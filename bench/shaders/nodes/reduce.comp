// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/reduction.glsl"

// Many records become one, for the next node.
layout(local_size_x = kReduced) in;
layout(constant_id = 0) const uint kLevel = 1;
const uint kNextLevel = kLevel + 1;
NODE_INDEX(kLevel);
NODE_API_ENTRY(false);
readonly NODE_INPUTS(Sum, sums, 256);
NODE_BASE(kNextLevel) NODE_OUTPUT(Sum, Next, "reduce", 1);

void main() {
  Sum mine = Sum(0, 0);
  if (gl_LocalInvocationID.x < sums.length()) mine = sums[gl_LocalInvocationID.x];
  const Sum all = reduce(mine);
  Next next = Next_group(1);
  if (gl_LocalInvocationID.x == 0) next.at[0] = all;
  node_enqueue(next);
}
