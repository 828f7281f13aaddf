// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/clone_function.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/writer.h"

namespace trellis::spirv {
namespace {

using Index = std::vector<std::pair<Id, uint32_t>>;

Index MakeIndex(const std::vector<Instruction>& section) {
  Index index;
  for (uint32_t i = 0; i < section.size(); ++i) {
    if (!section[i].operands.empty()) index.emplace_back(section[i].operands[0], i);
  }
  std::sort(index.begin(), index.end());
  return index;
}

std::span<const std::pair<Id, uint32_t>> Find(const Index& index, Id id) {
  const auto begin = std::lower_bound(index.begin(), index.end(), std::pair<Id, uint32_t>(id, 0));
  const auto end = std::find_if(begin, index.end(), [id](const auto& entry) { return entry.first != id; });
  return {begin, end};
}

void CopyAbout(std::vector<Instruction>& section, const Index& index, Id from, Id to) {
  for (const auto& [id, i] : Find(index, from)) {
    Instruction copy = section[i];
    copy.operands[0] = to;
    section.push_back(std::move(copy));
  }
}

}  // namespace

FunctionCloner::FunctionCloner(Module& module)
    : module_(module), names_(MakeIndex(module.debug_names)), annotations_(MakeIndex(module.annotations)) {}

Function FunctionCloner::Clone(const Function& function) {
  std::unordered_map<Id, Id> new_ids;
  ForEachDefined(function, [&](Id id) {
    const auto [entry, is_new] = new_ids.try_emplace(id, kNoId);
    if (!is_new) return;
    entry->second = module_.NewId();
    CopyAbout(module_.debug_names, names_, id, entry->second);
    CopyAbout(module_.annotations, annotations_, id, entry->second);
  });
  const auto map = [&](Id& id) {
    if (const auto found = new_ids.find(id); found != new_ids.end()) id = found->second;
  };
  const auto map_all = [&](Instruction& instruction) {
    map(instruction.result_id);
    ForEachIdOperand(instruction, map);
  };
  Function copy = function;
  map_all(copy.definition);
  for (Instruction& parameter : copy.parameters) map_all(parameter);
  for (BasicBlock& block : copy.blocks) {
    map(block.label);
    for (Instruction& instruction : block.body) map_all(instruction);
  }
  return copy;
}

size_t FunctionCloner::WordsOf(const Function& function) const {
  size_t words = WordCount(function);
  ForEachDefined(function, [&](Id id) {
    for (const auto& [of, i] : Find(names_, id)) words += module_.debug_names[i].WordCount();
    for (const auto& [of, i] : Find(annotations_, id)) words += module_.annotations[i].WordCount();
  });
  return words;
}

}  // namespace trellis::spirv
