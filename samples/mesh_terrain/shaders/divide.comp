// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"

#include "frame.glsl"
#include "squares.glsl"

// Divides a square of the ground into four. Those that are seen are divided again if they are near, else drawn.
layout(local_size_x = 4) in;
NODE_STATIC_GRID(1, 1, 1);
NODE_RECURSION(kLevels);
readonly NODE_INPUT(Square, square);
NODE_OUTPUT(Square, Again, "divide", 4);
NODE_OUTPUT(Square, Whole, "dress", 4);

void main() {
  const int size = square.size / 2;
  const uint number = gl_LocalInvocationIndex;
  const Square part = Square(square.corner + size * ivec2(number & 1, number >> 1), size, 0);
  const bool is_seen = IsSeen(part);
  const bool is_divided = size > kLeast && DistanceTo(part) < kDetail * kUnit * size;
  Again again = Again_thread(is_seen && is_divided ? 1 : 0);
  if (is_seen && is_divided) again.at[0] = part;
  node_enqueue(again);
  Whole whole = Whole_thread(is_seen && !is_divided ? 1 : 0);
  if (is_seen && !is_divided) whole.at[0] = part;
  node_enqueue(whole);
}
