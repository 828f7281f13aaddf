// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/types.h"

#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

#include "spirv_lowering/ir/layout.h"

namespace trellis::spirv {
namespace {

std::string Key(spv::Op opcode, Id type, const std::vector<uint32_t>& operands) {
  std::vector<uint32_t> words = {static_cast<uint32_t>(opcode), type};
  words.insert(words.end(), operands.begin(), operands.end());
  return std::string(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t));
}

// Variables, debug information and specialisation constants are never one for all.
bool HasKey(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpVariable:
    case spv::Op::OpUntypedVariableKHR:
    case spv::Op::OpExtInst:
    case spv::Op::OpExtInstWithForwardRefsKHR:
    case spv::Op::OpSpecConstant:
    case spv::Op::OpSpecConstantTrue:
    case spv::Op::OpSpecConstantFalse:
    case spv::Op::OpSpecConstantOp:
    case spv::Op::OpSpecConstantComposite:
    case spv::Op::OpSpecConstantStringAMDX:
      return false;
    default:
      return true;
  }
}

bool IsWholeDecoration(spv::Op opcode) {
  return opcode == spv::Op::OpDecorate || opcode == spv::Op::OpDecorateId || opcode == spv::Op::OpDecorateString;
}

}  // namespace

Types::Types(Module& module) : module_(module) {
  for (size_t position = 0; position < module.globals.size(); ++position) Index(position);
}

void Types::Index(size_t position) {
  const Instruction& instruction = module_.globals[position];
  if (instruction.result_id == kNoId) return;
  position_.emplace(instruction.result_id, position);
  if (HasKey(instruction.opcode))
    unique_.emplace(Key(instruction.opcode, instruction.type_id, instruction.operands), instruction.result_id);
}

const Instruction* Types::Find(Id id) const {
  const auto found = position_.find(id);
  return found != position_.end() ? &module_.globals[found->second] : nullptr;
}

bool Types::Is(Id id, spv::Op opcode) const {
  const Instruction* instruction = Find(id);
  return instruction != nullptr && instruction->opcode == opcode;
}

Id Types::FindOrAppend(spv::Op opcode, Id type, std::vector<uint32_t> operands) {
  const auto found = unique_.find(Key(opcode, type, operands));
  return found != unique_.end() ? found->second : Append(opcode, type, std::move(operands));
}

Id Types::Append(spv::Op opcode, Id type, std::vector<uint32_t> operands) {
  const Id result = module_.NewId();
  AppendAs(result, opcode, type, std::move(operands));
  return result;
}

void Types::AppendAs(Id result, spv::Op opcode, Id type, std::vector<uint32_t> operands) {
  module_.globals.emplace_back(opcode, type, result, std::move(operands));
  Index(module_.globals.size() - 1);
}

Id Types::Void() { return FindOrAppend(spv::Op::OpTypeVoid, kNoId, {}); }
Id Types::Bool() { return FindOrAppend(spv::Op::OpTypeBool, kNoId, {}); }
Id Types::Int(uint32_t width, bool is_signed) {
  return FindOrAppend(spv::Op::OpTypeInt, kNoId, {width, is_signed ? 1u : 0u});
}
Id Types::Vector(Id component, uint32_t count) {
  return FindOrAppend(spv::Op::OpTypeVector, kNoId, {component, count});
}

Id Types::Pointer(spv::StorageClass storage_class, Id pointee) {
  return FindOrAppend(spv::Op::OpTypePointer, kNoId, {static_cast<uint32_t>(storage_class), pointee});
}

Id Types::FunctionType(Id result, const std::vector<Id>& parameters) {
  std::vector<uint32_t> operands = {result};
  operands.insert(operands.end(), parameters.begin(), parameters.end());
  return FindOrAppend(spv::Op::OpTypeFunction, kNoId, std::move(operands));
}

Id Types::ConstantUint(uint32_t value) { return FindOrAppend(spv::Op::OpConstant, Uint(), {value}); }
Id Types::ConstantBool(bool value) {
  return FindOrAppend(value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, Bool(), {});
}
Id Types::ConstantNull(Id type) { return FindOrAppend(spv::Op::OpConstantNull, type, {}); }
Id Types::Undef(Id type) { return FindOrAppend(spv::Op::OpUndef, type, {}); }

spv::StorageClass Types::PointerClass(Id type) const {
  assert(IsPointer(type));
  return static_cast<spv::StorageClass>(Find(type)->operands[0]);
}

