// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"

// A compute node that takes the payloads of mesh nodes: counts each of them in a word behind theirs. With SHARER it runs
// whenever the node "tiles" does.
struct Tiles {
  NODE_GRID uvec2 grid;
  uvec2 corner;
  uvec2 step;
  uvec2 size;
  uint value;
  uint counter;
};

layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
NODE_STATIC_GRID(1, 1, 1);
#ifdef SHARER
NODE_SHARES_INPUT("tiles", 0);
#endif
readonly NODE_INPUT(Tiles, tiles);

void main() { atomicAdd(words[tiles.counter + 128], 1); }
