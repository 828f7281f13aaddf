// SPDX-License-Identifier: Apache-2.0
// Tells which squares of the ground are seen, and how far away they are. All of it is integer arithmetic, so that the
// CPU (tiles.cpp) comes to the same decisions.
struct Square {
  ivec2 corner;  // in metres
  int size;
  int unused;
};

const int kUnit = 16;         // to the metre
const int kTop = 320;         // nothing is higher, in metres
const int kSlack = 1 << 16;   // bound on the rounding of the frustum's sides
const int kLeast = 16;        // size of the smallest squares
const int kDetail = 2;        // squares are divided if they are nearer than so many sizes
const uint kLevels = 7;       // halvings of the whole ground, but for the first

bool IsSeen(const Square square) {
  const ivec3 low = ivec3(square.corner.x, -kTop / 8, square.corner.y) * kUnit;
  const ivec3 high = ivec3(square.corner.x + square.size, kTop, square.corner.y + square.size) * kUnit;
  for (int i = 0; i < 4; ++i) {
    const ivec3 inwards = frame.sides[i].xyz;
    const ivec3 corner = mix(low, high, greaterThan(inwards, ivec3(0)));
    const ivec3 terms = inwards * corner;
    if (terms.x + terms.y + terms.z + frame.sides[i].w < -kSlack) return false;
  }
  return true;
}

// In kUnit.
int DistanceTo(const Square square) {
  const ivec2 low = square.corner * kUnit;
  const ivec2 outside = max(low - frame.eye.xz, frame.eye.xz - (low + square.size * kUnit));
  return max(0, max(outside.x, outside.y));
}
