#include "spirv_lowering/reflect/variable_writes.h"

#include <algorithm>
#include <unordered_map>
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

class VariableUses {
 public:
  VariableUses(const Module& module, const Types& types, Id variable)
      : module_(module), types_(types), debug_imports_(NonSemanticImports(module)), derived_{variable} {
    for (const Function& function : module.functions) functions_.emplace(function.id(), &function);
  }

  bool Write() {
    // A function's parameters may turn out to be derived after its body was looked at.
    for (size_t before = 0; before != derived_.size();) {
      before = derived_.size();
      for (const Function& function : module_.functions) {
        for (const BasicBlock& block : function.blocks) {
          if (std::any_of(block.body.begin(), block.body.end(), [this](const Instruction& i) { return Writes(i); }))
            return true;
        }
      }
    }
    return false;
  }

 private:
  bool Writes(const Instruction& instruction) {
    const std::vector<uint32_t>& operands = instruction.operands;
    const auto uses = [&](size_t i) { return derived_.contains(operands[i]); };
    switch (instruction.opcode) {
      case spv::Op::OpNodePayloadArrayLengthAMDX:
      case spv::Op::OpIsNodePayloadValidAMDX:
        return false;
      case spv::Op::OpLoad:
        return uses(0) && HoldsHandle(types_, instruction.type_id);
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
      case spv::Op::OpCopyObject:
        if (uses(0)) derived_.insert(instruction.result_id);
        return false;
      case spv::Op::OpCopyMemory:
        return uses(0);
      case spv::Op::OpFunctionCall: {
        const Function& callee = *functions_.at(operands[0]);
        for (size_t i = 1; i < operands.size(); ++i) {
          if (uses(i)) derived_.insert(callee.parameters[i - 1].result_id);
        }
        return false;
      }
      default:
        return !IsNonSemantic(instruction, debug_imports_) && Names(instruction, derived_);
    }
  }

  const Module& module_;
  const Types& types_;
  const std::unordered_set<Id> debug_imports_;
  std::unordered_set<Id> derived_;
  std::unordered_map<Id, const Function*> functions_;
};

}  // namespace

bool WritesVariable(const Module& module, const Types& types, Id variable) {
  return VariableUses(module, types, variable).Write();
}

}  // namespace trellis::spirv
