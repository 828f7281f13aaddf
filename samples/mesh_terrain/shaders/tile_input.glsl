// SPDX-License-Identifier: Apache-2.0
// Declares `tile`, the tile that a mesh shader draws.
#ifdef PLAIN
layout(set = 0, binding = 1, std430) readonly buffer Tiles { Tile tiles[]; };
layout(push_constant) uniform Pushed { uint number; };
#define tile tiles[number]
#else
readonly NODE_INPUT(Tile, tile);
NODE_API_ENTRY(false);
#endif
