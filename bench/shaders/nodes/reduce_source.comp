// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/reduction.glsl"

// One record an invocation.
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kGridX = 1;
layout(constant_id = 1) const uint kGridY = 1;
NODE_STATIC_GRID(kGridX, kGridY, 1);
NODE_BASE(1) NODE_OUTPUT(Sum, Sums, "reduce", 256);

void main() {
  const uint index = (gl_WorkGroupID.y * kGridX + gl_WorkGroupID.x) * 256 + gl_LocalInvocationID.x;
  Sums sums = Sums_group(256);
  sums.at[gl_LocalInvocationID.x] = sum_of(index);
  node_enqueue(sums);
}
