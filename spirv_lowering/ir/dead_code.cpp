// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/dead_code.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/built_ins.h"
#include "spirv_lowering/ir/debug_references.h"

namespace trellis::spirv {
namespace {

// What debug information may keep alive: it numbers lines and sizes with constants, and its own type is void.
bool IsPlain(const Instruction& global) {
  switch (global.opcode) {
    case spv::Op::OpTypeVoid:
    case spv::Op::OpConstant:
    case spv::Op::OpConstantTrue:
    case spv::Op::OpConstantFalse:
      return true;
    default:
      return false;
  }
}

// Finds what is live. Afterwards `Live` answers for global instructions and functions.
class Marker {
 public:
  explicit Marker(const Module& module) : module_(module), non_semantic_(NonSemanticImports(module)) {
    for (const Instruction& global : module.globals) {
      if (global.result_id != kNoId) globals_.emplace(global.result_id, &global);
    }
    for (const Function& function : module.functions) functions_.emplace(function.id(), &function);
    for (const Instruction& annotation : module.annotations) {
      if (annotation.opcode == spv::Op::OpDecorateId) id_decorations_[annotation.operands[0]].push_back(&annotation);
    }
  }

  void Run(Id keep) {
    if (keep != kNoId) Mark(keep);
    for (const Instruction& entry_point : module_.entry_points) {
      Mark(entry_point.operands[1]);
      MarkOutputs(entry_point);
    }
    for (const BuiltInTarget& found : FindBuiltIns(module_)) {
      if (found.built_in == spv::BuiltIn::WorkgroupSize && !found.member) Mark(found.target);
    }
    Drain();
    for (const Instruction& mode : module_.execution_modes) {
      if (Live(mode.operands[0])) MarkOperands(mode);
    }
    for (const Instruction& global : module_.globals) MarkForDebug(global);
    for (const Function& function : module_.functions) {
      if (!Live(function.id())) continue;
      for (const BasicBlock& block : function.blocks) {
        for (const Instruction& instruction : block.body) MarkForDebug(instruction);
      }
    }
    Drain();
  }

  bool Live(Id id) const { return live_.contains(id); }
  bool NonSemantic(const Instruction& instruction) const { return IsNonSemantic(instruction, non_semantic_); }

 private:
  void Mark(Id id) {
    if (id != kNoId && live_.insert(id).second) pending_.push_back(id);
  }

  void MarkOutputs(const Instruction& entry_point) {
    for (size_t i = InterfaceStart(entry_point); i < entry_point.operands.size(); ++i) {
      const auto variable = globals_.find(entry_point.operands[i]);
      if (variable != globals_.end() && variable->second->IsVariable(spv::StorageClass::Output)) Mark(variable->first);
    }
  }

  void MarkOperands(const Instruction& instruction) {
    Mark(instruction.type_id);
    ForEachIdOperand(instruction, [this](Id id) { Mark(id); });
  }

  void MarkForDebug(const Instruction& instruction) {
    if (!NonSemantic(instruction)) return;
    Mark(instruction.type_id);
    for (size_t i = 2; i < instruction.operands.size(); ++i) {
      const auto global = globals_.find(instruction.operands[i]);
      if (global != globals_.end() && IsPlain(*global->second)) Mark(global->first);
    }
  }

  void MarkFunction(const Function& function) {
    MarkOperands(function.definition);
    for (const Instruction& parameter : function.parameters) Expand(parameter);
    for (const BasicBlock& block : function.blocks) {
      for (const Instruction& instruction : block.body) {
        if (!NonSemantic(instruction)) Expand(instruction);
      }
    }
  }

  // What a live instruction needs, its decorations' ids included.
  void Expand(const Instruction& instruction) {
    MarkOperands(instruction);
    ExpandDecorations(instruction.result_id);
  }

  void ExpandDecorations(Id id) {
    const auto decorations = id_decorations_.find(id);
    if (decorations == id_decorations_.end()) return;
    for (const Instruction* decoration : decorations->second) MarkOperands(*decoration);
  }

  void Drain() {
    while (!pending_.empty()) {
      const Id id = pending_.back();
      pending_.pop_back();
      if (const auto global = globals_.find(id); global != globals_.end()) {
        Expand(*global->second);
      } else if (const auto function = functions_.find(id); function != functions_.end()) {
        MarkFunction(*function->second);
        ExpandDecorations(id);
      }
    }
  }

