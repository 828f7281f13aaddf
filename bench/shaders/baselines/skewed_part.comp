// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "skewed_part.glsl"

// Each part adds to the result of its record.
void main() {
  uvec2 part;
  if (find_part(part) && is_worker()) atomicAdd(push.results.at[part.x], part_result(part.x, part.y));
}
