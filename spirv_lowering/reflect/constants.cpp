#include "spirv_lowering/reflect/constants.h"

#include <algorithm>

namespace trellis::spirv {
namespace {

// A VkBool32.
constexpr size_t kBoolBytes = 4;

uint64_t ReadBytes(const std::vector<uint8_t>& bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < std::min<size_t>(bytes.size(), sizeof(value)); ++i) value |= uint64_t{bytes[i]} << (8 * i);
  return value;
}

}  // namespace

ConstantEvaluator::ConstantEvaluator(const Module& module, const Specialization& specialization)
    : specialization_(specialization) {
  for (const Instruction& decoration : module.annotations) {
    if (decoration.opcode == spv::Op::OpDecorate && decoration.operands.size() == 3 &&
        decoration.operands[1] == static_cast<uint32_t>(spv::Decoration::SpecId)) {
      spec_ids_[decoration.operands[0]] = decoration.operands[2];
    }
  }
  // Operands come before their users, so that one pass will do.
  for (const Instruction& global : module.globals) Add(global);
}

const std::vector<uint8_t>* ConstantEvaluator::Specialized(Id id) const {
  const auto spec_id = spec_ids_.find(id);
  if (spec_id == spec_ids_.end()) return nullptr;
  const auto value = specialization_.find(spec_id->second);
  return value == specialization_.end() ? nullptr : &value->second;
}

void ConstantEvaluator::Add(const Instruction& global) {
  switch (global.opcode) {
    case spv::Op::OpTypeBool:
      scalars_[global.result_id] = {1, false};
      break;
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      scalars_[global.result_id] = {global.operands[0], global.opcode == spv::Op::OpTypeFloat};
      break;
    case spv::Op::OpConstantTrue:
    case spv::Op::OpConstantFalse:
    case spv::Op::OpConstantNull:
    case spv::Op::OpConstant:
    case spv::Op::OpSpecConstant:
    case spv::Op::OpSpecConstantTrue:
    case spv::Op::OpSpecConstantFalse:
      AddLiteral(global);
      break;
    case spv::Op::OpConstantComposite:
    case spv::Op::OpSpecConstantComposite:
      composites_[global.result_id] = global.operands;
      break;
    case spv::Op::OpSpecConstantOp:
      if (const auto type = scalars_.find(global.type_id); type != scalars_.end() && !type->second.is_float) {
        const uint32_t width = type->second.width;
        if (const std::optional<uint64_t> bits = Operation(global))
          numbers_[global.result_id] = {*bits & Mask(width), width};
      }
      break;
    case spv::Op::OpSpecConstantStringAMDX:
      if (const std::vector<uint8_t>* bytes = Specialized(global.result_id)) {
        strings_[global.result_id] = std::string(bytes->begin(), std::find(bytes->begin(), bytes->end(), uint8_t{0}));
        break;
      }
      [[fallthrough]];
    case spv::Op::OpConstantStringAMDX:
      strings_[global.result_id] = DecodeString(global.operands.data(), global.operands.size());
      break;
    default:
      break;
  }
}

void ConstantEvaluator::AddLiteral(const Instruction& constant) {
  const auto type = scalars_.find(constant.type_id);
  if (type == scalars_.end()) return;
  const uint32_t width = type->second.width;
  Number number{0, width};
  if (constant.opcode == spv::Op::OpConstant || constant.opcode == spv::Op::OpSpecConstant) {
    for (size_t i = 0; i < std::min<size_t>(constant.operands.size(), 2); ++i)
      number.bits |= uint64_t{constant.operands[i]} << (32 * i);
  } else {
    number.bits = constant.opcode == spv::Op::OpConstantTrue || constant.opcode == spv::Op::OpSpecConstantTrue ? 1 : 0;
  }
  if (const std::vector<uint8_t>* bytes = Specialized(constant.result_id)) {
    const size_t expected = width == 1 ? kBoolBytes : width / 8;
    if (bytes->size() != expected && sizes_) {
      sizes_ = Error{"specialisation constant %" + std::to_string(constant.result_id) + " (SpecId " +
                     std::to_string(spec_ids_[constant.result_id]) + "): " + std::to_string(bytes->size()) +
                     " bytes were given for a constant of " + std::to_string(expected)};
    }
    number.bits = width == 1 ? static_cast<uint64_t>(ReadBytes(*bytes) != 0) : ReadBytes(*bytes);
  }
  number.bits &= Mask(width);
  if (!type->second.is_float) numbers_[constant.result_id] = number;
}

const ConstantEvaluator::Number* ConstantEvaluator::Find(Id id) const {
  const auto found = numbers_.find(id);
  return found == numbers_.end() ? nullptr : &found->second;
}

std::optional<uint64_t> ConstantEvaluator::Operation(const Instruction& constant) const {
  const std::vector<uint32_t>& words = constant.operands;
  if (words.size() < 2) return std::nullopt;
  const auto op = static_cast<spv::Op>(words[0]);
  if (op == spv::Op::OpCompositeExtract) return Extract(constant);
  const Number* a = Find(words[1]);
  if (a == nullptr) return std::nullopt;
  if (words.size() == 2) return Unary(op, *a);
  if (op == spv::Op::OpSelect && words.size() == 4) {
    const Number* chosen = Find(words[a->bits != 0 ? 2 : 3]);
    return chosen == nullptr ? std::nullopt : std::optional(chosen->bits);
  }
  const Number* b = Find(words[2]);
  if (b == nullptr || words.size() != 3) return std::nullopt;
  return Binary(op, *a, *b);
}

