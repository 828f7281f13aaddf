// SPDX-License-Identifier: Apache-2.0
#include "samples/mesh_terrain/tiles.h"

#include <algorithm>

namespace terrain {
namespace {

// As in shaders/squares.glsl and shaders/dress.comp.
constexpr int kTop = 320;
constexpr int kSlack = 1 << 16;
constexpr int kLeast = 16;
constexpr int kDetail = 2;
constexpr int kGrassReach = 64 * kUnit;
constexpr int kGrassGroups = 96;

bool IsSeen(const Frame& frame, const Square& square) {
  const std::array<int, 3> low = {square.corner[0] * kUnit, -kTop / 8 * kUnit, square.corner[1] * kUnit};
  const std::array<int, 3> high = {low[0] + square.size * kUnit, kTop * kUnit, low[2] + square.size * kUnit};
  return std::all_of(frame.sides.begin(), frame.sides.end(), [&](const IVec4& side) {
    int inside = side[3];
    for (size_t i = 0; i < 3; ++i) inside += side[i] * (side[i] > 0 ? high[i] : low[i]);
    return inside >= -kSlack;
  });
}

int DistanceTo(const Frame& frame, const Square& square) {
  int distance = 0;
  for (size_t i = 0; i < 2; ++i) {
    const int low = square.corner[i] * kUnit, eye = frame.eye[2 * i];
    distance = std::max({distance, low - eye, eye - (low + square.size * kUnit)});
  }
  return distance;
}

void Dress(const Frame& frame, const Square& square, TileLists& tiles) {
  Tile tile = {4, square.size, {square.corner[0], square.corner[1]}};
  tiles.ground.push_back(tile);
  if (square.size <= 4 * kLeast) {
    const int line = square.size / kLeast;
    tile.groups = static_cast<uint32_t>(line * line);
    tiles.rocks.push_back(tile);
  }
  const int distance = DistanceTo(frame, square);
  if (square.size == kLeast && distance < kGrassReach) {
    tile.groups = static_cast<uint32_t>(1 + kGrassGroups * (kGrassReach - distance) / kGrassReach);
    tiles.grass.push_back(tile);
  }
}

void Divide(const Frame& frame, const Square& square, TileLists& tiles) {
  const int size = square.size / 2;
  for (int number = 0; number < 4; ++number) {
    const Square part = {{square.corner[0] + size * (number & 1), square.corner[1] + size * (number >> 1)}, size, 0};
    if (!IsSeen(frame, part)) continue;
    if (size > kLeast && DistanceTo(frame, part) < kDetail * kUnit * size) {
      Divide(frame, part, tiles);
    } else {
      Dress(frame, part, tiles);
    }
  }
}

}  // namespace

TileLists FindTiles(const Frame& frame) {
  TileLists tiles;
  Divide(frame, kWholeGround, tiles);
  return tiles;
}

}  // namespace terrain