  const Module& module_;
  std::unordered_set<Id> non_semantic_;
  std::unordered_map<Id, const Instruction*> globals_;
  std::unordered_map<Id, const Function*> functions_;
  std::unordered_map<Id, std::vector<const Instruction*>> id_decorations_;
  std::unordered_set<Id> live_;
  std::vector<Id> pending_;
};

void RemoveDead(Module& module, Id keep) {
  Marker marker(module);
  marker.Run(keep);
  for (Instruction& entry_point : module.entry_points) {
    auto& words = entry_point.operands;
    const auto interface = words.begin() + static_cast<std::ptrdiff_t>(InterfaceStart(entry_point));
    words.erase(std::remove_if(interface, words.end(), [&marker](Id id) { return !marker.Live(id); }), words.end());
  }
  std::erase_if(module.execution_modes, [&marker](const Instruction& mode) { return !marker.Live(mode.operands[0]); });
  std::erase_if(module.functions, [&marker](const Function& function) { return !marker.Live(function.id()); });
  std::erase_if(module.globals, [&marker](const Instruction& global) {
    if (IsLine(global.opcode)) return true;
    if (marker.NonSemantic(global)) return false;
    return !marker.Live(global.opcode == spv::Op::OpTypeForwardPointer ? global.operands[0] : global.result_id);
  });
}

std::unordered_set<Id> DefinedIds(const Module& module) {
  std::unordered_set<Id> ids;
  for (const auto* section : {&module.ext_inst_imports, &module.debug_sources, &module.annotations, &module.globals}) {
    for (const Instruction& instruction : *section) ids.insert(instruction.result_id);
  }
  for (const Function& function : module.functions) ForEachDefined(function, [&](Id id) { ids.insert(id); });
  return ids;
}

// Debug information, names and decorations of ids that nothing defines. True if debug information went.
bool RemoveDangling(Module& module) {
  const std::unordered_set<Id> defined = DefinedIds(module);
  std::unordered_set<Id> gone;
  ForEachNonSemantic(module, NonSemanticImports(module), [&](const Instruction& instruction) {
    for (size_t i = 2; i < instruction.operands.size(); ++i) {
      if (!defined.contains(instruction.operands[i])) gone.insert(instruction.operands[i]);
    }
  });
  const bool removed = !gone.empty();
  if (removed) RemoveDebugReferences(module, gone);
  const auto dangling = [&defined](const Instruction& i) {
    if (i.opcode == spv::Op::OpDecorationGroup) return false;
    bool complete = defined.contains(i.operands[0]);
    if (i.opcode == spv::Op::OpDecorateId)
      ForEachIdOperand(i, [&](Id id) { complete = complete && defined.contains(id); });
    return !complete;
  };
  std::erase_if(module.debug_names, dangling);
  std::erase_if(module.annotations, dangling);
  return removed;
}

void RemoveUnusedImports(Module& module) {
  std::unordered_set<Id> unused = NonSemanticImports(module);
  const std::unordered_set<Id> imports = unused;
  ForEachNonSemantic(module, imports,
                     [&unused](const Instruction& instruction) { unused.erase(instruction.operands[0]); });
  std::erase_if(module.ext_inst_imports,
                [&unused](const Instruction& import) { return unused.contains(import.result_id); });
}

}  // namespace

Expected<void> KeepEntryPoint(Module& module, std::string_view name, spv::ExecutionModel model) {
  const auto matches = [&](const Instruction& entry_point) {
    return entry_point.operands[0] == static_cast<uint32_t>(model) &&
           DecodeString(entry_point.operands.data() + 2, entry_point.operands.size() - 2) == name;
  };
  const auto found = std::find_if(module.entry_points.begin(), module.entry_points.end(), matches);
  if (found == module.entry_points.end()) {
    return Error{"the module has no entry point \"" + std::string(name) + "\" of that execution model"};
  }
  module.entry_points = {Instruction(*found)};
  const Id function = module.entry_points[0].operands[1];
  std::erase_if(module.execution_modes, [function](const Instruction& mode) { return mode.operands[0] != function; });
  return {};
}

void EliminateDead(Module& module, Id keep) {
  RemoveDead(module, keep);
  // Constants that only the removed debug information used go in a second round; nothing else can refer to those.
  if (RemoveDangling(module)) {
    RemoveDead(module, keep);
    RemoveDangling(module);
  }
  RemoveUnusedImports(module);
}

}  // namespace trellis::spirv
