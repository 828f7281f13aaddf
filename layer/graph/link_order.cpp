// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/link_order.h"

#include <algorithm>
#include <cstddef>

namespace trellis {
namespace {

// Every node that is left has a producer that is left, so walking producers must come back to a node of the walk.
std::vector<uint32_t> FindCycle(const std::vector<std::vector<NodeEdge>>& successors,
                                const std::vector<uint32_t>& producers_left) {
  std::vector<uint32_t> producer_of(successors.size(), 0);
  uint32_t node = 0;
  for (uint32_t producer = 0; producer < successors.size(); ++producer) {
    if (producers_left[producer] == 0) continue;
    for (const NodeEdge& edge : successors[producer]) {
      producer_of[edge.node] = producer;
      if (producers_left[edge.node] != 0) node = edge.node;
    }
  }
  std::vector<bool> seen(successors.size(), false);
  while (!seen[node]) {
    seen[node] = true;
    node = producer_of[node];
  }
  std::vector<uint32_t> cycle;
  const uint32_t start = node;
  do {
    cycle.push_back(node);
    node = producer_of[node];
  } while (node != start);
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

}  // namespace

NodeOrder OrderNodes(const std::vector<std::vector<NodeEdge>>& successors) {
  std::vector<uint32_t> producers_left(successors.size(), 0);
  for (const std::vector<NodeEdge>& edges : successors)
    for (const NodeEdge& edge : edges) ++producers_left[edge.node];

  NodeOrder result;
  for (uint32_t node = 0; node < successors.size(); ++node)
    if (producers_left[node] == 0) result.order.push_back(node);
  for (size_t done = 0; done < result.order.size(); ++done)
    for (const NodeEdge& edge : successors[result.order[done]])
      if (--producers_left[edge.node] == 0) result.order.push_back(edge.node);

  if (result.order.size() != successors.size()) result.cycle = FindCycle(successors, producers_left);
  return result;
}

std::vector<uint64_t> ChainDepths(const std::vector<std::vector<NodeEdge>>& successors,
                                  const std::vector<uint32_t>& order, const std::vector<uint64_t>& levels) {
  std::vector<uint64_t> depth = levels;
  for (uint32_t node : order)
    for (const NodeEdge& edge : successors[node])
      depth[edge.node] = std::max(depth[edge.node], depth[node] + edge.distance + levels[edge.node] - 1);
  return depth;
}

}  // namespace trellis
