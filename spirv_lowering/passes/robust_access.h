// SPDX-License-Identifier: Apache-2.0
// Integer operands of access chains and of the extension's instructions.
#pragma once

#include <span>
#include <unordered_map>

#include "spirv_lowering/passes/pass_context.h"

namespace trellis::spirv {

class Indices {
 public:
  // `type_of`: types of results; must outlive this object.
  Indices(Types& types, const std::unordered_map<Id, Id>& type_of) : types_(types), type_of_(type_of) {}

  // An integer of any width, as one of 32 bits without a sign. Other values stay what they are.
  [[nodiscard]] Id AsUint(Builder& builder, Id value);

  // Robust access: puts the last element's index in the place of those that may be past the end. `indices` are an
  // access chain's into a `type`. One that is a constant in range costs nothing.
  void Bound(Builder& builder, Id type, std::span<Id> indices);

 private:
  // Last index into an array, a vector or a matrix; kNoId for others.
  [[nodiscard]] Id LastOf(Builder& builder, const Instruction& type);
  [[nodiscard]] Id Bounded(Builder& builder, const Instruction& type, Id index);
  [[nodiscard]] const Instruction* IntegerType(Id value) const;

  Types& types_;
  const std::unordered_map<Id, Id>& type_of_;
};

}  // namespace trellis::spirv