Id Types::Pointee(Id type) const {
  assert(IsPointer(type));
  return Find(type)->operands[1];
}

Id Types::ElementType(Id composite, uint32_t index) const {
  const Instruction* type = Find(composite);
  if (type == nullptr) return kNoId;
  switch (type->opcode) {
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray:
    case spv::Op::OpTypeNodePayloadArrayAMDX:
      return type->operands[0];
    case spv::Op::OpTypeStruct:
      return index < type->operands.size() ? type->operands[index] : kNoId;
    default:
      return kNoId;
  }
}

std::optional<uint32_t> Types::ConstantValue(Id id) const {
  const Instruction* constant = Find(id);
  if (constant == nullptr || constant->opcode != spv::Op::OpConstant || constant->operands.size() != 1)
    return std::nullopt;
  const Instruction* type = Find(constant->type_id);
  if (type == nullptr || type->opcode != spv::Op::OpTypeInt) return std::nullopt;
  return constant->operands[0];
}

std::optional<uint32_t> Types::LaidOutSize(Id type) const { return LayoutMeter(module_, *this).Size(type); }

std::optional<uint32_t> FindDecoration(const Module& module, Id target, spv::Decoration decoration) {
  for (const Instruction& annotation : module.annotations) {
    const std::vector<uint32_t>& words = annotation.operands;
    if (IsWholeDecoration(annotation.opcode) && words[0] == target && words[1] == static_cast<uint32_t>(decoration))
      return words.size() > 2 ? words[2] : 0;
  }
  return std::nullopt;
}

bool HasDecoration(const Module& module, Id target, spv::Decoration decoration) {
  return FindDecoration(module, target, decoration).has_value();
}

Decorations::Decorations(const Module& module) {
  for (const Instruction& annotation : module.annotations) {
    const std::vector<uint32_t>& words = annotation.operands;
    if (IsWholeDecoration(annotation.opcode))
      entries_.push_back({words[0], kWhole, words[1], words.size() > 2 ? words[2] : 0});
    if (annotation.opcode == spv::Op::OpMemberDecorate || annotation.opcode == spv::Op::OpMemberDecorateString)
      entries_.push_back({words[0], words[1], words[2], words.size() > 3 ? words[3] : 0});
  }
  // The first of several counts.
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.target, a.member, a.decoration) < std::tie(b.target, b.member, b.decoration);
  });
}

std::optional<uint32_t> Decorations::FindMember(Id type, uint32_t member, spv::Decoration decoration) const {
  const auto wanted = std::tuple(type, member, static_cast<uint32_t>(decoration));
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), wanted,
      [](const Entry& entry, const auto& key) { return std::tie(entry.target, entry.member, entry.decoration) < key; });
  if (found == entries_.end() || std::tie(found->target, found->member, found->decoration) != wanted)
    return std::nullopt;
  return found->literal;
}

void Decorate(Module& module, Id target, spv::Decoration decoration, const std::vector<uint32_t>& literals) {
  std::vector<uint32_t> operands = {target, static_cast<uint32_t>(decoration)};
  operands.insert(operands.end(), literals.begin(), literals.end());
  module.annotations.emplace_back(spv::Op::OpDecorate, kNoId, kNoId, std::move(operands));
}

void DecorateMember(Module& module, Id type, uint32_t member, spv::Decoration decoration,
                    const std::vector<uint32_t>& literals) {
  std::vector<uint32_t> operands = {type, member, static_cast<uint32_t>(decoration)};
  operands.insert(operands.end(), literals.begin(), literals.end());
  module.annotations.emplace_back(spv::Op::OpMemberDecorate, kNoId, kNoId, std::move(operands));
}

void CopyDecorations(Module& module, Id from, Id to) {
  for (std::vector<Instruction>* section : {&module.annotations, &module.debug_names}) {
    for (size_t i = 0, count = section->size(); i < count; ++i) {
      if ((*section)[i].operands.empty() || (*section)[i].operands[0] != from) continue;
      Instruction copy = (*section)[i];
      copy.operands[0] = to;
      section->push_back(std::move(copy));
    }
  }
}

std::string NameOf(const Module& module, Id id) {
  for (const Instruction& name : module.debug_names) {
    if (name.opcode == spv::Op::OpName && name.operands[0] == id)
      return DecodeString(name.operands.data() + 1, name.operands.size() - 1);
  }
  return "%" + std::to_string(id);
}

}  // namespace trellis::spirv
