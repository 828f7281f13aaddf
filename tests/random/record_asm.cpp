// SPDX-License-Identifier: Apache-2.0
#include "tests/random/record_asm.h"

#include <algorithm>

namespace trellis::test::random_graphs {

Id HashAsm(NodeAsm& m, Value a, Value b) {
  const Id mixed = m.Mul(m.Xor(a, m.Mul(b, Value(0x9e3779b1u))), Value(0x85ebca6bu));
  const Id folded = m.Mul(m.Xor(mixed, m.Shift(mixed, 15)), Value(0xc2b2ae35u));
  return m.Xor(folded, m.Shift(folded, 13));
}

RecordAsm::RecordAsm(NodeAsm& m, const InputForm& input) : m_(m), input_(input), grid_(input.grid) {
  if (grid_.components == 0 || !input.declared || grid_.bits == 32) return;
  m_.Capability(grid_.bits == 16 ? "Int16" : "Int8");
}

Id RecordAsm::GridComponentType() { return m_.Type("OpTypeInt " + std::to_string(grid_.bits) + " 0"); }

Id RecordAsm::InputRecord() {
  std::vector<Member> members;
  uint32_t word = 0;
  if (input_.record_words > kMaxMembers) {
    word = grid_.components == 0 ? input_.record_words : grid_.first_word;
    members.push_back({m_.Array(m_.Uint(), word, 4), 0});
  }
  while (word < input_.record_words) {
    if (grid_.components == 0 || !InGrid(word)) {
      members.push_back({m_.Uint(), word * 4});
      ++word;
      continue;
    }
    const Id component = GridComponentType();
    const Id type = grid_.components == 1 ? component : m_.Vector(component, grid_.components);
    members.push_back({type, word * 4, true});
    word += GridWords();
  }
  return m_.Struct(members);
}

Id RecordAsm::OutputRecord(uint32_t words) {
  std::vector<Member> members;
  if (words > kMaxMembers) {
    members.push_back({m_.Array(m_.Uint(), words, 4), 0});
  } else {
    for (uint32_t w = 0; w < words; ++w) members.push_back({m_.Uint(), w * 4});
  }
  return m_.Struct(members);
}

std::vector<Value> RecordAsm::PathTo(uint32_t word) const {
  const bool past_grid = grid_.components != 0 && word >= grid_.first_word + GridWords();
  const uint32_t saved = past_grid ? GridWords() - 1 : 0;  // members, as the grid is one
  if (input_.record_words <= kMaxMembers) return {Value(word - saved)};
  const uint32_t in_array = grid_.components == 0 ? input_.record_words : grid_.first_word;
  if (word < in_array) return {Value(0), Value(word)};
  return {Value(word - in_array - saved + 1)};
}

Id RecordAsm::InputWord(Value element, uint32_t word) {
  return m_.Load(m_.Uint(), m_.Field(m_.NodeInput(), m_.Uint(), element, PathTo(word)));
}

void RecordAsm::SetInputWord(Value element, uint32_t word, const Id& value) {
  m_.Store(m_.Field(m_.NodeInput(), m_.Uint(), element, PathTo(word)), value);
}

Id RecordAsm::GridWord(Value element, uint32_t word) {
  const Id type = GridComponentType();
  const uint32_t in_a_word = 32 / grid_.bits;
  const uint32_t first = (word - grid_.first_word) * in_a_word;
  Id value;
  for (uint32_t c = first; c < std::min(first + in_a_word, grid_.components); ++c) {
    std::vector<Value> path = PathTo(grid_.first_word);
    if (grid_.components != 1) path.push_back(Value(c));
    Id part = m_.Load(type, m_.Field(m_.NodeInput(), type, element, path));
    if (grid_.bits != 32) part = m_.Op("OpUConvert", m_.Uint(), part);
    value = value.empty() ? part : m_.Add(value, m_.Mul(part, 1u << ((c - first) * grid_.bits)));
  }
  return value;
}

Id RecordAsm::Digest(Id digest, Value element) {
  uint32_t word = 0;
  if (input_.record_words > kMaxMembers) {
    word = grid_.components == 0 ? input_.record_words : grid_.first_word;
    const Id variable = m_.Local(m_.Uint());
    m_.Store(variable, digest);
    m_.For(word, [&](const Id& w) {
      const Id value = m_.Load(m_.Uint(), m_.Field(m_.NodeInput(), m_.Uint(), element, {Value(0), Value(w)}));
      m_.Store(variable, HashAsm(m_, m_.Load(m_.Uint(), variable), value));
    });
    digest = m_.Load(m_.Uint(), variable);
  }
  for (; word < input_.record_words; ++word) {
    const bool in_grid = grid_.components != 0 && InGrid(word);
    const Id value = in_grid ? GridWord(element, word) : InputWord(element, word);
    digest = HashAsm(m_, digest, value);
  }
  return digest;
}

}  // namespace trellis::test::random_graphs
