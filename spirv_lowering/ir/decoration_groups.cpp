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
    const bool decorates = !IsGroupUser(instruction) && instruction.opcode != spv::Op::OpDecorationGroup;
    if (!decorates) continue;
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

class Flattener {
 public:
  Flattener(const Groups& groups, size_t budget) : groups_(groups), budget_(budget) {}

  // False if the budget is used up or the group is none.
  bool Add(const Instruction& user) {
    const auto group = groups_.find(user.operands[0]);
    if (group == groups_.end()) return false;
    const bool members = user.opcode == spv::Op::OpGroupMemberDecorate;
    for (size_t i = 1; i < user.operands.size(); i += members ? 2 : 1) {
      for (const Instruction* decoration : group->second) {
        if (decoration->operands.size() + 2 > budget_) return false;
        budget_ -= decoration->operands.size() + 2;
        result_.push_back(members ? OnMember(*decoration, user.operands[i], user.operands[i + 1])
                                  : OnTarget(*decoration, user.operands[i]));
      }
    }
    return true;
  }

  void Keep(const Instruction& instruction) {
    if (!groups_.contains(instruction.opcode == spv::Op::OpDecorationGroup ? instruction.result_id
                                                                           : instruction.operands[0])) {
      result_.push_back(instruction);
    }
  }

  std::vector<Instruction> Take() { return std::move(result_); }

 private:
  const Groups& groups_;
  size_t budget_;
  std::vector<Instruction> result_;
};

}  // namespace

Expected<void> FlattenDecorationGroups(Module& module, size_t max_added_words) {
  const auto grouped = [](const Instruction& i) { return IsGroupUser(i) || i.opcode == spv::Op::OpDecorationGroup; };
  if (std::none_of(module.annotations.begin(), module.annotations.end(), grouped)) return {};

  const Groups groups = CollectGroups(module);
  Flattener flattener(groups, max_added_words);
  for (const Instruction& instruction : module.annotations) {
    if (!IsGroupUser(instruction)) {
      flattener.Keep(instruction);
    } else if (!flattener.Add(instruction)) {
      return Error{"decoration group %" + std::to_string(instruction.operands[0]) +
                   ": not an OpDecorationGroup, or its groups decorate more than a module of this size should"};
    }
  }
  module.annotations = flattener.Take();
  std::erase_if(module.debug_names, [&groups](const Instruction& name) { return groups.contains(name.operands[0]); });
  return {};
}

}  // namespace trellis::spirv
