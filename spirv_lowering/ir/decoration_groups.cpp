// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/decoration_groups.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace trellis::spirv {
namespace {

using Groups = std::unordered_map<Id, std::vector<const Instruction*>>;  // group -> its decorations

bool IsGroupUser(const Instruction& instruction) {
  return instruction.opcode == spv::Op::OpGroupDecorate || instruction.opcode == spv::Op::OpGroupMemberDecorate;
}

Groups CollectGroups(const Module& module) {
  Groups groups;
  for (const Instruction& instruction : module.annotations) {
    if (instruction.opcode == spv::Op::OpDecorationGroup) groups[instruction.result_id];
  }
  for (const Instruction& instruction : module.annotations) {
    if (IsGroupUser(instruction) || instruction.opcode == spv::Op::OpDecorationGroup) continue;
    const auto group = groups.find(instruction.operands[0]);
    if (group != groups.end()) group->second.push_back(&instruction);
  }
  return groups;
}

Instruction OnTarget(const Instruction& decoration, Id target) {
  Instruction copy = decoration;
  copy.operands[0] = target;
  return copy;
}

Instruction OnMember(const Instruction& decoration, Id type, uint32_t member) {
  Instruction copy = OnTarget(decoration, type);
  const bool text = copy.opcode == spv::Op::OpDecorateString;
  copy.opcode = text ? spv::Op::OpMemberDecorateString : spv::Op::OpMemberDecorate;
  copy.operands.insert(copy.operands.begin() + 1, member);
  return copy;
}

// Appends the decorations of its group to `result`. False if the budget is used up or the group is none.
bool Flatten(const Instruction& user, const Groups& groups, size_t& budget, std::vector<Instruction>& result) {
  const auto group = groups.find(user.operands[0]);
  if (group == groups.end()) return false;
  const bool members = user.opcode == spv::Op::OpGroupMemberDecorate;
  for (size_t i = 1; i < user.operands.size(); i += members ? 2 : 1) {
    for (const Instruction* decoration : group->second) {
      if (decoration->operands.size() + 2 > budget) return false;
      budget -= decoration->operands.size() + 2;
      result.push_back(members ? OnMember(*decoration, user.operands[i], user.operands[i + 1])
                               : OnTarget(*decoration, user.operands[i]));
    }
  }
  return true;
}

}  // namespace

Expected<void> FlattenDecorationGroups(Module& module, size_t max_added_words) {
  const auto grouped = [](const Instruction& i) { return IsGroupUser(i) || i.opcode == spv::Op::OpDecorationGroup; };
  if (std::none_of(module.annotations.begin(), module.annotations.end(), grouped)) return {};

  const Groups groups = CollectGroups(module);
  std::vector<Instruction> result;
  for (const Instruction& instruction : module.annotations) {
    if (!IsGroupUser(instruction)) {
      const bool is_group = instruction.opcode == spv::Op::OpDecorationGroup;
      if (!groups.contains(is_group ? instruction.result_id : instruction.operands[0])) result.push_back(instruction);
    } else if (!Flatten(instruction, groups, max_added_words, result)) {
      return Error{"decoration group %" + std::to_string(instruction.operands[0]) +
                   ": not an OpDecorationGroup, or its groups decorate more than a module of this size should"};
    }
  }
  module.annotations = std::move(result);
  std::erase_if(module.debug_names, [&groups](const Instruction& name) { return groups.contains(name.operands[0]); });
  return {};
}

}  // namespace trellis::spirv
