// SPDX-License-Identifier: Apache-2.0
// Dominators of a directed graph, by Lengauer and Tarjan's algorithm with path compression: O(edges * log(nodes)), no
// recursion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trellis::spirv {

using Adjacency = std::vector<std::vector<uint32_t>>;  // node -> nodes it has edges to

class DominatorTree {
 public:
  DominatorTree() = default;
  DominatorTree(const Adjacency& successors, uint32_t root);

  // Reachable from the root.
  [[nodiscard]] bool Contains(size_t node) const { return intervals_[node].begin != intervals_[node].end; }
  // Every path from the root to `b` passes through `a`; false unless both are reachable. Constant time.
  [[nodiscard]] bool Dominates(size_t a, size_t b) const;
  // Reachable nodes, each before the nodes that it dominates.
  [[nodiscard]] const std::vector<uint32_t>& Order() const { return order_; }

 private:
  // Positions in a depth-first walk of the tree: a node's interval holds those of all it dominates.
  struct Interval {
    uint32_t begin = 0;
    uint32_t end = 0;
  };

  std::vector<Interval> intervals_;
  std::vector<uint32_t> order_;
};

}  // namespace trellis::spirv
