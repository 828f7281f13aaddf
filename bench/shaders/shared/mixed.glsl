// SPDX-License-Identifier: Apache-2.0
// Records that wander through levels of nodes of all kinds. Mirrored by bench/workloads/mixed.cpp.
#include "buffers.glsl"

const uint kKinds = 4;         // launch kinds; each level has kNodesOfKind nodes of each
const uint kNodesOfKind = 4;
const uint kNodesOfLevel = kKinds * kNodesOfKind;

const uint kFixedParts = 4;    // invocations that work on a record of a node with a fixed grid

struct Visitor {
  uint index;
  uint value;
};

Visitor first_visitor(uint index) { return Visitor(index, hash(index)); }
// The node of the next level that gets the record: kinds in the order thread, batch, fixed, dynamic.
uint target_of(Visitor visitor) { return hash(visitor.value) % kNodesOfLevel; }
// Of nodes with dynamic grids.
uint parts_of(Visitor visitor) { return 1 + visitor.value % 3; }
Visitor next_visitor(Visitor visitor, uint node) { return Visitor(visitor.index, hash(visitor.value + node)); }

// What part `part` of a node's work on a record adds to its result.
void visit(Words results, Visitor visitor, uint node, uint part) {
  atomicAdd(results.at[visitor.index], hash(visitor.value ^ (node * 0x9e3779b9u + part)));
}
