// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/reflect/variable_writes.h"

namespace trellis::spirv {
namespace {

bool PointsToArray(const Types& types, Id type) {
  const Instruction* found = types.IsPointer(type) ? types.Find(types.Pointee(type)) : nullptr;
  return found != nullptr && found->opcode == spv::Op::OpTypeNodePayloadArrayAMDX;
}

}  // namespace

bool WritesVariable(const DefUse& def_use, const Types& types, const TypeMap& type_of, Id variable) {
  return def_use.AnyDerivedUse({variable}, [&](const DefUse::Use& use) {
    switch (def_use.KindOf(use)) {
      case PointerUse::kInspects:
      case PointerUse::kDerives:
        return false;
      case PointerUse::kReads:
        return PointsToArray(types, type_of.at(use.id));  // the handle is copied
      case PointerUse::kPasses:
        return def_use.Successor(use) == kNoId;
      case PointerUse::kWrites:
      case PointerUse::kEscapes:
        break;
    }
    return true;
  });
}

std::unordered_set<Id> PointersToWhole(const DefUse& def_use, const TypeMap& type_of,
                                       const std::vector<Id>& variables) {
  std::unordered_set<Id> types;
  for (const Id variable : variables) types.insert(type_of.at(variable));
  std::unordered_set<Id> pointers = def_use.DerivedFrom(variables);
  std::erase_if(pointers, [&](Id pointer) {
    const auto type = type_of.find(pointer);
    return type == type_of.end() || !types.contains(type->second);
  });
  return pointers;
}

}  // namespace trellis::spirv
