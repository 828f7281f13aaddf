// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/push_constants.h"

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/passes/memory_access.h"
#include "spirv_lowering/reflect/allocations.h"

namespace trellis::spirv {
namespace {

// Gives the block one more member: a new type, for the old one may have other uses. There is one variable of the type,
// so every pointer to the whole block is that variable, wherever it was copied or passed to.
class BlockExtension {
 public:
  BlockExtension(Module& module, Types& types, Id variable) : module_(module), types_(types), variable_(variable) {}

  Expected<LaunchMember> Run(uint32_t offset) {
    old_block_ = types_.Pointee(types_.Find(variable_)->type_id);
    const Instruction* declared = types_.Find(old_block_);
    if (declared == nullptr || declared->opcode != spv::Op::OpTypeStruct) {
      return Error{"push constant OpVariable %" + std::to_string(variable_) + ": the block is not a structure"};
    }
    members_ = declared->operands;
    const auto member = static_cast<uint32_t>(members_.size());
    Retype(ExtendedBlock(offset));
    FindAliases();
    DropParameters();
    RewriteUses();
    return LaunchMember{variable_, member};
  }

 private:
  Id ExtendedBlock(uint32_t offset) {
    std::vector<uint32_t> operands = members_;
    operands.push_back(types_.Vector(types_.Uint(), 2));
    const Id block = types_.Append(spv::Op::OpTypeStruct, kNoId, std::move(operands));
    CopyDecorations(module_, old_block_, block);
    DecorateMember(module_, block, static_cast<uint32_t>(members_.size()), spv::Decoration::Offset, {offset});
    return block;
  }

  // Pointers to the old block point to the new one.
  void Retype(Id block) {
    for (Instruction& global : module_.globals) {
      if (global.opcode != spv::Op::OpTypePointer || global.operands[1] != old_block_ ||
          static_cast<spv::StorageClass>(global.operands[0]) != spv::StorageClass::PushConstant)
        continue;
      global.operands[1] = block;
      pointer_types_.insert(global.result_id);
    }
  }

  void DropParameters() {
    for (Function& function : module_.functions) {
      std::vector<Id> kept;
      std::vector<bool>& dropped = dropped_[function.id()];
      for (const Instruction& parameter : function.parameters) {
        dropped.push_back(aliases_.contains(parameter.result_id));
        if (!dropped.back()) kept.push_back(parameter.type_id);
      }
      if (kept.size() == dropped.size()) continue;
      std::erase_if(function.parameters,
                    [this](const Instruction& parameter) { return aliases_.contains(parameter.result_id); });
      function.definition.operands[1] = types_.FunctionType(function.definition.type_id, kept);
    }
  }

  void DropArguments(Instruction& call) const {
    const auto found = dropped_.find(call.operands[0]);
    if (found == dropped_.end()) return;
    const std::vector<bool>& dropped = found->second;
    std::vector<uint32_t> operands = {call.operands[0]};
    for (size_t i = 1; i < call.operands.size(); ++i) {
      if (i > dropped.size() || !dropped[i - 1]) operands.push_back(call.operands[i]);
    }
    call.operands = std::move(operands);
  }

  // Access chains to members stay as they are; a load of the whole block becomes loads of its members.
  void RewriteUses() {
    for (Function& function : module_.functions) {
      for (BasicBlock& block : function.blocks) {
        std::vector<Instruction> body;
        body.reserve(block.body.size());
        for (Instruction& instruction : block.body) {
          // A call's other effects than the returned pointer remain.
          if (aliases_.contains(instruction.result_id) && instruction.opcode != spv::Op::OpFunctionCall) continue;
          if (instruction.opcode == spv::Op::OpFunctionCall) DropArguments(instruction);
          if (!aliases_.empty()) {
            ForEachIdOperand(instruction, [this](Id& id) {
              if (aliases_.contains(id)) id = variable_;
            });
          }
          RewriteUse(instruction, body);
        }
        block.body = std::move(body);
      }
    }
  }

  void FindAliases() {
    for (const auto& [id, type] : TypesOfResults(module_)) {
      if (pointer_types_.contains(type) && id != variable_) aliases_.insert(id);
    }
  }

  void RewriteUse(Instruction& instruction, std::vector<Instruction>& body) {
    if (instruction.opcode == spv::Op::OpLoad && instruction.operands[0] == variable_) {
      LoadMembers(instruction, body);
    } else if (instruction.opcode == spv::Op::OpCopyMemory && instruction.operands[1] == variable_) {
      SplitCopy copy = SplitCopyMemory(instruction, old_block_, module_.NewId());
      LoadMembers(copy.load, body);
      body.push_back(std::move(copy.store));
    } else {
      body.push_back(std::move(instruction));
    }
  }

  void LoadMembers(const Instruction& load, std::vector<Instruction>& body) {
    Builder builder(module_, body);
    std::vector<uint32_t> values;
    for (uint32_t member = 0; member < members_.size(); ++member) {
      const Id pointer =
          builder.Emit(spv::Op::OpAccessChain, types_.Pointer(spv::StorageClass::PushConstant, members_[member]),
                       {variable_, types_.ConstantUint(member)});
      values.push_back(builder.Emit(spv::Op::OpLoad, members_[member], {pointer}));
    }
    body.emplace_back(spv::Op::OpCompositeConstruct, load.type_id, load.result_id, std::move(values));
  }

  Module& module_;
  Types& types_;
  Id variable_;
  Id old_block_ = kNoId;
  std::vector<Id> members_;
  std::unordered_set<Id> pointer_types_;               // to the block
  std::unordered_set<Id> aliases_;                     // ids of those types, other than the variable
  std::unordered_map<Id, std::vector<bool>> dropped_;  // by function: which parameters are gone
};

}  // namespace

Id DeclareAddressBlock(Module& module, Types& types, const std::vector<uint32_t>& offsets) {
  const std::vector<uint32_t> members(offsets.size(), types.Vector(types.Uint(), 2));
  const Id block = types.Append(spv::Op::OpTypeStruct, kNoId, members);
  for (uint32_t member = 0; member < offsets.size(); ++member)
    DecorateMember(module, block, member, spv::Decoration::Offset, {offsets[member]});
  Decorate(module, block, spv::Decoration::Block);
  const Id pointer = types.Pointer(spv::StorageClass::PushConstant, block);
  return types.Append(spv::Op::OpVariable, pointer, {static_cast<uint32_t>(spv::StorageClass::PushConstant)});
}

Expected<LaunchMember> AddLaunchMember(Module& module, Types& types, uint32_t offset) {
  for (const Instruction& global : module.globals) {
    if (global.IsVariable(spv::StorageClass::PushConstant))
      return BlockExtension(module, types, global.result_id).Run(offset);
  }
  return LaunchMember{DeclareAddressBlock(module, types, {offset}), 0};
}

}  // namespace trellis::spirv
