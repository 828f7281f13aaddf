// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/debug_references.h"

#include <unordered_map>
#include <vector>

namespace trellis::spirv {

std::unordered_set<Id> NonSemanticImports(const Module& module) {
  std::unordered_set<Id> imports;
  for (const Instruction& import : module.ext_inst_imports) {
    if (DecodeString(import.operands.data(), import.operands.size()).starts_with("NonSemantic."))
      imports.insert(import.result_id);
  }
  return imports;
}

bool IsNonSemantic(const Instruction& instruction, const std::unordered_set<Id>& imports) {
  return IsExtInst(instruction.opcode) && imports.contains(instruction.operands[0]);
}

void RemoveDebugReferences(Module& module, std::unordered_set<Id>& gone) {
  const std::unordered_set<Id> imports = NonSemanticImports(module);
  std::unordered_map<Id, std::vector<Id>> users;  // so that removal spreads in linear time
  std::vector<Id> pending;
  ForEachNonSemantic(module, imports, [&](const Instruction& instruction) {
    bool refers_to_gone = gone.contains(instruction.type_id);
    // operands[1] is the instruction's number; every operand of a non-semantic instruction is an id.
    for (size_t i = 2; i < instruction.operands.size(); ++i) {
      users[instruction.operands[i]].push_back(instruction.result_id);
      refers_to_gone = refers_to_gone || gone.contains(instruction.operands[i]);
    }
    if (refers_to_gone) pending.push_back(instruction.result_id);
  });
  while (!pending.empty()) {
    const Id id = pending.back();
    pending.pop_back();
    if (!gone.insert(id).second) continue;
    const auto found = users.find(id);
    if (found != users.end()) pending.insert(pending.end(), found->second.begin(), found->second.end());
  }
  const auto removed = [&](const Instruction& i) { return IsNonSemantic(i, imports) && gone.contains(i.result_id); };
  std::erase_if(module.globals, removed);
  for (Function& function : module.functions) {
    for (BasicBlock& block : function.blocks) std::erase_if(block.body, removed);
  }
  const auto about_gone = [&](const Instruction& i) { return gone.contains(i.operands[0]); };
  std::erase_if(module.debug_names, about_gone);
  std::erase_if(module.annotations, about_gone);
}

}  // namespace trellis::spirv
