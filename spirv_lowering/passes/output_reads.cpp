// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/output_reads.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

namespace trellis::spirv {
namespace {

bool IsChoice(spv::Op opcode) { return opcode == spv::Op::OpPhi || opcode == spv::Op::OpSelect; }

// Returns the result of `use` where the user derives a pointer within its function, else kNoId.
Id Derived(const DefUse& def_use, const DefUse::Use& use) {
  return def_use.KindOf(use) == PointerUse::kDerives ? def_use.UserOf(use).result_id : kNoId;
}

// Returns the input and the pointers derived from it in the same function. A pointer chosen by OpPhi or OpSelect is one
// of them only if all pointers to choose from are.
std::unordered_set<Id> OfInput(const DefUse& def_use, Id input) {
  std::unordered_set<Id> of_input;
  if (input == kNoId) return of_input;
  of_input.insert(input);
  def_use.Follow({input}, [&](const DefUse::Use& use) {
    const Id derived = Derived(def_use, use);
    return derived != kNoId && of_input.insert(derived).second ? derived : kNoId;
  });
  std::vector<Id> mixed;
  for (const DefUse::Use& use : def_use.All()) {
    if (!IsChoice(def_use.UserOf(use).opcode) || of_input.contains(use.id)) continue;
    if (const Id chosen = Derived(def_use, use); of_input.erase(chosen) != 0) mixed.push_back(chosen);
  }
  def_use.Follow(std::move(mixed), [&](const DefUse::Use& use) {
    const Id derived = Derived(def_use, use);
    return of_input.erase(derived) != 0 ? derived : kNoId;
  });
  return of_input;
}

bool IsPlainWrite(spv::Op opcode) { return opcode == spv::Op::OpStore || opcode == spv::Op::OpCopyMemory; }

}  // namespace

bool ReadsOutputs(const DefUse& def_use, const HandleTypes& handle_types, const std::unordered_map<Id, Id>& type_of,
                  Id input) {
  const std::unordered_set<Id> of_input = OfInput(def_use, input);
  const auto reads = [&](const DefUse::Use& use) {
    const auto found = type_of.find(use.id);
    if (found == type_of.end()) return false;
    const spv::Op opcode = def_use.UserOf(use).opcode;
    // A whole array is copied out of another.
    if (handle_types.IsHandleByPointer(found->second)) return IsPlainWrite(opcode) && use.operand == 0;
    if (of_input.contains(use.id)) return false;
    if (handle_types.IsHandle(found->second)) return opcode == spv::Op::OpCompositeExtract;
    if (!handle_types.IsPayloadPointer(found->second)) return false;
    const PointerUse kind = def_use.KindOf(use);
    if (kind == PointerUse::kWrites) return !IsPlainWrite(opcode);
    return kind == PointerUse::kReads || kind == PointerUse::kEscapes;
  };
  return std::any_of(def_use.All().begin(), def_use.All().end(), reads);
}

}  // namespace trellis::spirv
