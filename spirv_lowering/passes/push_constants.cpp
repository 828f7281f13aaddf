#include "spirv_lowering/passes/push_constants.h"

#include <algorithm>
#include <string>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/debug_references.h"

namespace trellis::spirv {
namespace {

void DecorateOffset(Module& module, Id block, uint32_t member, uint32_t offset) {
  module.annotations.emplace_back(
      spv::Op::OpMemberDecorate, kNoId, kNoId,
      std::vector<uint32_t>{block, member, static_cast<uint32_t>(spv::Decoration::Offset), offset});
}

// Copies what is said about id `from` to `to`.
void CopyAbout(std::vector<Instruction>& section, Id from, Id to) {
  const size_t count = section.size();
  for (size_t i = 0; i < count; ++i) {
    if (section[i].operands.empty() || section[i].operands[0] != from) continue;
    Instruction copy = section[i];
    copy.operands[0] = to;
    section.push_back(std::move(copy));
  }
}

// The block with one more member. A new type, for the old one may have other uses.
class BlockCopy {
 public:
  BlockCopy(Module& module, Types& types, Id variable) : module_(module), types_(types), variable_(variable) {}

  Expected<LaunchMember> Run(uint32_t offset) {
    const Instruction* variable = types_.Find(variable_);
    const Id old_block = types_.Pointee(variable->type_id);
    const Instruction* declared = types_.Find(old_block);
    if (declared == nullptr || declared->opcode != spv::Op::OpTypeStruct) return Refuse("the block is not a structure");
    members_ = declared->operands;
    const auto member = static_cast<uint32_t>(members_.size());
    std::vector<uint32_t> operands = members_;
    operands.push_back(types_.Vector(types_.Uint(), 2));
    const Id block = types_.Append(spv::Op::OpTypeStruct, kNoId, std::move(operands));
    CopyAbout(module_.annotations, old_block, block);
    CopyAbout(module_.debug_names, old_block, block);
    DecorateOffset(module_, block, member, offset);
    const Id pointer = types_.Pointer(spv::StorageClass::PushConstant, block);
    for (Instruction& global : module_.globals) {
      if (global.result_id == variable_) global.type_id = pointer;
    }
    if (Expected<void> rewritten = RewriteUses(old_block); !rewritten) return rewritten.error();
    return LaunchMember{variable_, member};
  }

 private:
  Error Refuse(const char* why) const {
    return Error{"push constant OpVariable %" + std::to_string(variable_) + ": " + why};
  }

  // Access chains to members stay as they are; a load of the whole block becomes loads of its members.
  Expected<void> RewriteUses(Id old_block) {
    const std::unordered_set<Id> debug_imports = NonSemanticImports(module_);
    for (Function& function : module_.functions) {
      for (BasicBlock& block : function.blocks) {
        std::vector<Instruction> body;
        body.reserve(block.body.size());
        for (Instruction& instruction : block.body) {
          const bool member =
              instruction.opcode == spv::Op::OpAccessChain || instruction.opcode == spv::Op::OpInBoundsAccessChain;
          if (!UsesVariable(instruction) || (member && instruction.operands.size() > 1) ||
              IsNonSemantic(instruction, debug_imports)) {
            body.push_back(std::move(instruction));
          } else if (instruction.opcode == spv::Op::OpLoad && instruction.type_id == old_block) {
            LoadMembers(instruction, body);
          } else {
            return Refuse((OpcodeName(instruction.opcode) + " uses the block as a whole: not supported").c_str());
          }
        }
        block.body = std::move(body);
      }
    }
    return {};
  }

  [[nodiscard]] bool UsesVariable(const Instruction& instruction) const {
    if (std::find(instruction.operands.begin(), instruction.operands.end(), variable_) == instruction.operands.end())
      return false;
    bool uses = false;
    ForEachIdOperand(instruction, 1, [&](Id id) { uses = uses || id == variable_; });
    return uses;
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
  std::vector<Id> members_;
};

}  // namespace

Expected<LaunchMember> AddLaunchMember(Module& module, Types& types, uint32_t offset) {
  for (const Instruction& global : module.globals) {
    if (global.opcode == spv::Op::OpVariable &&
        global.operands[0] == static_cast<uint32_t>(spv::StorageClass::PushConstant)) {
      return BlockCopy(module, types, global.result_id).Run(offset);
    }
  }
  const Id block = types.Append(spv::Op::OpTypeStruct, kNoId, {types.Vector(types.Uint(), 2)});
  DecorateOffset(module, block, 0, offset);
  module.annotations.emplace_back(spv::Op::OpDecorate, kNoId, kNoId,
                                  std::vector<uint32_t>{block, static_cast<uint32_t>(spv::Decoration::Block)});
  const Id pointer = types.Pointer(spv::StorageClass::PushConstant, block);
  return LaunchMember{
      types.Append(spv::Op::OpVariable, pointer, {static_cast<uint32_t>(spv::StorageClass::PushConstant)}), 0};
}

}  // namespace trellis::spirv
