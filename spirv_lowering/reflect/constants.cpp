// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/reflect/constants.h"

#include <algorithm>
#include <utility>

namespace trellis::spirv {
namespace {

// A VkBool32.
constexpr size_t kBoolBytes = 4;

uint64_t ReadBytes(const std::vector<uint8_t>& bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < std::min<size_t>(bytes.size(), sizeof(value)); ++i) value |= uint64_t{bytes[i]} << (8 * i);
  return value;
}

// Division by -1 apart: the smallest number has no quotient there.
std::optional<uint64_t> DivideSigned(spv::Op op, int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  if (op == spv::Op::OpSDiv) return b == -1 ? uint64_t{0} - static_cast<uint64_t>(a) : static_cast<uint64_t>(a / b);
  const int64_t rest = b == -1 ? 0 : a % b;
  const bool has_other_sign = rest != 0 && (rest < 0) != (b < 0);
  return static_cast<uint64_t>(op == spv::Op::OpSMod && has_other_sign ? rest + b : rest);
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
    case spv::Op::OpTypeVector:
      vectors_[global.result_id] = {global.operands[0], global.operands[1]};
      break;
    case spv::Op::OpConstantNull:
      AddNull(global);
      break;
    case spv::Op::OpConstantTrue:
    case spv::Op::OpConstantFalse:
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
      AddOperation(global);
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

void ConstantEvaluator::AddNull(const Instruction& constant) {
  if (const auto vector = vectors_.find(constant.type_id); vector != vectors_.end()) {
    const auto type = scalars_.find(vector->second.component);
    if (type == scalars_.end() || type->second.is_float) return;
    composites_[constant.result_id].assign(vector->second.count, AddPart({0, type->second.width}));
  } else {
    AddLiteral(constant);
  }
}

Id ConstantEvaluator::AddPart(const Number& number) {
  numbers_[next_part_] = number;
  return next_part_--;
}

Id ConstantEvaluator::AddComposite(std::vector<Id> parts) {
  composites_[next_part_] = std::move(parts);
  return next_part_--;
}

void ConstantEvaluator::Copy(Id from, Id to) {
  if (const Number* number = Find(from)) {
    numbers_[to] = Number(*number);
  } else if (const auto composite = composites_.find(from); composite != composites_.end()) {
    composites_[to] = std::vector<Id>(composite->second);
  }
}

void ConstantEvaluator::AddOperation(const Instruction& constant) {
  const std::span<const uint32_t> words(constant.operands);
  if (words.size() < 2) return;
  const auto operation = static_cast<spv::Op>(words[0]);
  std::optional<Id> same;
  switch (operation) {
    case spv::Op::OpCompositeExtract:
      same = Extract(words.subspan(1));
      break;
    case spv::Op::OpCompositeInsert:
      if (words.size() >= 3) same = Insert(words[1], words[2], words.subspan(3));
      break;
    case spv::Op::OpVectorShuffle:
      same = Shuffle(words.subspan(1));
      break;
    default:
      break;
  }
  if (same) return Copy(*same, constant.result_id);
  if (const auto vector = vectors_.find(constant.type_id); vector != vectors_.end())
    return AddVectorOperation(constant, vector->second);
  const auto type = scalars_.find(constant.type_id);
  if (type == scalars_.end() || type->second.is_float) return;
  if (const std::optional<Number> number = Operate(operation, words.subspan(1), type->second.width))
    numbers_[constant.result_id] = *number;
}

void ConstantEvaluator::AddVectorOperation(const Instruction& constant, const Vector& type) {
  const auto component = scalars_.find(type.component);
  if (component == scalars_.end() || component->second.is_float) return;
  std::vector<Id> parts;
  for (uint32_t i = 0; i < type.count; ++i) {
    std::vector<Id> operands;
    for (size_t word = 1; word < constant.operands.size(); ++word) {
      // The condition of OpSelect may be a scalar.
      const auto composite = composites_.find(constant.operands[word]);
      if (composite != composites_.end() && i >= composite->second.size()) return;
      operands.push_back(composite == composites_.end() ? constant.operands[word] : composite->second[i]);
    }
    const std::optional<Number> number =
        Operate(static_cast<spv::Op>(constant.operands[0]), operands, component->second.width);
    if (!number) return;
    parts.push_back(AddPart(*number));
  }
  composites_[constant.result_id] = std::move(parts);
}

std::optional<ConstantEvaluator::Number> ConstantEvaluator::Operate(spv::Op operation, std::span<const Id> operands,
                                                                    uint32_t width) const {
  const auto result = [width](std::optional<uint64_t> bits) {
    return bits ? std::optional(Number{*bits & Mask(width), width}) : std::nullopt;
  };
  const Number* a = operands.empty() ? nullptr : Find(operands[0]);
  if (a == nullptr) return std::nullopt;
  if (operands.size() == 1) return result(Unary(operation, *a));
  if (operation == spv::Op::OpSelect && operands.size() == 3) {
    const Number* chosen = Find(operands[a->bits != 0 ? 1 : 2]);
    return chosen == nullptr ? std::nullopt : result(chosen->bits);
  }
  const Number* b = Find(operands[1]);
  if (b == nullptr || operands.size() != 2) return std::nullopt;
  return result(Binary(operation, *a, *b));
}

std::optional<Id> ConstantEvaluator::Extract(std::span<const uint32_t> words) const {
  Id id = words[0];
  for (const uint32_t index : words.subspan(1)) {
    const auto composite = composites_.find(id);
    if (composite == composites_.end() || index >= composite->second.size()) return std::nullopt;
    id = composite->second[index];
  }
  return id;
}

std::optional<Id> ConstantEvaluator::Insert(Id part, Id id, std::span<const uint32_t> indices) {
  // Outermost composite first.
  std::vector<std::vector<Id>> path;
  for (const uint32_t index : indices) {
    const auto composite = composites_.find(id);
    if (composite == composites_.end() || index >= composite->second.size()) return std::nullopt;
    path.push_back(composite->second);
    id = composite->second[index];
  }
  for (size_t depth = path.size(); depth-- > 0;) {
    path[depth][indices[depth]] = part;
    part = AddComposite(std::move(path[depth]));
  }
  return part;
}

std::optional<Id> ConstantEvaluator::Shuffle(std::span<const uint32_t> words) {
  if (words.size() < 2) return std::nullopt;
  std::vector<Id> both;
  for (const Id operand : words.first(2)) {
    const auto composite = composites_.find(operand);
    if (composite == composites_.end()) return std::nullopt;
    both.insert(both.end(), composite->second.begin(), composite->second.end());
  }
  std::vector<Id> parts;
  for (const uint32_t component : words.subspan(2)) {
    // 0xffffffff: a component without a value.
    if (component != 0xffffffffu && component >= both.size()) return std::nullopt;
    parts.push_back(component == 0xffffffffu ? kNoId : both[component]);
  }
  return AddComposite(std::move(parts));
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
    case spv::Op::OpSDiv:
    case spv::Op::OpSRem:
    case spv::Op::OpSMod:
      return DivideSigned(op, sa, sb);
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

bool ConstantEvaluator::Agrees(std::span<const ReadConstant> constants) const {
  return std::all_of(constants.begin(), constants.end(),
                     [this](const ReadConstant& constant) { return Value(constant.id) == constant.value; });
}

std::optional<uint32_t> ConstantReader::Value(Id id) {
  const auto known = std::ranges::find(read_, id, &ReadConstant::id);
  if (known != read_.end()) return known->value;
  return read_.emplace_back(ReadConstant{id, constants_.Value(id)}).value;
}

std::optional<std::string> ConstantEvaluator::String(Id id) const {
  const auto found = strings_.find(id);
  return found == strings_.end() ? std::nullopt : std::optional(found->second);
}

Error Refuse(const std::string& what, Id id, const std::string& why) {
  return Error{what + " %" + std::to_string(id) + ": " + why};
}

Expected<void> ReadOperand(const ConstantEvaluator& constants, const std::string& what, Id id, uint32_t& value) {
  const std::optional<uint32_t> found = constants.Value(id);
  if (!found)
    return Refuse(what, id, "the operand is not an integer constant that can be evaluated at pipeline creation");
  value = *found;
  return {};
}

}  // namespace trellis::spirv
