// SPDX-License-Identifier: Apache-2.0
// Everything that has a layout of its own: compiled once as std430, once as scalar.
struct Inner {
  float weights[3];
  vec3 direction;
};
struct Job {
  uint first;
  NODE_GRID uvec3 grid;
};
struct Part {
  uvec2 coordinate;
  Inner inner[2];
  mat3 turn;
  uint value;
};
