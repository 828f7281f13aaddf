// SPDX-License-Identifier: Apache-2.0
// Order and depth of the nodes of a graph that is being linked. Internal to the linker.
#pragma once

#include <cstdint>
#include <vector>

namespace trellis {

// From a node to another one that runs because of it.
struct NodeEdge {
  uint32_t node = 0;
  // Levels between the two: 1 from a producer to its consumer, 0 from a node to one that shares its input.
  uint32_t distance = 1;
};

struct NodeOrder {
  std::vector<uint32_t> order;  // every node before those it has edges to; incomplete where there is a cycle
  std::vector<uint32_t> cycle;  // empty, or the nodes of one cycle in the direction of the edges
};

// `successors`: by node, its edges to other nodes; duplicates allowed.
[[nodiscard]] NodeOrder OrderNodes(const std::vector<std::vector<NodeEdge>>& successors);

// By node: most levels of a chain that ends with it, where node n takes `levels[n]` of them. An edge leaves a node's
// last level.
[[nodiscard]] std::vector<uint64_t> ChainDepths(const std::vector<std::vector<NodeEdge>>& successors,
                                                const std::vector<uint32_t>& order,
                                                const std::vector<uint64_t>& levels);

}  // namespace trellis
