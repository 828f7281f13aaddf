// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/def_use.h"

#include <algorithm>
#include <utility>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/debug_references.h"

namespace trellis::spirv {

bool IsAtomic(spv::Op opcode) {
  const OpcodeInfo* info = FindOpcode(static_cast<uint32_t>(opcode));
  return info != nullptr && info->name.starts_with("OpAtomic");
}

PointerUse UseOfPointer(const Instruction& user, size_t operand) {
  const auto only = [operand](size_t position, PointerUse use) {
    return operand == position ? use : PointerUse::kEscapes;
  };
  switch (user.opcode) {
    case spv::Op::OpArrayLength:
    case spv::Op::OpNodePayloadArrayLengthAMDX:
    case spv::Op::OpIsNodePayloadValidAMDX:
      return only(0, PointerUse::kInspects);
    case spv::Op::OpLoad:
    case spv::Op::OpAtomicLoad:
      return only(0, PointerUse::kReads);
    case spv::Op::OpStore:
    case spv::Op::OpFinishWritingNodePayloadAMDX:
      return only(0, PointerUse::kWrites);
    case spv::Op::OpCopyMemory:
    case spv::Op::OpCopyMemorySized:
      return operand == 0 ? PointerUse::kWrites : only(1, PointerUse::kReads);
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
    case spv::Op::OpPtrAccessChain:
    case spv::Op::OpInBoundsPtrAccessChain:
    case spv::Op::OpCopyObject:
      return only(0, PointerUse::kDerives);
    case spv::Op::OpPhi:
      return operand % 2 == 0 ? PointerUse::kDerives : PointerUse::kEscapes;
    case spv::Op::OpSelect:
      return operand != 0 ? PointerUse::kDerives : PointerUse::kEscapes;
    case spv::Op::OpFunctionCall:
      return operand != 0 ? PointerUse::kPasses : PointerUse::kEscapes;
    default:
      return IsAtomic(user.opcode) ? only(0, PointerUse::kWrites) : PointerUse::kEscapes;
  }
}

namespace {

size_t CountOperands(std::span<const Function> functions, const std::unordered_set<Id>& debug_imports) {
  size_t count = 0;
  for (const Function& function : functions) {
    for (const BasicBlock& block : function.blocks) {
      for (const Instruction& instruction : block.body) {
        if (!IsNonSemantic(instruction, debug_imports)) count += instruction.operands.size();
      }
    }
  }
  return count;
}

}  // namespace

DefUse::DefUse(const Module& module) : DefUse(module.functions, NonSemanticImports(module)) {}

DefUse::DefUse(std::span<const Function> functions, const std::unordered_set<Id>& debug_imports)
    : functions_(functions) {
  // Growing vectors have up to three times the memory. Few operands are literals.
  uses_.reserve(CountOperands(functions, debug_imports));
  Use use;
  for (use.function = 0; use.function < functions.size(); ++use.function) {
    const Function& function = functions[use.function];
    functions_by_id_.emplace(function.id(), &function);
    for (use.block = 0; use.block < function.blocks.size(); ++use.block) {
      const std::vector<Instruction>& body = function.blocks[use.block].body;
      for (use.index = 0; use.index < body.size(); ++use.index) {
        if (IsNonSemantic(body[use.index], debug_imports)) continue;
        ForEachIdOperand(body[use.index], [&](const Id& id) {
          use.id = id;
          use.operand = static_cast<uint32_t>(&id - body[use.index].operands.data());
          uses_.push_back(use);
        });
      }
    }
  }
  std::sort(uses_.begin(), uses_.end());
}

std::span<const DefUse::Use> DefUse::Of(Id id) const {
  const auto begin =
      std::lower_bound(uses_.begin(), uses_.end(), id, [](const Use& use, Id key) { return use.id < key; });
  const auto end = std::upper_bound(begin, uses_.end(), id, [](Id key, const Use& use) { return key < use.id; });
  return {begin, end};
}

Id DefUse::Successor(const Use& use) const {
  const Instruction& user = UserOf(use);
  const PointerUse kind = UseOfPointer(user, use.operand);
  if (kind == PointerUse::kDerives) return user.result_id;
  if (kind != PointerUse::kPasses) return kNoId;
  const auto callee = functions_by_id_.find(user.operands[0]);
  if (callee == functions_by_id_.end() || use.operand > callee->second->parameters.size()) return kNoId;
  return callee->second->parameters[use.operand - 1].result_id;
}

std::unordered_set<Id> DefUse::DerivedFrom(std::vector<Id> roots) const {
  std::unordered_set<Id> derived(roots.begin(), roots.end());
  Follow(std::move(roots), [&](const Use& use) {
    const Id successor = Successor(use);
    return successor != kNoId && derived.insert(successor).second ? successor : kNoId;
  });
  return derived;
}

}  // namespace trellis::spirv
