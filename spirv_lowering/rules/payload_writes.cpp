#include "spirv_lowering/rules/payload_writes.h"

#include <unordered_set>

#include "spirv_lowering/grammar/grammar.h"

namespace trellis::spirv {
namespace {

bool IsWriteThrough(const Instruction& instruction, const std::unordered_set<Id>& derived) {
  if (instruction.operands.empty() || !derived.contains(instruction.operands[0])) return false;
  if (instruction.opcode == spv::Op::OpStore || instruction.opcode == spv::Op::OpCopyMemory) return true;
  return instruction.opcode != spv::Op::OpAtomicLoad && OpcodeName(instruction.opcode).starts_with("OpAtomic");
}

}  // namespace

std::optional<PayloadWrite> FindPayloadWrite(const RuleContext& context, const EntryPointFacts& entry) {
  std::unordered_set<Id> derived = {entry.input};
  for (const Function& function : context.module().functions) {
    if (!entry.functions.contains(function.id())) continue;
    for (const BasicBlock& block : function.blocks) {
      for (size_t i = 0; i < block.body.size(); ++i) {
        const Instruction& instruction = block.body[i];
        const bool derives = instruction.opcode == spv::Op::OpAccessChain ||
                             instruction.opcode == spv::Op::OpInBoundsAccessChain ||
                             instruction.opcode == spv::Op::OpCopyObject;
        if (derives && derived.contains(instruction.operands[0])) derived.insert(instruction.result_id);
        if (IsWriteThrough(instruction, derived)) return PayloadWrite{context.lines().At(block, i)};
      }
    }
  }
  return std::nullopt;
}

}  // namespace trellis::spirv
