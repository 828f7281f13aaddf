// SPDX-License-Identifier: Apache-2.0
// Items of which compute picks some, which mesh shaders draw. Mirrored in bench/figures/picked_draws.cpp.
#include "buffers.glsl"

layout(constant_id = 0) const uint kWorkgroups = 1;
layout(constant_id = 1) const uint kNodes = 1;  // a power of two, at most 128
layout(constant_id = 2) const uint kUsed = 1;   // of the nodes, evenly spread
layout(constant_id = 3) const uint kEvery = 16; // one of so many items is picked; a power of two
const uint kInvocations = 256;

bool is_picked(uint item) { return (hash(item) & (kEvery - 1)) == 0; }
uint node_of(uint item) { return (hash(item) >> 8 & (kUsed - 1)) * (kNodes / kUsed); }
