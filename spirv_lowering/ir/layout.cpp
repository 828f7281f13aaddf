// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/layout.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace trellis::spirv {
namespace {

constexpr uint32_t kPointerBytes = 8;

std::optional<uint64_t> Limited(uint64_t bytes) {
  if (bytes > std::numeric_limits<uint32_t>::max()) return std::nullopt;
  return bytes;
}

// End of the last of `count` elements.
std::optional<uint64_t> EndOf(uint64_t count, uint64_t stride, std::optional<uint64_t> element) {
  if (!element || count == 0) return std::nullopt;
  return Limited((count - 1) * stride + *element);
}

}  // namespace

LayoutMeter::LayoutMeter(const Module& module, const Types& types, MeterOptions options)
    : module_(module), types_(types), options_(std::move(options)) {}

const Decorations& LayoutMeter::Decorated() {
  if (!decorations_) decorations_.emplace(module_);
  return *decorations_;
}

uint32_t LayoutMeter::LargestScalar(Id type) {
  const Instruction* instruction = types_.Find(type);
  if (instruction == nullptr) return 1;
  switch (instruction->opcode) {
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      return instruction->operands[0] / 8;
    case spv::Op::OpTypeBool:
      return kStoredBoolBytes;
    case spv::Op::OpTypePointer:
      return kPointerBytes;
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray:
    case spv::Op::OpTypeNodePayloadArrayAMDX:
      return LargestScalar(instruction->operands[0]);
    case spv::Op::OpTypeStruct:
      break;
    default:
      return 1;
  }
  if (const auto known = largest_scalars_.find(type); known != largest_scalars_.end()) return known->second;
  uint32_t largest = 1;
  for (const Id member : instruction->operands) largest = std::max(largest, LargestScalar(member));
  largest_scalars_[type] = largest;
  return largest;
}

std::optional<uint32_t> LayoutMeter::Size(Id type) {
  const Bytes bytes = Measure(type, {});
  if (!bytes) return std::nullopt;
  return static_cast<uint32_t>(*bytes);
}

uint32_t LayoutMeter::AlignmentAt(Id type, std::span<const Id> indices, uint32_t alignment) {
  for (const Id index : indices) {
    const Instruction* shape = types_.Find(type);
    const std::optional<uint64_t> step = shape != nullptr ? StepTo(*shape, index) : std::nullopt;
    if (!step) return 1;
    // The lowest bit that is set; none is in 0.
    if (*step != 0) alignment = static_cast<uint32_t>(std::min<uint64_t>(alignment, *step & (~*step + 1)));
    type = types_.ElementType(type, types_.ConstantValue(index).value_or(0));
  }
  return alignment;
}

std::optional<uint64_t> LayoutMeter::StepTo(const Instruction& type, Id index) {
  const std::optional<uint32_t> constant = types_.ConstantValue(index);
  const auto times = [&](std::optional<uint32_t> bytes) -> std::optional<uint64_t> {
    if (!bytes) return std::nullopt;
    return uint64_t{constant.value_or(1)} * *bytes;
  };
  switch (type.opcode) {
    case spv::Op::OpTypeStruct:
      return constant ? Decorated().FindMember(type.result_id, *constant, spv::Decoration::Offset) : std::nullopt;
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray:
      return times(Decorated().Find(type.result_id, spv::Decoration::ArrayStride));
    case spv::Op::OpTypeVector:
      return times(Size(type.operands[0]));
    default:  // of a matrix, where the strides are told elsewhere
      return std::nullopt;
  }
}

LayoutMeter::Bytes LayoutMeter::Measure(Id type, const MatrixLayout& matrix) {
  const Instruction* instruction = types_.Find(type);
  if (instruction == nullptr) return std::nullopt;
  switch (instruction->opcode) {
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      return instruction->operands[0] / 8;
    case spv::Op::OpTypeBool:
      return options_.bool_bytes != 0 ? Bytes(options_.bool_bytes) : std::nullopt;
    case spv::Op::OpTypePointer:
      return kPointerBytes;
    case spv::Op::OpTypeVector:
      return MeasureVector(*instruction);
    case spv::Op::OpTypeMatrix:
      return MeasureMatrix(*instruction, matrix);
    case spv::Op::OpTypeArray:
      return MeasureArray(*instruction, matrix);
    case spv::Op::OpTypeStruct:
      return MeasureStruct(*instruction);
    default:
      return std::nullopt;
  }
}

LayoutMeter::Bytes LayoutMeter::MeasureVector(const Instruction& type) {
  const Bytes component = Measure(type.operands[0], {});
  return component ? EndOf(type.operands[1], *component, component) : std::nullopt;
}

LayoutMeter::Bytes LayoutMeter::MeasureMatrix(const Instruction& type, const MatrixLayout& matrix) {
  const Instruction* column = types_.Find(type.operands[0]);
  if (column == nullptr || column->opcode != spv::Op::OpTypeVector || !matrix.stride) return std::nullopt;
  if (!matrix.row_major) return EndOf(type.operands[1], *matrix.stride, MeasureVector(*column));
  const Bytes component = Measure(column->operands[0], {});
  const Bytes row = component ? EndOf(type.operands[1], *component, component) : std::nullopt;
  return EndOf(column->operands[1], *matrix.stride, row);
}

LayoutMeter::Bytes LayoutMeter::MeasureArray(const Instruction& type, const MatrixLayout& matrix) {
  const std::optional<uint32_t> length =
      options_.lengths ? options_.lengths(type.operands[1]) : types_.ConstantValue(type.operands[1]);
  const std::optional<uint32_t> stride = Decorated().Find(type.result_id, spv::Decoration::ArrayStride);
  if (!length || !stride) return std::nullopt;
  return EndOf(*length, *stride, Measure(type.operands[0], matrix));
}

LayoutMeter::Bytes LayoutMeter::MeasureStruct(const Instruction& type) {
  if (const auto known = struct_sizes_.find(type.result_id); known != struct_sizes_.end()) return known->second;
  Bytes size = 0;
  for (uint32_t member = 0; size && member < type.operands.size(); ++member) {
    const std::optional<uint32_t> offset = Decorated().FindMember(type.result_id, member, spv::Decoration::Offset);
    const MatrixLayout matrix = {Decorated().FindMember(type.result_id, member, spv::Decoration::MatrixStride),
                                 Decorated().HasMember(type.result_id, member, spv::Decoration::RowMajor)};
    const Bytes bytes = Measure(type.operands[member], matrix);
    size = offset && bytes ? Limited(std::max(*size, *offset + *bytes)) : std::nullopt;
  }
  struct_sizes_[type.result_id] = size;
  return size;
}

}  // namespace trellis::spirv