std::optional<uint64_t> ConstantEvaluator::Extract(const Instruction& constant) const {
  Id id = constant.operands[1];
  for (size_t i = 2; i < constant.operands.size(); ++i) {
    const auto composite = composites_.find(id);
    if (composite == composites_.end() || constant.operands[i] >= composite->second.size()) return std::nullopt;
    id = composite->second[constant.operands[i]];
  }
  const Number* number = Find(id);
  return number == nullptr ? std::nullopt : std::optional(number->bits);
}

int64_t ConstantEvaluator::Signed(const Number& number) {
  const uint32_t shift = number.width >= 64 ? 0 : 64 - number.width;
  return static_cast<int64_t>(number.bits << shift) >> shift;
}

std::optional<uint64_t> ConstantEvaluator::Unary(spv::Op op, const Number& a) {
  switch (op) {
    case spv::Op::OpSNegate:
      return uint64_t{0} - a.bits;
    case spv::Op::OpNot:
      return ~a.bits;
    case spv::Op::OpLogicalNot:
      return a.bits == 0;
    case spv::Op::OpSConvert:
      return static_cast<uint64_t>(Signed(a));
    case spv::Op::OpUConvert:
    case spv::Op::OpCopyObject:
    case spv::Op::OpBitcast:
      return a.bits;
    default:
      return std::nullopt;
  }
}

std::optional<uint64_t> ConstantEvaluator::Binary(spv::Op op, const Number& a, const Number& b) {
  const int64_t sa = Signed(a);
  const int64_t sb = Signed(b);
  switch (op) {
    case spv::Op::OpIAdd:
      return a.bits + b.bits;
    case spv::Op::OpISub:
      return a.bits - b.bits;
    case spv::Op::OpIMul:
      return a.bits * b.bits;
    case spv::Op::OpUDiv:
      return b.bits == 0 ? std::nullopt : std::optional(a.bits / b.bits);
    case spv::Op::OpUMod:
      return b.bits == 0 ? std::nullopt : std::optional(a.bits % b.bits);
    // Division by -1 apart: the smallest number has no quotient there.
    case spv::Op::OpSDiv:
      if (sb == 0) return std::nullopt;
      return sb == -1 ? uint64_t{0} - a.bits : static_cast<uint64_t>(sa / sb);
    case spv::Op::OpSRem:
      if (sb == 0) return std::nullopt;
      return sb == -1 ? 0 : static_cast<uint64_t>(sa % sb);
    case spv::Op::OpSMod: {
      if (sb == 0) return std::nullopt;
      const int64_t rest = sb == -1 ? 0 : sa % sb;
      return static_cast<uint64_t>(rest != 0 && (rest < 0) != (sb < 0) ? rest + sb : rest);
    }
    case spv::Op::OpShiftLeftLogical:
      return b.bits >= a.width ? 0 : a.bits << b.bits;
    case spv::Op::OpShiftRightLogical:
      return b.bits >= a.width ? 0 : a.bits >> b.bits;
    case spv::Op::OpShiftRightArithmetic:
      return static_cast<uint64_t>(sa >> std::min<uint64_t>(b.bits, 63));
    case spv::Op::OpBitwiseAnd:
    case spv::Op::OpLogicalAnd:
      return a.bits & b.bits;
    case spv::Op::OpBitwiseOr:
    case spv::Op::OpLogicalOr:
      return a.bits | b.bits;
    case spv::Op::OpBitwiseXor:
      return a.bits ^ b.bits;
    case spv::Op::OpLogicalEqual:
    case spv::Op::OpIEqual:
      return a.bits == b.bits;
    case spv::Op::OpLogicalNotEqual:
    case spv::Op::OpINotEqual:
      return a.bits != b.bits;
    case spv::Op::OpULessThan:
      return a.bits < b.bits;
    case spv::Op::OpULessThanEqual:
      return a.bits <= b.bits;
    case spv::Op::OpUGreaterThan:
      return a.bits > b.bits;
    case spv::Op::OpUGreaterThanEqual:
      return a.bits >= b.bits;
    case spv::Op::OpSLessThan:
      return sa < sb;
    case spv::Op::OpSLessThanEqual:
      return sa <= sb;
    case spv::Op::OpSGreaterThan:
      return sa > sb;
    case spv::Op::OpSGreaterThanEqual:
      return sa >= sb;
    default:
      return std::nullopt;
  }
}

std::optional<uint32_t> ConstantEvaluator::Value(Id id) const {
  const Number* number = Find(id);
  if (number == nullptr || number->bits > UINT32_MAX) return std::nullopt;
  return static_cast<uint32_t>(number->bits);
}

std::optional<std::string> ConstantEvaluator::String(Id id) const {
  const auto found = strings_.find(id);
  return found == strings_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace trellis::spirv
