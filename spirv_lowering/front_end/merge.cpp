// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/front_end/merge.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/built_ins.h"
#include "spirv_lowering/ir/types.h"

namespace trellis::spirv {
namespace {

// SPIR-V 2.8: no two of these may be the same; constants may, but need not.
bool IsShareable(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpTypeVoid:
    case spv::Op::OpTypeBool:
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeImage:
    case spv::Op::OpTypeSampler:
    case spv::Op::OpTypeSampledImage:
    case spv::Op::OpTypePointer:
    case spv::Op::OpTypeFunction:
    case spv::Op::OpTypeAccelerationStructureKHR:
    case spv::Op::OpTypeRayQueryKHR:
    case spv::Op::OpConstant:
    case spv::Op::OpConstantTrue:
    case spv::Op::OpConstantFalse:
    case spv::Op::OpConstantComposite:
    case spv::Op::OpConstantNull:
    case spv::Op::OpConstantStringAMDX:
      return true;
    default:
      return false;
  }
}

bool IsSpecConstant(spv::Op opcode) {
  return opcode == spv::Op::OpSpecConstant || opcode == spv::Op::OpSpecConstantTrue ||
         opcode == spv::Op::OpSpecConstantFalse || opcode == spv::Op::OpSpecConstantStringAMDX;
}

bool SameText(const Instruction& a, const Instruction& b) {
  return a.opcode == b.opcode && a.type_id == b.type_id && a.operands == b.operands;
}

// Adds what is not there yet.
void Unite(std::vector<Instruction>& into, std::span<Instruction> from) {
  for (Instruction& instruction : from) {
    const auto same = [&](const Instruction& other) { return SameText(other, instruction); };
    if (std::none_of(into.begin(), into.end(), same)) into.push_back(std::move(instruction));
  }
}

class Merger {
 public:
  Merger(Module& into, Module from) : into_(into), from_(std::move(from)), types_(into) {}

  Expected<void> Run() {
    if (Expected<void> fine = MergeMemoryModel(); !fine) return fine;
    into_.version = std::max(into_.version, from_.version);
    Unite(into_.capabilities, from_.capabilities);
    Unite(into_.extensions, from_.extensions);
    for (Instruction& import : from_.ext_inst_imports) Share(into_.ext_inst_imports, import);
    MergeSources();
    MergeGlobals();
    for (std::vector<Instruction>* section : {&from_.entry_points, &from_.execution_modes}) {
      for (Instruction& instruction : *section) Renumber(instruction);
    }
    if (Expected<void> fine = CheckEntryPoints(); !fine) return fine;
    Move(from_.entry_points, into_.entry_points);
    Move(from_.execution_modes, into_.execution_modes);
    Unite(into_.debug_processed, from_.debug_processed);
    for (const auto& [source, target] :
         {std::pair(&from_.debug_names, &into_.debug_names), std::pair(&from_.annotations, &into_.annotations)}) {
      std::erase_if(*source, [&](const Instruction& instruction) { return shared_.contains(instruction.operands[0]); });
      for (Instruction& instruction : *source) Renumber(instruction);
      Move(*source, *target);
    }
    MergeFunctions();
    return {};
  }

 private:
  static void Move(std::vector<Instruction>& from, std::vector<Instruction>& into) {
    std::move(from.begin(), from.end(), std::back_inserter(into));
  }

  Id NewIdFor(Id id) {
    const auto [entry, is_new] = ids_.try_emplace(id, kNoId);
    if (is_new) entry->second = into_.NewId();
    return entry->second;
  }
  void Renumber(Instruction& instruction) {
    if (instruction.type_id != kNoId) instruction.type_id = NewIdFor(instruction.type_id);
    ForEachIdOperand(instruction, [&](Id& id) { id = NewIdFor(id); });
    if (instruction.result_id != kNoId) instruction.result_id = NewIdFor(instruction.result_id);
  }

  // An instruction with a result but without id operands: the one that is there, or a new one.
  void Share(std::vector<Instruction>& section, Instruction& instruction) {
    const auto found = std::find_if(section.begin(), section.end(),
                                    [&](const Instruction& other) { return SameText(other, instruction); });
    if (found != section.end()) {
      ids_[instruction.result_id] = found->result_id;
      shared_.insert(instruction.result_id);
      return;
    }
    instruction.result_id = NewIdFor(instruction.result_id);
    section.push_back(std::move(instruction));
  }

