// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/reduction.glsl"

// The last node adds what is left to the results.
layout(local_size_x = kReduced) in;
layout(constant_id = 0) const uint kLevel = 1;
NODE_INDEX(kLevel);
NODE_API_ENTRY(false);
readonly NODE_INPUTS(Sum, sums, 256);
layout(push_constant) uniform Push { Words results; } push;

void main() {
  Sum mine = Sum(0, 0);
  if (gl_LocalInvocationID.x < sums.length()) mine = sums[gl_LocalInvocationID.x];
  const Sum all = reduce(mine);
  if (gl_LocalInvocationID.x != 0) return;
  atomicAdd(push.results.at[0], all.value);
  atomicAdd(push.results.at[1], all.count);
}
