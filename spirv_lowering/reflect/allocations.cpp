// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/reflect/allocations.h"

#include <algorithm>
#include <optional>
#include <span>

#include "spirv_lowering/reflect/commit.h"

namespace trellis::spirv {
namespace {

bool IsEmptyPayload(const Types& types, Id array_type) {
  const Instruction* array = types.Find(array_type);
  return array != nullptr && types.LaidOutSize(array->operands[0]) == 0u;
}

// Values that are 0 or 1 by their form.
class SmallValues {
 public:
  SmallValues(const Function& function, const DefUse& def_use, const Types& types) : def_use_(def_use), types_(types) {
    for (const BasicBlock& block : function.blocks)
      for (const Instruction& instruction : block.body)
        if (instruction.opcode == spv::Op::OpSelect || instruction.opcode == spv::Op::OpLoad ||
            instruction.opcode == spv::Op::OpVariable)
          definitions_[instruction.result_id] = &instruction;
  }

  [[nodiscard]] bool AtMostOne(Id value) { return AtMostOne(value, kMaxSteps); }

 private:
  static constexpr uint32_t kMaxSteps = 4;

  [[nodiscard]] bool AtMostOne(Id value, uint32_t steps) {
    if (const auto constant = types_.ConstantValue(value)) return *constant <= 1;
    const auto found = definitions_.find(value);
    if (found == definitions_.end() || steps == 0) return false;
    const std::vector<uint32_t>& operands = found->second->operands;
    switch (found->second->opcode) {
      case spv::Op::OpSelect:
        return AtMostOne(operands[1], steps - 1) && AtMostOne(operands[2], steps - 1);
      case spv::Op::OpLoad:
        return HoldsAtMostOne(operands[0], steps - 1);
      default:
        return false;
    }
  }

  // A variable of the function that is loaded and stored as a whole, and nothing else. Each is looked at once.
  [[nodiscard]] bool HoldsAtMostOne(Id variable, uint32_t steps) {
    if (variables_.try_emplace(variable, false).second) variables_[variable] = StoresAtMostOne(variable, steps);
    return variables_[variable];
  }
  [[nodiscard]] bool StoresAtMostOne(Id variable, uint32_t steps) {
    const auto found = definitions_.find(variable);
    if (found == definitions_.end() || found->second->opcode != spv::Op::OpVariable) return false;
    const std::vector<uint32_t>& operands = found->second->operands;
    if (operands.size() > 1 && !AtMostOne(operands[1], steps)) return false;
    const std::span<const DefUse::Use> uses = def_use_.Of(variable);
    return std::all_of(uses.begin(), uses.end(), [&](const DefUse::Use& use) {
      const Instruction& user = def_use_.UserOf(use);
      if (user.opcode == spv::Op::OpLoad) return true;
      return user.opcode == spv::Op::OpStore && use.operand == 0 && AtMostOne(user.operands[1], steps);
    });
  }

  const DefUse& def_use_;
  const Types& types_;
  std::unordered_map<Id, const Instruction*> definitions_;
  std::unordered_map<Id, bool> variables_;
};

void FindAllocations(const Function& function, const DefUse& def_use, Id entry_function, const Types& types,
                     const std::unordered_map<Id, Id>& type_of, const std::unordered_map<Id, uint32_t>& number_of,
                     Outputs& outputs) {
  std::unordered_map<Id, HandleFate> fates;
  std::optional<SmallValues> values;
  for (const BasicBlock& block : function.blocks) {
    for (const Instruction& instruction : block.body) {
      if (instruction.opcode != spv::Op::OpAllocateNodePayloadsAMDX) continue;
      if (!values) {
        fates = FindHandleFates(function, def_use);
        values.emplace(function, def_use, types);
      }
      const HandleFate& fate = fates[instruction.result_id];
      const Id array_type = PayloadArrayTypeOf(types, type_of, instruction.result_id);
      const auto number = number_of.find(array_type);
      Allocation allocation{&instruction, number == number_of.end() ? kNoOutput : number->second, Commit::kAtEnqueue};
      if (fate.exactly_once || (fate.never_enqueued && IsEmptyPayload(types, array_type)))
        allocation.commit = Commit::kAtAllocation;
      // Other functions may be called again and again.
      allocation.runs_once = fate.runs_once && function.id() == entry_function;
      allocation.at_most_one = values->AtMostOne(instruction.operands[1]);
      outputs.committed_enqueues.insert(fate.enqueues.begin(), fate.enqueues.end());
      outputs.allocations.emplace(instruction.result_id, allocation);
    }
  }
}

}  // namespace

std::unordered_map<Id, Id> TypesOfResults(const Module& module) {
  std::unordered_map<Id, Id> type_of;
  const auto note = [&](const Instruction& instruction) {
    if (instruction.result_id != kNoId && instruction.type_id != kNoId)
      type_of[instruction.result_id] = instruction.type_id;
  };
  std::for_each(module.globals.begin(), module.globals.end(), note);
  for (const Function& function : module.functions) {
    std::for_each(function.parameters.begin(), function.parameters.end(), note);
    for (const BasicBlock& block : function.blocks) std::for_each(block.body.begin(), block.body.end(), note);
  }
  return type_of;
}

Id PayloadArrayTypeOf(const Types& types, const std::unordered_map<Id, Id>& type_of, Id operand) {
  const auto typed = type_of.find(operand);
  const Instruction* type = types.Find(typed == type_of.end() ? operand : typed->second);
  if (type != nullptr && type->opcode == spv::Op::OpTypePointer) type = types.Find(type->operands[1]);
  return type != nullptr && type->opcode == spv::Op::OpTypeNodePayloadArrayAMDX ? type->result_id : kNoId;
}

Outputs FindOutputs(const Module& module, const Types& types, const DefUse& def_use) {
  const std::unordered_map<Id, Id> type_of = TypesOfResults(module);
  std::unordered_set<Id> used;
  Outputs outputs;
  for (const Function& function : module.functions) {
    for (const BasicBlock& block : function.blocks) {
      for (const Instruction& instruction : block.body) {
        if (instruction.opcode == spv::Op::OpAllocateNodePayloadsAMDX)
          used.insert(PayloadArrayTypeOf(types, type_of, instruction.result_id));
        if (instruction.opcode == spv::Op::OpIsNodePayloadValidAMDX) {
          const Id array = PayloadArrayTypeOf(types, type_of, instruction.operands[0]);
          used.insert(array);
          outputs.asked_indices.emplace(array, instruction.operands[1]);
        }
      }
    }
  }
  std::unordered_map<Id, uint32_t> number_of;
  for (const Instruction& global : module.globals) {
    if (global.opcode != spv::Op::OpTypeNodePayloadArrayAMDX || !used.contains(global.result_id)) continue;
    number_of[global.result_id] = static_cast<uint32_t>(outputs.array_types.size());
    outputs.array_types.push_back(global.result_id);
  }
  const Id entry_function = module.entry_points.front().operands[1];
  for (const Function& function : module.functions)
    FindAllocations(function, def_use, entry_function, types, type_of, number_of, outputs);
  return outputs;
}

}  // namespace trellis::spirv
