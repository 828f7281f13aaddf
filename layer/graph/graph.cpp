// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/graph.h"

#include <algorithm>
#include <utility>

namespace trellis {

bool Slot::SendsTo(uint32_t target) const {
  return std::binary_search(edges.begin(), edges.end(), SlotEdge{target, 0},
                            [](const SlotEdge& a, const SlotEdge& b) { return a.slot < b.slot; });
}

uint32_t Graph::FindNode(std::string_view name, uint32_t index) const {
  using Key = std::pair<std::string_view, uint32_t>;
  const auto found = std::lower_bound(
      nodes_by_name.begin(), nodes_by_name.end(), Key(name, index),
      [this](uint32_t node, const Key& key) { return Key(nodes[node].name, nodes[node].index) < key; });
  if (found == nodes_by_name.end() || nodes[*found].name != name || nodes[*found].index != index) return kNoNode;
  return *found;
}

uint32_t Graph::NoteWords(uint32_t slot) const {
  uint32_t words = NodeOf(slot).info.NoteWords();
  for (uint32_t sharer : NodeOf(slot).sharers) words += nodes[sharer].info.NoteWords();
  return words;
}

void Graph::AppendLaunches(uint32_t slot, std::vector<Launch>& launches) const {
  launches.push_back({slot, slot});
  for (uint32_t sharer : NodeOf(slot).sharers) launches.push_back({EntrySlot(sharer), slot});
}

}  // namespace trellis
