// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/reflect/allocations.h"

#include <algorithm>
#include <optional>
#include <span>

#include "spirv_lowering/reflect/commit.h"

namespace trellis::spirv {
namespace {

void AddTypes(const std::vector<Instruction>& instructions, TypeMap& type_of) {
  for (const Instruction& instruction : instructions) {
    if (instruction.type_id != kNoId && instruction.result_id != kNoId)
      type_of[instruction.result_id] = instruction.type_id;
  }
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
                     const TypeMap& type_of, const std::unordered_map<Id, uint32_t>& number_of, Outputs& outputs) {
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
      if (fate.exactly_once || (fate.never_enqueued && types.LaidOutSize(types.ElementType(array_type, 0)) == 0u))
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

void AddTypesOfResults(const Function& function, TypeMap& type_of) {
  AddTypes(function.parameters, type_of);
  for (const BasicBlock& block : function.blocks) AddTypes(block.body, type_of);
}

TypeMap TypesOfResults(const Module& module) {
  TypeMap type_of;
  AddTypes(module.globals, type_of);
  for (const Function& function : module.functions) AddTypesOfResults(function, type_of);
  return type_of;
}

Id PayloadArrayTypeOf(const Types& types, const TypeMap& type_of, Id operand) {
  Id type = TypeOf(type_of, operand);
  if (type == kNoId) type = operand;
  if (types.IsPointer(type)) type = types.Pointee(type);
  return types.Is(type, spv::Op::OpTypeNodePayloadArrayAMDX) ? type : kNoId;
}

Outputs FindOutputs(const Module& module, const Types& types, const DefUse& def_use) {
  const TypeMap type_of = TypesOfResults(module);
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
