// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/push_constant_memory.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/debug_references.h"
#include "spirv_lowering/passes/memory_access.h"
#include "spirv_lowering/reflect/allocations.h"

namespace trellis::spirv {
namespace {

constexpr uint32_t kLaunchMember = 0;
constexpr uint32_t kCopyMember = 1;

class Mover {
 public:
  explicit Mover(Module& module) : module_(module) {}

  Expected<LaunchMember> Run(uint32_t launch_offset, uint32_t copy_offset) {
    RetypePointers();
    CollectPointers();
    if (Expected<void> taken = TakeVariables(); !taken) return taken.error();
    Types types(module_);
    PayloadAccess access(module_, types);
    const Id block = DeclareAddressBlock(module_, types, {launch_offset, copy_offset});
    for (Function& function : module_.functions) {
      copies_.clear();
      for (BasicBlock& basic_block : function.blocks) RewriteUses(basic_block, access);
      if (!copies_.empty()) LoadCopies(types, block, function.blocks.front());
    }
    return LaunchMember{block, kLaunchMember};
  }

 private:
  // Pointers into push constants never meet pointers to anything else, so the types themselves can change.
  void RetypePointers() {
    for (Instruction& global : module_.globals) {
      if (global.opcode != spv::Op::OpTypePointer ||
          static_cast<spv::StorageClass>(global.operands[0]) != spv::StorageClass::PushConstant)
        continue;
      global.operands[0] = static_cast<uint32_t>(spv::StorageClass::PhysicalStorageBuffer);
      pointees_.emplace(global.result_id, global.operands[1]);
    }
  }

  Expected<void> TakeVariables() {
    std::unordered_set<Id> gone;
    for (const Instruction& global : module_.globals) {
      if (!global.IsVariable(spv::StorageClass::PushConstant)) continue;
      if (!pointees_.contains(global.type_id)) {
        return Error{"push constant OpVariable %" + std::to_string(global.result_id) +
                     ": the type is not a pointer to push constants"};
      }
      variables_.emplace(global.result_id, global.type_id);
      gone.insert(global.result_id);
    }
    std::erase_if(module_.globals, [&](const Instruction& global) { return variables_.contains(global.result_id); });
    RemoveDebugReferences(module_, gone);
    return {};
  }

  // The types tell what points into push constants.
  void CollectPointers() {
    for (const auto& [id, type] : TypesOfResults(module_)) {
      if (const auto pointee = pointees_.find(type); pointee != pointees_.end()) pointers_.emplace(id, pointee->second);
    }
    for (const Function& function : module_.functions) {
      for (const Instruction& parameter : function.parameters) {
        if (pointers_.contains(parameter.result_id)) address_parameters_.MakeAliased(parameter.result_id);
      }
    }
  }

  void RewriteUses(BasicBlock& block, PayloadAccess& access) {
    std::vector<Instruction> body;
    body.reserve(block.body.size());
    for (Instruction& instruction : block.body) {
      if (instruction.opcode == spv::Op::OpLoad && pointers_.contains(instruction.operands[0])) {
        access.Mark(instruction, instruction.type_id);
      } else if (instruction.opcode == spv::Op::OpCopyMemory && pointers_.contains(instruction.operands[1])) {
        const Id type = pointers_.at(instruction.operands[1]);
        SplitCopy copy = SplitCopyMemory(instruction, type, module_.NewId());
        access.Mark(copy.load, type);
        ReplaceVariables(copy.load);
        body.push_back(std::move(copy.load));
        instruction = std::move(copy.store);
      }
      ReplaceVariables(instruction);
      body.push_back(std::move(instruction));
    }
    block.body = std::move(body);
  }

  void ReplaceVariables(Instruction& instruction) {
    const std::vector<uint32_t>& operands = instruction.operands;
    if (std::none_of(operands.begin(), operands.end(), [&](Id id) { return variables_.contains(id); })) return;
    ForEachIdOperand(instruction, [&](Id& id) {
      if (!variables_.contains(id)) return;
      Id& copy = copies_.try_emplace(id, kNoId).first->second;
      if (copy == kNoId) copy = module_.NewId();
      id = copy;
    });
  }

  // Behind the function's variables: dominates everything that uses the pointers.
  void LoadCopies(Types& types, Id block, BasicBlock& first) {
    std::vector<Instruction> loads;
    Builder builder(module_, loads);
    const Id address = types.Vector(types.Uint(), 2);
    const Id member = builder.Emit(spv::Op::OpAccessChain, types.Pointer(spv::StorageClass::PushConstant, address),
                                   {block, types.ConstantUint(kCopyMember)});
    const Id value = builder.Emit(spv::Op::OpLoad, address, {member});
    for (const auto& [variable, type] : variables_) {
      if (const auto copy = copies_.find(variable); copy != copies_.end())
        loads.emplace_back(spv::Op::OpBitcast, type, copy->second, std::vector<uint32_t>{value});
    }
    const auto is_variable = [](const Instruction& instruction) { return instruction.opcode == spv::Op::OpVariable; };
    const auto place = std::find_if(first.body.rbegin(), first.body.rend(), is_variable).base();
    first.body.insert(place, std::make_move_iterator(loads.begin()), std::make_move_iterator(loads.end()));
  }

  Module& module_;
  AddressParameters address_parameters_{module_};
  std::unordered_map<Id, Id> pointees_;  // by pointer type
  std::map<Id, Id> variables_;           // the application's: id -> type
  std::unordered_map<Id, Id> pointers_;  // id -> pointee
  std::unordered_map<Id, Id> copies_;    // of the function at hand: variable -> pointer to the copy
};

}  // namespace

Expected<LaunchMember> MovePushConstantsToMemory(Module& module, uint32_t launch_offset, uint32_t copy_offset) {
  return Mover(module).Run(launch_offset, copy_offset);
}

}  // namespace trellis::spirv
