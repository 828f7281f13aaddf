// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/reflect/variable_writes.h"

namespace trellis::spirv {

bool WritesVariable(const DefUse& def_use, const Types& types, const TypeMap& type_of, Id variable) {
  return def_use.AnyDerivedUse({variable}, [&](const DefUse::Use& use) {
    switch (def_use.KindOf(use)) {
      case PointerUse::kInspects:
      case PointerUse::kDerives:
        return false;
      case PointerUse::kReads:
        return PayloadArrayTypeOf(types, type_of, use.id) != kNoId;  // the handle is copied
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
  std::erase_if(pointers, [&](Id pointer) { return !types.contains(TypeOf(type_of, pointer)); });
  return pointers;
}

}  // namespace trellis::spirv
