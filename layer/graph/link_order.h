// Order and depth of the nodes of a graph that is being linked. Internal to the linker.
#pragma once

#include <cstdint>
#include <vector>

namespace trellis {

struct NodeOrder {
  std::vector<uint32_t> order;  // every producer before its consumers; incomplete where there is a cycle
  std::vector<uint32_t> cycle;  // empty, or the nodes of one cycle in the direction of the edges
};

// `successors`: by node, nodes it sends to, itself excluded; duplicates allowed.
[[nodiscard]] NodeOrder OrderNodes(const std::vector<std::vector<uint32_t>>& successors);

// By node: most levels of a chain that ends with it, where node n takes `levels[n]` of them.
[[nodiscard]] std::vector<uint64_t> ChainDepths(const std::vector<std::vector<uint32_t>>& successors,
                                                const std::vector<uint32_t>& order,
                                                const std::vector<uint64_t>& levels);

}  // namespace trellis
