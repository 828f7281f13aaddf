// SPDX-License-Identifier: Apache-2.0
// A rectangle in clip coordinates. Each of its tiles is one workgroup of the mesh node.
struct Rectangle {
  NODE_GRID uvec2 tiles;
  vec2 corner;
  vec2 size;
  vec4 color;
  float depth;
};
