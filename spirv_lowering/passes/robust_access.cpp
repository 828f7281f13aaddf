// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/robust_access.h"

#include <algorithm>
#include <optional>

namespace trellis::spirv {

const Instruction* Indices::IntegerType(Id value) const {
  const auto type = type_of_.find(value);
  const Instruction* found = type == type_of_.end() ? nullptr : types_.Find(type->second);
  return found != nullptr && found->opcode == spv::Op::OpTypeInt ? found : nullptr;
}

Id Indices::AsUint(Builder& builder, Id value) {
  const Instruction* type = IntegerType(value);
  if (type == nullptr) return value;
  const uint32_t width = type->operands[0];
  const bool is_signed = type->operands[1] != 0;
  if (width == 32 && !is_signed) return value;
  if (const std::optional<uint32_t> constant = types_.ConstantValue(value); constant && width == 32)
    return types_.ConstantUint(*constant);
  return builder.Emit(width == 32 ? spv::Op::OpBitcast : spv::Op::OpUConvert, types_.Uint(), {value});
}

Id Indices::LastOf(Builder& builder, const Instruction& type) {
  switch (type.opcode) {
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
      return types_.ConstantUint(std::max(type.operands[1], 1u) - 1);
    case spv::Op::OpTypeArray: {
      const Id length = type.operands[1];
      if (const std::optional<uint32_t> constant = types_.ConstantValue(length))
        return types_.ConstantUint(std::max(*constant, 1u) - 1);
      // The driver's, who knows the specialisation.
      return builder.Emit(spv::Op::OpISub, types_.Uint(), {AsUint(builder, length), types_.ConstantUint(1)});
    }
    default:
      return kNoId;
  }
}

Id Indices::Bounded(Builder& builder, const Instruction& type, Id index) {
  if (IntegerType(index) == nullptr) return index;
  const Id last = LastOf(builder, type);
  if (last == kNoId) return index;
  const std::optional<uint32_t> constant = types_.ConstantValue(index);
  const std::optional<uint32_t> constant_last = types_.ConstantValue(last);
  if (constant && constant_last) return *constant <= *constant_last ? index : last;
  const Id given = AsUint(builder, index);
  const Id in_range = builder.Emit(spv::Op::OpULessThan, types_.Bool(), {given, last});
  return builder.Emit(spv::Op::OpSelect, types_.Uint(), {in_range, given, last});
}

void Indices::Bound(Builder& builder, Id type, std::span<Id> indices) {
  for (Id& index : indices) {
    const Instruction* shape = types_.Find(type);
    if (shape == nullptr) return;
    const bool is_struct = shape->opcode == spv::Op::OpTypeStruct;
    // By value: types and constants are appended meanwhile. An array has one element type, whatever the index.
    if (!is_struct) index = Bounded(builder, Instruction(*shape), index);
    const std::optional<uint32_t> member = is_struct ? types_.ConstantValue(index) : 0;
    if (!member) return;
    type = types_.ElementType(type, *member);
  }
}

}  // namespace trellis::spirv
