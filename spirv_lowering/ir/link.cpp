// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/link.h"

#include <algorithm>
#include <string>
#include <utility>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/built_ins.h"
#include "spirv_lowering/ir/debug_references.h"

namespace trellis::spirv {
namespace {

bool UsesVulkanMemoryModel(const Module& module) {
  return !module.memory_model.empty() &&
         module.memory_model[0].operands[1] == static_cast<uint32_t>(spv::MemoryModel::Vulkan);
}

bool IsOfVulkanMemoryModel(const Instruction& declaration) {
  if (declaration.opcode == spv::Op::OpExtension) {
    return DecodeString(declaration.operands.data(), declaration.operands.size()) == "SPV_KHR_vulkan_memory_model";
  }
  return declaration.operands[0] == static_cast<uint32_t>(spv::Capability::VulkanMemoryModel) ||
         declaration.operands[0] == static_cast<uint32_t>(spv::Capability::VulkanMemoryModelDeviceScope);
}

std::string NameText(const Instruction& name) {
  return DecodeString(name.operands.data() + 1, name.operands.size() - 1);
}

// glslang appends the parameters' types to a function's name.
bool MatchesFunction(std::string_view found, std::string_view wanted) {
  return found == wanted || (found.size() > wanted.size() && found.starts_with(wanted) && found[wanted.size()] == '(');
}

}  // namespace

Importer::Importer(Module& destination, Types& types, const Module& library)
    : destination_(destination), types_(types), library_(library) {
  for (const auto* section : {&library.globals, &library.ext_inst_imports, &library.debug_sources}) {
    for (const Instruction& instruction : *section) {
      if (instruction.result_id != kNoId) globals_.emplace(instruction.result_id, &instruction);
      if (instruction.opcode == spv::Op::OpTypeForwardPointer) forward_pointers_.insert(instruction.operands[0]);
    }
  }
  for (const Function& function : library.functions) functions_.emplace(function.id(), &function);
  for (const Instruction& annotation : library.annotations) {
    if (!annotation.operands.empty()) annotations_[annotation.operands[0]].push_back(&annotation);
  }
  for (const Instruction& name : library.debug_names) names_[name.operands[0]].push_back(&name);
  for (const Instruction& import : library.ext_inst_imports) {
    if (DecodeString(import.operands.data(), import.operands.size()).starts_with("NonSemantic.Shader.DebugInfo")) {
      debug_sets_.insert(import.result_id);
    }
  }
}

Id Importer::FindNamed(std::string_view name, bool function) const {
  for (const Instruction& candidate : library_.debug_names) {
    if (candidate.opcode != spv::Op::OpName) continue;
    const Id id = candidate.operands[0];
    if (function
            ? functions_.contains(id) && MatchesFunction(NameText(candidate), name)
            : globals_.contains(id) && globals_.at(id)->opcode == spv::Op::OpVariable && NameText(candidate) == name) {
      return id;
    }
  }
  return kNoId;
}

Expected<Id> Importer::ImportFunction(std::string_view name) {
  const Id id = FindNamed(name, true);
  if (id == kNoId) return Error{"the library has no function \"" + std::string(name) + "\""};
  return Finish(Map(id));
}

Expected<Id> Importer::ImportVariable(std::string_view name) {
  const Id id = FindNamed(name, false);
  if (id == kNoId) return Error{"the library has no variable \"" + std::string(name) + "\""};
  return Finish(Map(id));
}

Expected<Id> Importer::Finish(Expected<Id> id) {
  if (!id) return id;
  MergeDeclarations();
  // A list, not recursion: functions may call each other in long chains.
  while (!pending_functions_.empty()) {
    const Function* function = pending_functions_.back();
    pending_functions_.pop_back();
    if (Expected<void> copied = CopyFunction(*function); !copied) return copied.error();
  }
  return id;
}

void Importer::MergeDeclarations() {
  if (std::exchange(merged_, true)) return;
  const bool keep_model = UsesVulkanMemoryModel(destination_);
  for (const auto section : {&Module::capabilities, &Module::extensions}) {
    std::vector<Instruction>& present = destination_.*section;
    for (const Instruction& declaration : library_.*section) {
      const auto is_same = [&](const Instruction& other) { return other.operands == declaration.operands; };
      if ((keep_model || !IsOfVulkanMemoryModel(declaration)) && std::none_of(present.begin(), present.end(), is_same))
        present.push_back(declaration);
    }
  }
}

Expected<Id> Importer::Map(Id id) {
  if (const auto known = mapped_.find(id); known != mapped_.end()) return known->second;
  if (const auto function = functions_.find(id); function != functions_.end()) {
    if (function->second->blocks.empty())
      return Error{"the library only declares the function " + NameOf(library_, id)};
    return MapFunction(*function->second);
  }
  const auto global = globals_.find(id);
  if (global == globals_.end()) return Error{"the library does not define %" + std::to_string(id)};
  Expected<Id> mapped = MapGlobal(*global->second);
  if (mapped) mapped_[id] = *mapped;
  return mapped;
}

Id Importer::MapFunction(const Function& function) {
  const Id id = destination_.NewId();
  mapped_[function.id()] = id;
  pending_functions_.push_back(&function);
  return id;
}

Expected<Id> Importer::MapGlobal(const Instruction& global) {
  switch (global.opcode) {
    case spv::Op::OpExtInstImport:
      return MapImport(global);
    case spv::Op::OpString:
      return MapString(global);
    case spv::Op::OpVariable:
      return MapVariable(global);
    case spv::Op::OpTypeStruct:
      return MapStruct(global);
    case spv::Op::OpTypePointer:
      if (forward_pointers_.contains(global.result_id)) return MapForwardPointer(global);
      return annotations_.contains(global.result_id) ? MapCopied(global) : MapUnique(global);
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray:
    case spv::Op::OpTypeNodePayloadArrayAMDX:
    case spv::Op::OpSpecConstant:
    case spv::Op::OpSpecConstantTrue:
    case spv::Op::OpSpecConstantFalse:
    case spv::Op::OpSpecConstantComposite:
    case spv::Op::OpSpecConstantOp:
    case spv::Op::OpSpecConstantStringAMDX:
      return MapCopied(global);
    case spv::Op::OpExtInst:
    case spv::Op::OpExtInstWithForwardRefsKHR:
      return Error{"the library's code uses the debug information %" + std::to_string(global.result_id)};
    default:
      return MapUnique(global);
  }
}

Expected<Instruction> Importer::CopyInstruction(const Instruction& instruction) {
  Instruction copy = instruction;
  copy.result_id = kNoId;
  Expected<void> mapped;
  const auto map = [&](Id& id) {
    if (!mapped) return;
    Expected<Id> found = Map(id);
    if (found) {
      id = *found;
    } else {
      mapped = found.error();
    }
  };
  if (copy.type_id != kNoId) map(copy.type_id);
  ForEachIdOperand(copy, map);
  if (!mapped) return mapped.error();
  return copy;
}

Expected<Id> Importer::MapUnique(const Instruction& global) {
  Expected<Instruction> copy = CopyInstruction(global);
  if (!copy) return copy.error();
  return types_.FindOrAppend(copy->opcode, copy->type_id, std::move(copy->operands));
}

Expected<Id> Importer::MapCopied(const Instruction& global) {
  Expected<Instruction> copy = CopyInstruction(global);
  if (!copy) return copy.error();
  const Id id = types_.Append(copy->opcode, copy->type_id, std::move(copy->operands));
  mapped_[global.result_id] = id;
  if (Expected<void> decorated = CopyAnnotations(global.result_id, id); !decorated) return decorated.error();
  return id;
}

// A structure may hold a pointer to itself, declared by OpTypeForwardPointer. Such a pointer is defined only when the
// outermost structure that is being copied is there.
Expected<Id> Importer::MapStruct(const Instruction& type) {
  ++open_structs_;
  Expected<Id> id = MapCopied(type);
  --open_structs_;
  if (!id || open_structs_ > 0) return id;
  if (Expected<void> defined = DefinePendingPointers(); !defined) return defined.error();
  return id;
}

Expected<Id> Importer::MapForwardPointer(const Instruction& type) {
  const Id id = destination_.NewId();
  mapped_[type.result_id] = id;
  destination_.globals.emplace_back(spv::Op::OpTypeForwardPointer, kNoId, kNoId,
                                    std::vector<uint32_t>{id, type.operands[0]});
  pending_pointers_.push_back(&type);
  if (open_structs_ > 0) return id;
  if (Expected<void> defined = DefinePendingPointers(); !defined) return defined.error();
  return id;
}

Expected<void> Importer::DefinePendingPointers() {
  while (!pending_pointers_.empty()) {
    const Instruction* type = pending_pointers_.back();
    pending_pointers_.pop_back();
    Expected<Id> pointee = Map(type->operands[1]);
    if (!pointee) return pointee.error();
    const Id id = mapped_[type->result_id];
    types_.AppendAs(id, spv::Op::OpTypePointer, kNoId, {type->operands[0], *pointee});
    if (Expected<void> decorated = CopyAnnotations(type->result_id, id); !decorated) return decorated;
  }
  return {};
}

Expected<Id> Importer::MapVariable(const Instruction& variable) {
  Expected<Instruction> copy = CopyInstruction(variable);
  if (!copy) return copy.error();
  Id id = FindBuiltIn(variable.result_id, copy->type_id);
  if (id == kNoId) {
    id = types_.Append(copy->opcode, copy->type_id, std::move(copy->operands));
    if (Expected<void> decorated = CopyAnnotations(variable.result_id, id); !decorated) return decorated.error();
  }
  variables_.push_back(id);
  return id;
}

Id Importer::FindBuiltIn(Id variable, Id pointer_type) const {
  const auto annotations = annotations_.find(variable);
  if (annotations == annotations_.end()) return kNoId;
  for (const Instruction* annotation : annotations->second) {
    const std::optional<BuiltInTarget> wanted = BuiltInOf(*annotation);
    if (!wanted) continue;
    for (const BuiltInTarget& found : FindBuiltIns(destination_)) {
      const Instruction* candidate = types_.Find(found.target);
      if (found.built_in == wanted->built_in && candidate != nullptr && candidate->opcode == spv::Op::OpVariable &&
          candidate->type_id == pointer_type)
        return candidate->result_id;
    }
  }
  return kNoId;
}

Id Importer::MapImport(const Instruction& import) {
  for (const Instruction& existing : destination_.ext_inst_imports) {
    if (existing.operands == import.operands) return existing.result_id;
  }
  const Id id = destination_.NewId();
  destination_.ext_inst_imports.emplace_back(import.opcode, kNoId, id, import.operands);
  return id;
}

Id Importer::MapString(const Instruction& string) {
  const Id id = destination_.NewId();
  destination_.debug_sources.emplace_back(string.opcode, kNoId, id, string.operands);
  return id;
}

bool Importer::IsLeftOut(const Instruction& instruction) const {
  return IsLine(instruction.opcode) || IsNonSemantic(instruction, debug_sets_);
}

void Importer::MapLocal(Id id) {
  if (id != kNoId) mapped_[id] = destination_.NewId();
}

Expected<void> Importer::CopyFunction(const Function& function) {
  for (const Instruction& parameter : function.parameters) MapLocal(parameter.result_id);
  for (const BasicBlock& block : function.blocks) {
    MapLocal(block.label);
    for (const Instruction& instruction : block.body) {
      if (!IsLeftOut(instruction)) MapLocal(instruction.result_id);
    }
  }

  const auto copy_into = [this](const Instruction& instruction, Instruction& target) -> Expected<void> {
    Expected<Instruction> copy = CopyInstruction(instruction);
    if (!copy) return copy.error();
    target = std::move(*copy);
    if (instruction.result_id == kNoId) return {};
    target.result_id = mapped_[instruction.result_id];
    return CopyAnnotations(instruction.result_id, target.result_id);
  };

  Function result;
  if (Expected<void> copied = copy_into(function.definition, result.definition); !copied) return copied;
  for (const Instruction& parameter : function.parameters) {
    if (Expected<void> copied = copy_into(parameter, result.parameters.emplace_back()); !copied) return copied;
  }
  for (const BasicBlock& block : function.blocks) {
    BasicBlock& target = result.blocks.emplace_back();
    target.label = mapped_[block.label];
    for (const Instruction& instruction : block.body) {
      if (IsLeftOut(instruction)) continue;
      if (Expected<void> copied = copy_into(instruction, target.body.emplace_back()); !copied) return copied;
    }
  }
  destination_.functions.push_back(std::move(result));
  return {};
}

Expected<void> Importer::CopyAnnotations(Id from, Id to) {
  if (const auto names = names_.find(from); names != names_.end()) {
    for (const Instruction* name : names->second) {
      destination_.debug_names.push_back(*name);
      destination_.debug_names.back().operands[0] = to;
    }
  }
  const auto annotations = annotations_.find(from);
  if (annotations == annotations_.end()) return {};
  for (const Instruction* annotation : annotations->second) {
    if (annotation->opcode == spv::Op::OpDecorateId) {
      // Operand 0, the target, maps to `to` already.
      mapped_[from] = to;
      Expected<Instruction> copy = CopyInstruction(*annotation);
      if (!copy) return copy.error();
      destination_.annotations.push_back(*std::move(copy));
    } else {
      destination_.annotations.push_back(*annotation);
      destination_.annotations.back().operands[0] = to;
    }
  }
  return {};
}

}  // namespace trellis::spirv
