// SPDX-License-Identifier: Apache-2.0
// The data of a frame; frame.h has the same structure.
layout(set = 0, binding = 0, std140) uniform Frame {
  mat4 clip_from_world;
  vec4 camera;     // position
  vec4 right;      // of the picture's right edge from its middle, at distance 1
  vec4 up;         // likewise of its upper edge
  vec4 forward;
  vec4 to_sun;
  ivec4 eye;       // the camera's position in kUnit
  ivec4 sides[4];  // of the frustum: a point p in kUnit is inside where dot(xyz, p) + w >= 0
} frame;
