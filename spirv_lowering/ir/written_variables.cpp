#include "spirv_lowering/ir/written_variables.h"

#include <unordered_map>

#include "spirv_lowering/ir/debug_references.h"
#include "spirv_lowering/ir/literal_widths.h"

namespace trellis::spirv {
namespace {

bool IsChain(const Instruction& instruction) {
  return instruction.opcode == spv::Op::OpAccessChain || instruction.opcode == spv::Op::OpInBoundsAccessChain;
}

// Whether a pointer as this one of the ids among the operands leaves its target as it is.
bool OnlyReads(const Instruction& instruction, uint32_t number) {
  switch (instruction.opcode) {
    case spv::Op::OpLoad:
      return number == 0;
    case spv::Op::OpCopyMemory:
    case spv::Op::OpCopyMemorySized:
      return number == 1;
    default:
      return number == 0 && IsChain(instruction);
  }
}

}  // namespace

std::unordered_set<Id> FindWritten(const Module& module, const std::unordered_set<Id>& variables) {
  if (variables.empty()) return {};
  std::unordered_map<Id, Id> variable_of;  // of pointers
  for (const Id variable : variables) variable_of.emplace(variable, variable);
  const LiteralWidths widths(module);
  const std::unordered_set<Id> debug = NonSemanticImports(module);
  std::unordered_set<Id> written;
  const auto look = [&](const Instruction& instruction) {
    if (IsNonSemantic(instruction, debug)) return;
    uint32_t number = 0;
    ForEachIdOperand(instruction, widths, [&](Id id) {
      const uint32_t own = number++;
      const auto found = variable_of.find(id);
      if (found == variable_of.end()) return;
      const Id variable = found->second;
      if (!OnlyReads(instruction, own)) written.insert(variable);
      if (IsChain(instruction)) variable_of.emplace(instruction.result_id, variable);
    });
  };
  // Blocks stand behind those that dominate them, so a chain is seen before its uses.
  for (const Function& function : module.functions)
    for (const BasicBlock& block : function.blocks)
      for (const Instruction& instruction : block.body) look(instruction);
  return written;
}

}  // namespace trellis::spirv
