// SPDX-License-Identifier: Apache-2.0
// Finds the tiles of a frame on the CPU, as the graph's compute nodes do on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "samples/mesh_terrain/frame.h"

namespace terrain {

// The payload of the compute nodes, as shaders/squares.glsl has it.
struct Square {
  int32_t corner[2];
  int32_t size;
  int32_t unused;
};

// The payload of the mesh nodes, as shaders/tile.glsl has it.
struct Tile {
  uint32_t groups;
  int32_t size;
  int32_t corner[2];
};

inline constexpr Square kWholeGround = {{0, 0}, kGroundSize, 0};

struct TileLists {
  std::vector<Tile> ground;
  std::vector<Tile> rocks;
  std::vector<Tile> grass;
};

TileLists FindTiles(const Frame& frame);

}  // namespace terrain
