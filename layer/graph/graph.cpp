// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/graph.h"

#include <algorithm>
#include <utility>

namespace trellis {

bool Slot::SendsTo(uint32_t target) const { return std::ranges::binary_search(edges, target, {}, &SlotEdge::slot); }

uint32_t Graph::FindNode(std::string_view name, uint32_t index) const {
  using Key = std::pair<std::string_view, uint32_t>;
  const Key key(name, index);
  const auto key_of = [this](uint32_t node) { return Key(nodes[node].name, nodes[node].index); };
  const auto found = std::ranges::lower_bound(nodes_by_name, key, {}, key_of);
  return found != nodes_by_name.end() && key_of(*found) == key ? *found : kNoNode;
}

uint32_t Graph::StateWords(uint32_t slot) const {
  uint32_t words = NodeOf(slot).info.StateWords();
  for (uint32_t sharer : NodeOf(slot).sharers) words += nodes[sharer].info.StateWords();
  return words;
}

void Graph::AppendLaunches(uint32_t slot, std::vector<Launch>& launches) const {
  launches.push_back({slot, slot});
  for (uint32_t sharer : NodeOf(slot).sharers) launches.push_back({EntrySlot(sharer), slot});
}

}  // namespace trellis
