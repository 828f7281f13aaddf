// SPDX-License-Identifier: Apache-2.0
// Records that skip through a row of nodes, from each to a later one. Mirrored by bench/workloads/any_to_any.cpp.
#include "buffers.glsl"

const uint kMaxHops = 8;

struct Hopper {
  uint index;
  uint value;
  uint hops;
};

Hopper first_hopper(uint index) { return Hopper(index, hash(index), 0); }
// Distance to the next node of a row of `nodes`: an eighth of the row on average.
uint jump_of(Hopper hopper, uint nodes) { return 1 + hash(hopper.value) % (1 + nodes * 22 / 100); }
bool hops_on(Hopper hopper, uint node, uint nodes) {
  return hopper.hops < kMaxHops && node + jump_of(hopper, nodes) < nodes;
}
Hopper next_hopper(Hopper hopper, uint node) { return Hopper(hopper.index, hash(hopper.value + node), hopper.hops + 1); }

void visit(Words results, Hopper hopper, uint node) {
  atomicAdd(results.at[hopper.index], hash(hopper.value ^ (node * 0x9e3779b9u)));
}
