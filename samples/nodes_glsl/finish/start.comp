// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "total.glsl"

layout(local_size_x = 1) in;
NODE_STATIC_GRID(3, 1, 1);
NODE_OUTPUT(Total, Totals, "add", 1);

void main() {
  Totals totals = Totals_group(1);
  totals.at[0].grid = 4 * (gl_WorkGroupID.x + 1);
  totals.at[0].sum = 0;
  totals.at[0].slot = gl_WorkGroupID.x;
  node_enqueue(totals);
}