  Expected<void> MergeMemoryModel() {
    std::vector<uint32_t>& model = into_.memory_model.front().operands;
    const std::vector<uint32_t>& other = from_.memory_model.front().operands;
    if (model[1] != other[1]) return Error{"modules of different memory models cannot be one"};
    // Logical addressing is part of the physical ones.
    if (model[0] == static_cast<uint32_t>(spv::AddressingModel::Logical)) model[0] = other[0];
    return {};
  }

  void MergeSources() {
    for (Instruction& source : from_.debug_sources) {
      if (source.opcode == spv::Op::OpString) {
        Share(into_.debug_sources, source);
        continue;
      }
      Renumber(source);
      Unite(into_.debug_sources, {&source, 1});
    }
  }

  [[nodiscard]] Id FindSpecConstant(const Instruction& constant, uint32_t spec_id) const {
    for (const Instruction& global : into_.globals) {
      if (SameText(global, constant) && FindDecoration(into_, global.result_id, spv::Decoration::SpecId) == spec_id)
        return global.result_id;
    }
    return kNoId;
  }

  void MergeGlobals() {
    for (Instruction& global : from_.globals) {
      const Id old_id = global.result_id;
      const bool announced = old_id != kNoId && ids_.contains(old_id);
      global.result_id = kNoId;
      Renumber(global);
      if (!announced && IsShareable(global.opcode)) {
        const size_t before = into_.globals.size();
        ids_[old_id] = types_.FindOrAppend(global.opcode, global.type_id, global.operands);
        if (into_.globals.size() == before) shared_.insert(old_id);
        continue;
      }
      if (IsSpecConstant(global.opcode)) {
        const std::optional<uint32_t> spec_id = FindDecoration(from_, old_id, spv::Decoration::SpecId);
        const Id same = spec_id ? FindSpecConstant(global, *spec_id) : kNoId;
        if (same != kNoId) {
          ids_[old_id] = same;
          shared_.insert(old_id);
          continue;
        }
      }
      if (old_id == kNoId) {
        into_.globals.push_back(std::move(global));
      } else {
        types_.AppendAs(NewIdFor(old_id), global.opcode, global.type_id, std::move(global.operands));
      }
    }
  }

  Expected<void> CheckEntryPoints() const {
    for (const Instruction& entry : from_.entry_points) {
      const std::string name = DecodeString(entry.operands.data() + 2, entry.operands.size() - 2);
      for (const Instruction& other : into_.entry_points) {
        if (entry.operands[0] == other.operands[0] &&
            name == DecodeString(other.operands.data() + 2, other.operands.size() - 2)) {
          return Error{"two entry points have the name '" + name + "'"};
        }
      }
    }
    return {};
  }

  void MergeFunctions() {
    for (Function& function : from_.functions) {
      Renumber(function.definition);
      for (Instruction& parameter : function.parameters) Renumber(parameter);
      for (BasicBlock& block : function.blocks) {
        block.label = NewIdFor(block.label);
        for (Instruction& instruction : block.body) Renumber(instruction);
      }
      into_.functions.push_back(std::move(function));
    }
  }

  Module& into_;
  Module from_;
  Types types_;
  std::unordered_map<Id, Id> ids_;
  std::unordered_set<Id> shared_;  // of `from_`: stands for something that was there
};

// Before SPIR-V 1.6 compilers decorate a constant as the workgroup's size, which would hold for all entry points of the
// module; LocalSize says the same.
Expected<void> DropWorkgroupSizeConstant(Module& module) {
  for (const BuiltInTarget& found : FindBuiltIns(module)) {
    if (found.built_in != spv::BuiltIn::WorkgroupSize) continue;
    for (const Instruction& global : module.globals) {
      if (global.result_id == found.target && global.opcode == spv::Op::OpSpecConstantComposite) {
        return Error{
            "nodes whose workgroup size is a specialisation constant can be in one module from SPIR-V 1.6 on "
            "(vulkan1.3)"};
      }
    }
  }
  RemoveBuiltIn(module, spv::BuiltIn::WorkgroupSize);
  return {};
}

}  // namespace

Expected<Module> MergeModules(std::vector<Module> modules) {
  assert(!modules.empty());
  if (modules.size() > 1) {
    for (Module& module : modules) {
      if (Expected<void> done = DropWorkgroupSizeConstant(module); !done) return done.error();
    }
  }
  Module merged = std::move(modules.front());
  for (size_t i = 1; i < modules.size(); ++i) {
    if (Expected<void> done = Merger(merged, std::move(modules[i])).Run(); !done) return done.error();
  }
  return merged;
}

}  // namespace trellis::spirv
