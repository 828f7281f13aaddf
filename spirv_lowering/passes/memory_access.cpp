// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/memory_access.h"

#include <algorithm>
#include <cassert>
#include <unordered_set>
#include <vector>

namespace trellis::spirv {
namespace {

constexpr uint32_t kVolatile = 0x1, kAligned = 0x2, kNontemporal = 0x4, kMakeAvailable = 0x8, kMakeVisible = 0x10,
                   kNonPrivate = 0x20;

// Memory operands as they stand in an instruction.
struct MemoryOperands {
  uint32_t mask = 0;
  uint32_t alignment = 0;
  Id available = kNoId, visible = kNoId;
  size_t end = 0;  // index behind them

  MemoryOperands(const std::vector<uint32_t>& operands, size_t first) : end(first) {
    if (first >= operands.size()) return;
    mask = operands[end++];
    const auto take = [&](uint32_t bit) { return (mask & bit) != 0 && end < operands.size() ? operands[end++] : 0; };
    alignment = take(kAligned);
    available = take(kMakeAvailable);
    visible = take(kMakeVisible);
    mask &= kVolatile | kAligned | kNontemporal | kMakeAvailable | kMakeVisible | kNonPrivate;
  }

  void AppendTo(std::vector<uint32_t>& operands) const {
    if (mask == 0) return;
    operands.push_back(mask);
    if ((mask & kAligned) != 0) operands.push_back(alignment);
    if ((mask & kMakeAvailable) != 0) operands.push_back(available);
    if ((mask & kMakeVisible) != 0) operands.push_back(visible);
  }
};

}  // namespace

void PayloadAccess::SetAlignmentOfCopy(Id pointer, Id original) {
  if (const auto known = alignments_.find(original); known != alignments_.end()) SetAlignment(pointer, known->second);
}

void PayloadAccess::SetAlignmentOfPart(Id pointer, Id base, Id type, std::span<const Id> indices) {
  if (const auto known = alignments_.find(base); known != alignments_.end())
    SetAlignment(pointer, meter_.AlignmentAt(type, indices, known->second));
}

void PayloadAccess::Mark(Instruction& instruction, Id accessed) {
  const bool reads = instruction.opcode == spv::Op::OpLoad;
  assert(reads || instruction.opcode == spv::Op::OpStore);
  const size_t first = reads ? 1 : 2;
  MemoryOperands memory(instruction.operands, first);
  if (shared_vulkan_model_) {
    const Id scope = types_.ConstantUint(kScopeQueueFamily);
    memory.mask |= kNonPrivate;
    if (!reads && (memory.mask & kMakeAvailable) == 0) {
      memory.mask |= kMakeAvailable;
      memory.available = scope;
    }
    if (reads && (memory.mask & kMakeVisible) == 0) {
      memory.mask |= kMakeVisible;
      memory.visible = scope;
    }
  }
  const auto known = alignments_.find(instruction.operands[0]);
  memory.mask |= kAligned;
  memory.alignment = std::max(meter_.LargestScalar(accessed), known == alignments_.end() ? 1 : known->second);
  instruction.operands.resize(std::min(first, instruction.operands.size()));
  memory.AppendTo(instruction.operands);
}

AddressParameters::AddressParameters(Module& module) : module_(module) {
  for (const Instruction& annotation : module.annotations) {
    if (annotation.opcode != spv::Op::OpDecorate) continue;
    const auto decoration = static_cast<spv::Decoration>(annotation.operands[1]);
    if (decoration == spv::Decoration::Aliased || decoration == spv::Decoration::Restrict)
      aliased_.insert(annotation.operands[0]);
    if (decoration == spv::Decoration::Coherent) coherent_.insert(annotation.operands[0]);
  }
}

void AddressParameters::MakeAliased(Id parameter) {
  if (aliased_.insert(parameter).second) Decorate(module_, parameter, spv::Decoration::Aliased);
}

void AddressParameters::MakeCoherent(Id parameter) {
  if (coherent_.insert(parameter).second) Decorate(module_, parameter, spv::Decoration::Coherent);
}

SplitCopy SplitCopyMemory(const Instruction& copy, Id type, Id loaded) {
  MemoryOperands target(copy.operands, 2);
  // SPIR-V 1.4: a second set is the source's; one set stands for both.
  MemoryOperands source = target.end < copy.operands.size() ? MemoryOperands(copy.operands, target.end) : target;
  target.mask &= ~kMakeVisible;
  source.mask &= ~kMakeAvailable;
  SplitCopy split{{spv::Op::OpLoad, type, loaded, {copy.operands[1]}},
                  {spv::Op::OpStore, kNoId, kNoId, {copy.operands[0], loaded}}};
  source.AppendTo(split.load.operands);
  target.AppendTo(split.store.operands);
  return split;
}

namespace {

// `type` and the structures inside of it, each once.
std::vector<const Instruction*> FindStructures(const Types& types, Id type) {
  std::vector<const Instruction*> structures;
  std::vector<Id> open = {type};
  std::unordered_set<Id> seen;
  while (!open.empty()) {
    const Instruction* shape = types.Find(open.back());
    open.pop_back();
    if (shape == nullptr || !seen.insert(shape->result_id).second) continue;
    if (shape->opcode == spv::Op::OpTypeStruct) {
      structures.push_back(shape);
      open.insert(open.end(), shape->operands.begin(), shape->operands.end());
    } else if (shape->opcode == spv::Op::OpTypeArray) {
      open.push_back(shape->operands[0]);
    }
  }
  return structures;
}

}  // namespace

void MarkMembersCoherent(Module& module, const Types& types, Id payload) {
  const Decorations decorations(module);
  for (const Instruction* structure : FindStructures(types, payload)) {
    for (uint32_t member = 0; member < structure->operands.size(); ++member) {
      if (!decorations.HasMember(structure->result_id, member, spv::Decoration::Coherent))
        DecorateMember(module, structure->result_id, member, spv::Decoration::Coherent);
    }
  }
}

}  // namespace trellis::spirv
