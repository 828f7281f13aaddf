#include "spirv_lowering/reflect/input_writes.h"

#include <algorithm>
#include <unordered_set>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/debug_references.h"

namespace trellis::spirv {
namespace {

bool HoldsHandle(const Types& types, Id type) {
  const Instruction* found = types.Find(type);
  return found != nullptr && found->opcode == spv::Op::OpTypeNodePayloadArrayAMDX;
}

// Names one of `pointers` among its id operands. Words are compared first: most instructions name none.
bool Names(const Instruction& instruction, const std::unordered_set<Id>& pointers) {
  const auto is_one = [&](uint32_t word) { return pointers.contains(word); };
  if (std::none_of(instruction.operands.begin(), instruction.operands.end(), is_one)) return false;
  bool named = false;
  ForEachIdOperand(instruction, 1, [&](Id id) { named = named || is_one(id); });
  return named;
}

}  // namespace

bool WritesInput(const Module& module, const Types& types, Id input) {
  const std::unordered_set<Id> debug_imports = NonSemanticImports(module);
  std::unordered_set<Id> derived = {input};
  for (const Function& function : module.functions) {
    for (const BasicBlock& block : function.blocks) {
      for (const Instruction& instruction : block.body) {
        const auto uses = [&](size_t i) { return derived.contains(instruction.operands[i]); };
        switch (instruction.opcode) {
          case spv::Op::OpNodePayloadArrayLengthAMDX:
          case spv::Op::OpIsNodePayloadValidAMDX:
            break;
          case spv::Op::OpLoad:
            if (uses(0) && HoldsHandle(types, instruction.type_id)) return true;
            break;
          case spv::Op::OpAccessChain:
          case spv::Op::OpInBoundsAccessChain:
          case spv::Op::OpCopyObject:
            if (uses(0)) derived.insert(instruction.result_id);
            break;
          case spv::Op::OpCopyMemory:
            if (uses(0)) return true;
            break;
          default:
            if (!IsNonSemantic(instruction, debug_imports) && Names(instruction, derived)) return true;
        }
      }
    }
  }
  return false;
}

}  // namespace trellis::spirv
