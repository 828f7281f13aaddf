// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_EXT_mesh_shader : require

layout(location = 0) flat in uvec2 value_and_side;
layout(location = 1) in vec2 place;
layout(location = 2) perprimitiveEXT flat in uint side;
layout(location = 3) perprimitiveEXT flat in ivec3 constants;
layout(location = 0) out uint color;

// Without VIEWPORTS the viewport is the image, so that a vertex lies where it says.
void main() {
  bool right = value_and_side.y == side && constants == ivec3(-1, 2, int(side) - 5) && gl_PrimitiveID == int(3 + 4 * side);
#ifndef VIEWPORTS
  right = right && distance(place, gl_FragCoord.xy) < 0.01;
#endif
  color = right ? value_and_side.x + 1000 * side : 0xFFFFFFFF;
}
