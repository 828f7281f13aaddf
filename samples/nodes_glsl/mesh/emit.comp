// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"

#include "rectangle.glsl"

// Sends one rectangle per workgroup to the mesh node.
layout(local_size_x = 1) in;
NODE_STATIC_GRID(4, 1, 1);
NODE_OUTPUT(Rectangle, Rectangles, "draw", 1);

void main() {
  const float number = float(gl_WorkGroupID.x);
  Rectangles rectangles = Rectangles_group(1);
  rectangles.at[0].tiles = uvec2(2, 1 + gl_WorkGroupID.x);
  rectangles.at[0].corner = vec2(number / 2 - 1, -0.5);
  rectangles.at[0].size = vec2(0.5, 1);
  rectangles.at[0].color = vec4(1, number / 4, 0, 1);
  rectangles.at[0].depth = 0.5;
  node_enqueue(rectangles);
}
