// SPDX-License-Identifier: Apache-2.0
// Reads the pipeline's tables the way a node does on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "layer/graph/tables.h"

namespace trellis::test {

// Reads outside the table make Word() throw std::out_of_range.
class TableReader {
 public:
  TableReader(const Graph& graph, uint64_t base)
      : base_(base),
        layout_(LayoutTables(graph)),
        bytes_(WriteTables(graph, layout_)),
        outputs_(DescribeOutputs(graph, layout_, base)) {}

  [[nodiscard]] shared::NodeOutput Output(uint32_t slot, uint32_t output) const { return outputs_[slot].at(output); }

  // `index`: counted from the output's base index.
  [[nodiscard]] uint32_t Resolve(uint32_t slot, uint32_t output, uint32_t index) const {
    const shared::NodeOutput entry = Output(slot, output);
    const uint32_t place = index - entry.first_index;  // wraps for smaller indices
    if ((entry.index_count & shared::kSlotProgression) != 0) {
      if (place >= (entry.index_count & ~shared::kSlotProgression)) return shared::kNoSlot;
      return static_cast<uint32_t>(entry.slots) + place * static_cast<uint32_t>(entry.slots >> 32);
    }
    if ((entry.index_count & shared::kSortedSlotPairs) == 0) {
      return place < entry.index_count ? Word(entry.slots + 4 * uint64_t{place}) : shared::kNoSlot;
    }
    uint32_t first = 0;
    uint32_t count = entry.index_count & ~shared::kSortedSlotPairs;
    while (count > 0) {
      const uint32_t half = count / 2;
      const uint32_t key = Word(entry.slots + 8 * uint64_t{first + half});
      if (key == place) return Word(entry.slots + 8 * uint64_t{first + half} + 4);
      if (key < place) {
        first += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return shared::kNoSlot;
  }

 private:
  [[nodiscard]] uint32_t Word(uint64_t address) const {
    uint32_t word = 0;
    for (uint32_t i = 0; i < 4; ++i) word |= static_cast<uint32_t>(bytes_.at(address - base_ + i)) << (8 * i);
    return word;
  }

  uint64_t base_;
  TableLayout layout_;
  std::vector<std::byte> bytes_;
  std::vector<std::vector<shared::NodeOutput>> outputs_;
};

}  // namespace trellis::test
