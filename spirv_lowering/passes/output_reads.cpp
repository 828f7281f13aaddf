#include "spirv_lowering/passes/output_reads.h"

#include <unordered_set>

namespace trellis::spirv {

bool ReadsOutputs(const Function& function, const HandleTypes& handle_types, const std::unordered_map<Id, Id>& type_of,
                  Id input) {
  std::unordered_set<Id> of_input = {input};
  const auto type_or_none = [&](Id id) {
    const auto type = type_of.find(id);
    return type == type_of.end() ? kNoId : type->second;
  };
  const auto may_be_output = [&](Id id) {
    return handle_types.IsPayloadPointer(type_or_none(id)) && !of_input.contains(id);
  };
  for (const BasicBlock& block : function.blocks) {
    for (const Instruction& instruction : block.body) {
      const std::vector<uint32_t>& operands = instruction.operands;
      size_t first = 0;
      switch (instruction.opcode) {
        case spv::Op::OpAccessChain:
        case spv::Op::OpInBoundsAccessChain:
        case spv::Op::OpCopyObject:
          if (of_input.contains(operands[0])) of_input.insert(instruction.result_id);
          continue;
        // Only the place written to, the first operand of these, is harmless; a whole array is copied out of another.
        case spv::Op::OpStore:
        case spv::Op::OpCopyMemory:
          if (handle_types.IsHandleByPointer(type_or_none(operands[0]))) return true;
          first = 1;
          break;
        default:
          break;
      }
      // A word that is no id makes this more careful, no more.
      for (size_t i = first; i < operands.size(); ++i) {
        if (may_be_output(operands[i])) return true;
      }
    }
  }
  return false;
}

}  // namespace trellis::spirv
