// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/debug_references.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace trellis::spirv {
namespace {

constexpr std::string_view kNonSemanticPrefix = "NonSemantic.";

// Users of each non-semantic result, so that removal spreads in linear time.
class DebugGraph {
 public:
  DebugGraph(Module& module, std::unordered_set<Id>& gone)
      : module_(module), gone_(gone), imports_(NonSemanticImports(module)) {
    ForEachBody([this](std::vector<Instruction>& body) {
      for (const Instruction& instruction : body) AddUses(instruction);
    });
  }

  void Remove() {
    while (!pending_.empty()) {
      const Id id = pending_.back();
      pending_.pop_back();
      if (!gone_.insert(id).second) continue;
      const auto users = users_.find(id);
      if (users != users_.end()) pending_.insert(pending_.end(), users->second.begin(), users->second.end());
    }
    ForEachBody([this](std::vector<Instruction>& body) {
      std::erase_if(body,
                    [this](const Instruction& i) { return IsNonSemantic(i, imports_) && gone_.contains(i.result_id); });
    });
    const auto about_gone = [this](const Instruction& i) { return gone_.contains(i.operands[0]); };
    std::erase_if(module_.debug_names, about_gone);
    std::erase_if(module_.annotations, about_gone);
  }

 private:
  template <typename Visitor>
  void ForEachBody(Visitor&& visit) {
    visit(module_.globals);
    for (Function& function : module_.functions) {
      for (BasicBlock& block : function.blocks) visit(block.body);
    }
  }

  void AddUses(const Instruction& instruction) {
    if (!IsNonSemantic(instruction, imports_)) return;
    bool refers_to_gone = gone_.contains(instruction.type_id);
    // operands[1] is the instruction's number; every operand of a non-semantic instruction is an id.
    for (size_t i = 2; i < instruction.operands.size(); ++i) {
      users_[instruction.operands[i]].push_back(instruction.result_id);
      refers_to_gone = refers_to_gone || gone_.contains(instruction.operands[i]);
    }
    if (refers_to_gone) pending_.push_back(instruction.result_id);
  }

  Module& module_;
  std::unordered_set<Id>& gone_;
  std::unordered_set<Id> imports_;
  std::unordered_map<Id, std::vector<Id>> users_;
  std::vector<Id> pending_;
};

}  // namespace

std::unordered_set<Id> NonSemanticImports(const Module& module) {
  std::unordered_set<Id> imports;
  for (const Instruction& import : module.ext_inst_imports) {
    if (DecodeString(import.operands.data(), import.operands.size()).starts_with(kNonSemanticPrefix))
      imports.insert(import.result_id);
  }
  return imports;
}

bool IsNonSemantic(const Instruction& instruction, const std::unordered_set<Id>& imports) {
  const bool ext_inst =
      instruction.opcode == spv::Op::OpExtInst || instruction.opcode == spv::Op::OpExtInstWithForwardRefsKHR;
  return ext_inst && imports.contains(instruction.operands[0]);
}

void RemoveDebugReferences(Module& module, std::unordered_set<Id>& gone) { DebugGraph(module, gone).Remove(); }

}  // namespace trellis::spirv
