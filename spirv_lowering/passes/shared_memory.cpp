#include "spirv_lowering/passes/shared_memory.h"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/layout.h"

namespace trellis::spirv {
namespace {

constexpr uint32_t kAlignment = 16;  // of every type that the runtime has in Workgroup memory

class SharedMemory {
 public:
  explicit SharedMemory(Lowering& lowering) : module_(lowering.module), types_(lowering.types), lowering_(lowering) {}

  Expected<void> Run() {
    const std::vector<Id>& imported = lowering_.runtime.Variables();
    std::vector<Id> ours, blocks;
    for (const Instruction& global : module_.globals) {
      if (global.opcode != spv::Op::OpVariable ||
          static_cast<spv::StorageClass>(global.operands[0]) != spv::StorageClass::Workgroup)
        continue;
      if (std::count(imported.begin(), imported.end(), global.result_id) != 0)
        ours.push_back(global.result_id);
      else if (HasDecoration(module_, types_.Pointee(global.type_id), spv::Decoration::Block))
        blocks.push_back(global.result_id);
    }
    if (ours.empty() || blocks.empty()) return {};
    Expected<uint32_t> end = EndOf(blocks);
    if (!end) return end.error();
    MakeBlock(ours, (*end + kAlignment - 1) / kAlignment * kAlignment);
    for (const Id variable : blocks) DecorateAliased(variable);
    DecorateAliased(block_);
    for (Function& function : module_.functions) Rewrite(function);
    return {};
  }

 private:
  Expected<uint32_t> EndOf(const std::vector<Id>& blocks) const {
    LayoutMeter meter(module_, types_, {[this](Id id) { return lowering_.constants.Value(id); }});
    uint32_t end = 0;
    for (const Id variable : blocks) {
      const std::optional<uint32_t> size = meter.Size(types_.Pointee(types_.Find(variable)->type_id));
      // No device has as much as half of what an offset can name.
      if (!size || *size > std::numeric_limits<uint32_t>::max() / 2) {
        return Error{"Workgroup OpVariable %" + std::to_string(variable) +
                     ": the block lacks layout decorations or has no fixed size"};
      }
      end = std::max(end, *size);
    }
    return end;
  }

  void MakeBlock(const std::vector<Id>& ours, uint32_t offset) {
    std::vector<uint32_t> members;
    for (const Id variable : ours) {
      member_of_[variable] = static_cast<uint32_t>(members.size());
      members.push_back(types_.Pointee(types_.Find(variable)->type_id));
    }
    const Id type = types_.Append(spv::Op::OpTypeStruct, kNoId, members);
    Decorate(spv::Op::OpDecorate, {type, static_cast<uint32_t>(spv::Decoration::Block)});
    for (uint32_t member = 0; member < members.size(); ++member) {
      Decorate(spv::Op::OpMemberDecorate, {type, member, static_cast<uint32_t>(spv::Decoration::Offset), offset});
      const uint32_t size = types_.LaidOutSize(members[member]).value_or(kAlignment);
      offset += (size + kAlignment - 1) / kAlignment * kAlignment;
    }
    block_ = types_.Append(spv::Op::OpVariable, types_.Pointer(spv::StorageClass::Workgroup, type),
                           {static_cast<uint32_t>(spv::StorageClass::Workgroup)});
    module_.entry_points.front().operands.push_back(block_);
  }

  void Decorate(spv::Op opcode, std::vector<uint32_t> operands) {
    module_.annotations.emplace_back(opcode, kNoId, kNoId, std::move(operands));
  }
  void DecorateAliased(Id variable) {
    if (!HasDecoration(module_, variable, spv::Decoration::Aliased))
      Decorate(spv::Op::OpDecorate, {variable, static_cast<uint32_t>(spv::Decoration::Aliased)});
  }

  // Each use of one of our variables becomes one of a pointer to its member.
  void Rewrite(Function& function) {
    for (BasicBlock& block : function.blocks) {
      std::vector<Instruction> body;
      body.reserve(block.body.size());
      for (Instruction& instruction : block.body) {
        ForEachIdOperand(instruction, [&](Id& id) {
          const auto member = member_of_.find(id);
          if (member == member_of_.end()) return;
          id = Builder(module_, body)
                   .Emit(spv::Op::OpAccessChain, types_.Find(id)->type_id,
                         {block_, types_.ConstantUint(member->second)});
        });
        body.push_back(std::move(instruction));
      }
      block.body = std::move(body);
    }
  }

  Module& module_;
  Types& types_;
  Lowering& lowering_;
  Id block_ = kNoId;  // variable
  std::unordered_map<Id, uint32_t> member_of_;
};

}  // namespace

Expected<void> LayOutSharedMemory(Lowering& lowering) { return SharedMemory(lowering).Run(); }

}  // namespace trellis::spirv
