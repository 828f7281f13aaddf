// SPDX-License-Identifier: Apache-2.0
// Payloads in memory. A boolean has no representation that memory could hold, so it is stored as a 32-bit word: 1 for
// true, and anything but 0 is read as true.
#pragma once

#include <optional>
#include <unordered_map>

#include "spirv_lowering/ir/layout.h"
#include "spirv_lowering/passes/pass_context.h"

namespace trellis::spirv {

class StoredTypes {
 public:
  // `lengths` knows the lengths of arrays.
  StoredTypes(Module& module, Types& types, ConstantValues lengths)
      : module_(module), types_(types), lengths_(std::move(lengths)) {}

  // The type in memory of payload type `type`: the same without booleans.
  [[nodiscard]] Id Of(Id type);

  // A value of `type` as one of Of(type) (kEncode), or back. Refuses composites of so many parts that the code would
  // explode.
  enum class Direction { kEncode, kDecode };
  [[nodiscard]] Expected<Id> Convert(Builder& builder, Id value, Id type, Direction direction);

 private:
  [[nodiscard]] Id ConvertParts(Builder& builder, Id value, Id type, Direction direction);
  [[nodiscard]] Id ConvertBools(Builder& builder, Id value, Id type, Direction direction);
  [[nodiscard]] bool HoldsBools(const Instruction& type);
  [[nodiscard]] Id Make(const Instruction& type);
  // Members or elements; 0 if the length is not known.
  [[nodiscard]] uint32_t PartCount(const Instruction& composite) const;
  // Instructions that a conversion of the type takes; nothing if they are too many or not known.
  [[nodiscard]] std::optional<uint32_t> Cost(Id type);

  Module& module_;
  Types& types_;
  const ConstantValues lengths_;
  std::unordered_map<Id, Id> stored_;
  std::unordered_map<Id, std::optional<uint32_t>> costs_;
};

}  // namespace trellis::spirv
