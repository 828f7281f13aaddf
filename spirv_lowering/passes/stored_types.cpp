// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/stored_types.h"

#include <algorithm>
#include <string>

namespace trellis::spirv {
namespace {

constexpr uint32_t kMaxInstructions = 4096;

bool IsArray(spv::Op op) { return op == spv::Op::OpTypeArray || op == spv::Op::OpTypeRuntimeArray; }

}  // namespace

Id StoredTypes::Of(Id type) {
  if (const auto known = stored_.find(type); known != stored_.end()) return known->second;
  const Instruction* declared = types_.Find(type);
  if (declared == nullptr) return type;
  // What is made moves the globals.
  const Instruction copy = *declared;
  const Id stored = HoldsBools(copy) ? Make(copy) : type;
  stored_[type] = stored;
  return stored;
}

bool StoredTypes::HoldsBools(const Instruction& type) {
  switch (type.opcode) {
    case spv::Op::OpTypeBool:
      return true;
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray:
      return Of(type.operands[0]) != type.operands[0];
    case spv::Op::OpTypeStruct:
      return std::any_of(type.operands.begin(), type.operands.end(),
                         [this](Id member) { return Of(member) != member; });
    default:
      return false;
  }
}

Id StoredTypes::Make(const Instruction& type) {
  if (type.opcode == spv::Op::OpTypeBool) return types_.Uint();
  if (type.opcode == spv::Op::OpTypeVector) return types_.Vector(Of(type.operands[0]), type.operands[1]);
  std::vector<uint32_t> operands = type.operands;
  if (IsArray(type.opcode)) {
    operands[0] = Of(operands[0]);
  } else {
    for (Id& member : operands) member = Of(member);
  }
  const Id stored = types_.Append(type.opcode, kNoId, std::move(operands));
  CopyDecorations(module_, type.result_id, stored);
  return stored;
}

uint32_t StoredTypes::PartCount(const Instruction& composite) const {
  if (composite.opcode == spv::Op::OpTypeStruct) return static_cast<uint32_t>(composite.operands.size());
  return composite.opcode == spv::Op::OpTypeArray ? lengths_(composite.operands[1]).value_or(0) : 0;
}

std::optional<uint32_t> StoredTypes::Cost(Id type) {
  if (Of(type) == type) return 0;
  if (const auto known = costs_.find(type); known != costs_.end()) return known->second;
  const Instruction& declared = *types_.Find(type);
  const bool composite = declared.opcode == spv::Op::OpTypeStruct || IsArray(declared.opcode);
  std::optional<uint32_t> cost = 1;
  const uint32_t parts = composite ? PartCount(declared) : 0;
  if (parts > kMaxInstructions || (composite && parts == 0)) cost.reset();
  for (uint32_t i = 0; cost && i < parts; ++i) {
    const std::optional<uint32_t> part = Cost(types_.ElementType(type, i));
    if (!part || *part + *cost >= kMaxInstructions)
      cost.reset();
    else
      *cost += 1 + *part;
  }
  costs_[type] = cost;
  return cost;
}

Expected<Id> StoredTypes::Convert(Builder& builder, Id value, Id type, Direction direction) {
  if (!Cost(type)) {
    return Error{"type %" + std::to_string(type) + " (" + NameOf(module_, type) +
                 "), which holds booleans, is loaded or stored as a whole: it has more than " +
                 std::to_string(kMaxInstructions) + " parts"};
  }
  return ConvertParts(builder, value, type, direction);
}

Id StoredTypes::ConvertParts(Builder& builder, Id value, Id type, Direction direction) {
  const Id stored = Of(type);
  if (stored == type) return value;
  const Instruction& declared = *types_.Find(type);
  if (declared.opcode == spv::Op::OpTypeBool || declared.opcode == spv::Op::OpTypeVector)
    return ConvertBools(builder, value, type, direction);
  const uint32_t count = PartCount(declared);
  std::vector<uint32_t> parts;
  for (uint32_t i = 0; i < count; ++i) {
    const Id part_type = types_.ElementType(type, i);
    const Id given_type = direction == Direction::kEncode ? part_type : Of(part_type);
    const Id part = builder.Emit(spv::Op::OpCompositeExtract, given_type, {value, i});
    parts.push_back(ConvertParts(builder, part, part_type, direction));
  }
  return builder.Emit(spv::Op::OpCompositeConstruct, direction == Direction::kEncode ? stored : type, std::move(parts));
}

// A boolean or a vector of them.
Id StoredTypes::ConvertBools(Builder& builder, Id value, Id type, Direction direction) {
  const Id stored = Of(type);
  const Id zero = types_.ConstantNull(stored);
  if (direction == Direction::kDecode) return builder.Emit(spv::Op::OpINotEqual, type, {value, zero});
  Id one = types_.ConstantUint(1);
  if (const Instruction& declared = *types_.Find(stored); declared.opcode == spv::Op::OpTypeVector) {
    one = types_.FindOrAppend(spv::Op::OpConstantComposite, stored, std::vector<uint32_t>(declared.operands[1], one));
  }
  return builder.Emit(spv::Op::OpSelect, stored, {value, one, zero});
}

}  // namespace trellis::spirv
