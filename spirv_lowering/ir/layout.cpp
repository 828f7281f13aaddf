#include "spirv_lowering/ir/layout.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace trellis::spirv {
namespace {

// SPIR-V 2.17 gives a structure at most 16,383 members, so 14 bits name one; this value names the type itself.
constexpr uint32_t kWholeType = 0x00ffffff;
constexpr uint32_t kPointerBytes = 8;

// Two bits of the key; other decorations do not matter here.
std::optional<uint32_t> KindOf(uint32_t decoration) {
  switch (static_cast<spv::Decoration>(decoration)) {
    case spv::Decoration::Offset:
      return 0;
    case spv::Decoration::ArrayStride:
      return 1;
    case spv::Decoration::MatrixStride:
      return 2;
    case spv::Decoration::RowMajor:
      return 3;
    default:
      return std::nullopt;
  }
}

uint64_t KeyOf(Id type, uint32_t member, uint32_t kind) {
  return (uint64_t{type} << 32) | (uint64_t{member & kWholeType} << 2) | kind;
}

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

void LayoutMeter::CollectDecorations() {
  collected_ = true;
  for (const Instruction& annotation : module_.annotations) {
    const bool on_member = annotation.opcode == spv::Op::OpMemberDecorate;
    if (!on_member && annotation.opcode != spv::Op::OpDecorate) continue;
    const size_t at = on_member ? 2 : 1;
    const std::optional<uint32_t> kind = KindOf(annotation.operands[at]);
    if (!kind) continue;
    const uint32_t literal = annotation.operands.size() > at + 1 ? annotation.operands[at + 1] : 1;
    decorations_.emplace(KeyOf(annotation.operands[0], on_member ? annotation.operands[1] : kWholeType, *kind),
                         literal);
  }
}

std::optional<uint32_t> LayoutMeter::Decoration(Id type, uint32_t member, spv::Decoration decoration) const {
  const auto found = decorations_.find(KeyOf(type, member, *KindOf(static_cast<uint32_t>(decoration))));
  if (found == decorations_.end()) return std::nullopt;
  return found->second;
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
  if (!collected_) CollectDecorations();
  const Bytes bytes = Measure(type, {});
  if (!bytes) return std::nullopt;
  return static_cast<uint32_t>(*bytes);
}

uint32_t LayoutMeter::AlignmentAt(Id type, std::span<const Id> indices, uint32_t alignment) {
  if (!collected_) CollectDecorations();
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
      return constant ? Decoration(type.result_id, *constant, spv::Decoration::Offset) : std::nullopt;
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray:
      return times(Decoration(type.result_id, kWholeType, spv::Decoration::ArrayStride));
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
  const std::optional<uint32_t> stride = Decoration(type.result_id, kWholeType, spv::Decoration::ArrayStride);
  if (!length || !stride) return std::nullopt;
  return EndOf(*length, *stride, Measure(type.operands[0], matrix));
}

LayoutMeter::Bytes LayoutMeter::MeasureStruct(const Instruction& type) {
  if (const auto known = struct_sizes_.find(type.result_id); known != struct_sizes_.end()) return known->second;
  Bytes size = 0;
  for (uint32_t member = 0; size && member < type.operands.size(); ++member) {
    const std::optional<uint32_t> offset = Decoration(type.result_id, member, spv::Decoration::Offset);
    const MatrixLayout matrix = {Decoration(type.result_id, member, spv::Decoration::MatrixStride),
                                 Decoration(type.result_id, member, spv::Decoration::RowMajor).has_value()};
    const Bytes bytes = Measure(type.operands[member], matrix);
    size = offset && bytes ? Limited(std::max(*size, *offset + *bytes)) : std::nullopt;
  }
  struct_sizes_[type.result_id] = size;
  return size;
}

}  // namespace trellis::spirv
