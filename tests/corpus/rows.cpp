// SPDX-License-Identifier: Apache-2.0
#include "tests/corpus/rows.h"

#include <cstring>

namespace trellis::test {

std::vector<CorpusRow> AllRows() {
  std::vector<CorpusRow> rows;
  for (const auto& part : {LaunchRows(), RecordRows(), OutputRows()}) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

void PrintTo(const CorpusRow& row, std::ostream* stream) { *stream << row.module; }

CorpusNode Entry(std::string entry) { return {.entry = std::move(entry)}; }

std::vector<CorpusNode> Entries(std::initializer_list<const char*> entries) {
  std::vector<CorpusNode> nodes;
  for (const char* entry : entries) nodes.push_back(Entry(entry));
  return nodes;
}

GraphInput Payloads(std::string node, uint32_t words_each, const std::vector<uint32_t>& words) {
  return {.node = std::move(node),
          .count = static_cast<uint32_t>(words.size()) / words_each,
          .payloads = Bytes(words),
          .stride = words_each * 4};
}

GraphInput Launches(std::string node, uint32_t count) { return {.node = std::move(node), .count = count}; }

std::vector<uint32_t> At(std::initializer_list<std::pair<uint32_t, uint32_t>> words) {
  std::vector<uint32_t> all;
  for (const auto& [index, value] : words) {
    if (all.size() <= index) all.resize(index + 1);
    all[index] = value;
  }
  return all;
}

void AddPerWorkgroup(std::vector<uint32_t>& words, uint32_t first, GridSize grid, uint32_t row, uint32_t column,
                     uint32_t value) {
  for (uint32_t z = 0; z < grid.z; ++z) {
    for (uint32_t y = 0; y < grid.y; ++y) {
      for (uint32_t x = 0; x < grid.x; ++x) {
        const uint32_t index = first + x + row * (y + column * z);
        if (words.size() <= index) words.resize(index + 1);
        words[index] += value;
      }
    }
  }
}

uint32_t FloatBits(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

}  // namespace trellis::test
