// SPDX-License-Identifier: Apache-2.0
// Taking things out of a module together with the debug information that speaks of them.
#pragma once

#include <unordered_set>

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// Ids of the imports whose instructions mean nothing for execution (SPV_KHR_non_semantic_info).
[[nodiscard]] std::unordered_set<Id> NonSemanticImports(const Module& module);

// True for an OpExtInst of one of those imports.
[[nodiscard]] bool IsNonSemantic(const Instruction& instruction, const std::unordered_set<Id>& imports);

// Calls visit(instruction) for each of them.
template <typename Visitor>
void ForEachNonSemantic(const Module& module, const std::unordered_set<Id>& imports, Visitor&& visit) {
  const auto visit_all = [&](const std::vector<Instruction>& body) {
    for (const Instruction& instruction : body) {
      if (IsNonSemantic(instruction, imports)) visit(instruction);
    }
  };
  visit_all(module.globals);
  for (const Function& function : module.functions) {
    for (const BasicBlock& block : function.blocks) visit_all(block.body);
  }
}

// Removes every non-semantic instruction that refers to an id in `gone`, then those that refer to the removed ones, and
// so on; then the names and decorations of all of them. `gone` grows by the ids removed here.
void RemoveDebugReferences(Module& module, std::unordered_set<Id>& gone);

}  // namespace trellis::spirv
