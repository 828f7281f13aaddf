// SPDX-License-Identifier: Apache-2.0
// Records of random graphs in node shaders: their types, and how words of them are read and written.
#pragma once

#include <vector>

#include "tests/random/node_kind.h"

namespace trellis::test::random_graphs {

[[nodiscard]] Id HashAsm(NodeAsm& m, Value a, Value b);

// Short records have a member a word, long ones an array, so that both are accessed. Grids are vectors, or scalars.
class RecordAsm {
 public:
  RecordAsm(NodeAsm& m, const InputForm& input);

  [[nodiscard]] Id InputRecord();
  [[nodiscard]] Id OutputRecord(uint32_t words);

  // Hash of `salt` and every word of record `element` of the node's input.
  [[nodiscard]] Id Digest(Id salt, Value element);
  // Word of a record of the input that is no part of a grid.
  [[nodiscard]] Id InputWord(Value element, uint32_t word);
  void SetInputWord(Value element, uint32_t word, const Id& value);

  // Calls `value_of(word)` for each word of an output record and stores it.
  template <typename ValueOf>
  void WriteOutput(const Records& records, uint32_t words, Value element, const ValueOf& value_of) {
    if (words > kMaxMembers) {
      m_.For(words, [&](const Id& w) {
        const Id value = value_of(w);
        m_.Store(m_.Field(records, m_.Uint(), element, {Value(0), w}), value);
      });
      return;
    }
    for (uint32_t w = 0; w < words; ++w) {
      const Id value = value_of(w);
      m_.Set(records, element, w, value);
    }
  }

 private:
  static constexpr uint32_t kMaxMembers = 5;

  [[nodiscard]] Id GridComponentType();
  [[nodiscard]] uint32_t GridWords() const { return (grid_.components * grid_.bits + 31) / 32; }
  [[nodiscard]] bool InGrid(uint32_t word) const {
    return word >= grid_.first_word && word - grid_.first_word < GridWords();
  }
  [[nodiscard]] Id GridWord(Value element, uint32_t word);
  // Member of the input's structure that holds the word, and the path to the word from there.
  [[nodiscard]] std::vector<Value> PathTo(uint32_t word) const;

  NodeAsm& m_;
  const InputForm input_;
  const GridMember grid_;
};

}  // namespace trellis::test::random_graphs
