// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "squares.glsl"
#include "tile.glsl"

// Decides what is drawn on squares: ground everywhere, rocks nearer, grass only close to the camera.
layout(local_size_x = 32) in;
readonly NODE_INPUTS(Square, squares, 32);
NODE_OUTPUT(Tile, Ground, "ground", 32);
NODE_OUTPUT(Tile, Rocks, "rocks", 32);
NODE_OUTPUT(Tile, Grass, "grass", 32);

const int kGrassReach = 64 * kUnit;
const int kGrassGroups = 96;

void main() {
  const uint number = gl_LocalInvocationIndex;
  const bool is_there = number < squares.length();
  Tile tile = Tile(0, kLeast, ivec2(0));
  int distance = 0;
  if (is_there) {
    tile.size = squares[number].size;
    tile.corner = squares[number].corner;
    distance = DistanceTo(squares[number]);
  }
  Ground ground = Ground_thread(is_there ? 1 : 0);
  tile.groups = 4;
  if (is_there) ground.at[0] = tile;
  node_enqueue(ground);

  const bool has_rocks = is_there && tile.size <= 4 * kLeast;
  Rocks rocks = Rocks_thread(has_rocks ? 1 : 0);
  tile.groups = tile.size / kLeast * (tile.size / kLeast);
  if (has_rocks) rocks.at[0] = tile;
  node_enqueue(rocks);

  const bool has_grass = is_there && tile.size == kLeast && distance < kGrassReach;
  Grass grass = Grass_thread(has_grass ? 1 : 0);
  tile.groups = 1 + kGrassGroups * (kGrassReach - distance) / kGrassReach;
  if (has_grass) grass.at[0] = tile;
  node_enqueue(grass);
}
