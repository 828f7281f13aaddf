// SPDX-License-Identifier: Apache-2.0
// The payload of the mesh nodes. With PLAIN, for draws without a graph, the tiles are in a buffer.
#ifdef PLAIN
#define NODE_GRID
#else
#include "trellis/node_payload.glsl"
#endif

struct Tile {
  NODE_GRID uint groups;
  int size;  // in metres
  ivec2 corner;
};
