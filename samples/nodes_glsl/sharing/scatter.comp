// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "point.glsl"

layout(local_size_x = 1) in;
NODE_STATIC_GRID(4, 1, 1);
NODE_OUTPUT(Point, Points, "sum", 1);

void main() {
  Points points = Points_group(1);
  points.at[0].grid = gl_WorkGroupID.x;
  points.at[0].slot = gl_WorkGroupID.x;
  node_enqueue(points);
}
