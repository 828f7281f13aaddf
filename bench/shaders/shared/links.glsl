// SPDX-License-Identifier: Apache-2.0
// The records of the chain. Mirrored by bench/workloads/chain.cpp.
#include "buffers.glsl"

struct Link {
  uint chain;
  uint value;
};

Link next_link(Link link) { return Link(link.chain, hash(link.value)); }
