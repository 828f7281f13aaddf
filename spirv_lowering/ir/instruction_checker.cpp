// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/instruction_checker.h"

#include <algorithm>
#include <iterator>

namespace trellis::spirv {
namespace {

// SPIR-V 2.17: structure nesting depth. Taken for types of every kind, so that code that walks types may recurse.
constexpr uint32_t kMaxTypeDepth = 255;

bool IsWidth(uint32_t bits) { return bits == 8 || bits == 16 || bits == 32 || bits == 64; }

// Compares words, not a decoded copy: the name's length is up to the module's author, and this runs per
// instruction.
bool IsNonSemanticSet(std::span<const uint32_t> name) {
  constexpr uint32_t prefix[] = {0x536e6f4e, 0x6e616d65, 0x2e636974};  // "NonSemantic."
  return name.size() > std::size(prefix) && std::equal(std::begin(prefix), std::end(prefix), name.begin());
}

}  // namespace

void InstructionChecker::EnterFunction(size_t begin, size_t end) {
  function_begin_ = begin;
  function_end_ = end;
}

Expected<void> InstructionChecker::Check(const RawInstruction& instruction, Place place) {
  const uint32_t width = index_.LiteralWords(instruction);
  if (width == 0) return ErrorAt(instruction, "the literal has a type that is not a number's");
  operands_.clear();
  if (const char* problem = ParseOperandWords(instruction.opcode, instruction.operands, width, operands_)) {
    return ErrorAt(instruction, problem);
  }
  if (const char* problem = CheckResultType(instruction)) return ErrorAt(instruction, problem);
  if (Expected<void> ids = CheckIdOperands(instruction, place); !ids) return ids;

  const char* problem = nullptr;
  if (place == Place::kPreamble) {
    problem = CheckPreamble(instruction);
  } else if (instruction.info->opcode_class == OpcodeClass::kType) {
    problem = CheckType(instruction);
  } else if (instruction.info->opcode_class == OpcodeClass::kConstant) {
    problem = CheckConstant(instruction);
  } else if (instruction.opcode == spv::Op::OpVariable) {
    problem = CheckVariable(instruction, place);
  } else if (instruction.opcode == spv::Op::OpFunction) {
    problem = CheckFunction(instruction);
  } else {
    problem = CheckBody(instruction);
  }
  if (problem != nullptr) return ErrorAt(instruction, problem);
  return {};
}

const char* InstructionChecker::CheckResultType(const RawInstruction& instruction) const {
  if (!instruction.info->has_result_type) return nullptr;
  const std::optional<RawInstruction> type = index_.Definition(instruction.type_id);
  if (!type) return "nothing defines the result type";
  if (type->info->opcode_class != OpcodeClass::kType) return "the result type is not a type";
  if (type->offset > instruction.offset) return "the result type is used before its definition";
  return nullptr;
}

Expected<void> InstructionChecker::CheckIdOperands(const RawInstruction& instruction, Place place) const {
  for (const Operand& operand : operands_) {
    if (operand.kind != OperandKind::kId) continue;
    const Id id = instruction.operands[operand.offset];
    const auto refuse = [&](const char* what) { return ErrorAt(instruction, "%" + std::to_string(id) + what); };
    if (id == kNoId) return ErrorAt(instruction, "an id of zero");
    if (id >= index_.Bound()) return refuse(" is not below the id bound");
    const std::optional<RawInstruction> used = index_.Definition(id);
    if (!used) return refuse(" is used but nothing defines it");
    if (IsVoidExtInst(*used) && place != Place::kPreamble && !IsNonSemantic(instruction))
      return refuse(" has no value");
    if (!MayRefer(instruction, *used, place)) {
      return refuse(place == Place::kGlobals ? " is used before its definition"
                                             : " is defined inside another function");
    }
  }
  return {};
}

bool InstructionChecker::IsVoidExtInst(const RawInstruction& instruction) const {
  return IsExtInst(instruction.opcode) && index_.IsDefinedBy(instruction.type_id, spv::Op::OpTypeVoid);
}

bool InstructionChecker::IsNonSemantic(const RawInstruction& instruction) const {
  if (!IsExtInst(instruction.opcode) || instruction.operands.empty()) return false;
  const std::optional<RawInstruction> import = index_.Definition(instruction.operands[0]);
  return import && import->opcode == spv::Op::OpExtInstImport && IsNonSemanticSet(import->operands);
}

// SPIR-V 2.4: "All operands must be declared before being used" for types, constants and global variables; a function
// sees globals, functions and itself, in any order.
bool InstructionChecker::MayRefer(const RawInstruction& user, const RawInstruction& used, Place place) const {
  if (place == Place::kPreamble) return true;
  // Debug information has cycles (a type names its members, they name it), and tools emit them with and without
  // OpExtInstWithForwardRefsKHR.
  if (IsExtInst(user.opcode) && place == Place::kGlobals) return true;
  if (place == Place::kGlobals) {
    if (used.offset < user.offset) return true;
    if (used.opcode != spv::Op::OpTypePointer) return false;
    if (user.opcode == spv::Op::OpTypeForwardPointer) return true;
    return user.info->opcode_class == OpcodeClass::kType && forward_pointers_.contains(used.result_id);
  }
  if (used.offset < index_.FirstFunction() || used.opcode == spv::Op::OpFunction) return true;
  return used.offset >= function_begin_ && used.offset < function_end_;
}

bool InstructionChecker::AllTypes(std::span<const uint32_t> ids) const {
  return std::all_of(ids.begin(), ids.end(), [this](Id id) { return index_.IsType(id); });
}

bool InstructionChecker::AllLabels(std::initializer_list<Id> ids) const {
  return std::all_of(ids.begin(), ids.end(), [this](Id id) { return index_.IsDefinedBy(id, spv::Op::OpLabel); });
}

bool InstructionChecker::HasPointerType(Id value) const {
  const std::optional<RawInstruction> type = index_.TypeOf(value);
  return type && (type->opcode == spv::Op::OpTypePointer || type->opcode == spv::Op::OpTypeUntypedPointerKHR);
}

const char* InstructionChecker::CheckPreamble(const RawInstruction& instruction) const {
  const auto& words = instruction.operands;
  switch (instruction.opcode) {
    case spv::Op::OpEntryPoint: {
      if (!index_.IsDefinedBy(words[1], spv::Op::OpFunction)) return "the entry point is not a function";
      for (const Operand& operand : std::span<const Operand>(operands_).subspan(3)) {
        const std::optional<RawInstruction> variable = index_.Definition(words[operand.offset]);
        const bool global = variable && variable->offset < index_.FirstFunction();
        if (!global || (variable->opcode != spv::Op::OpVariable && variable->opcode != spv::Op::OpUntypedVariableKHR)) {
          return "the interface names something that is not a global variable";
        }
      }
      return nullptr;
    }
    case spv::Op::OpSource:
      return words.size() < 3 || index_.IsDefinedBy(words[2], spv::Op::OpString) ? nullptr
                                                                                 : "the file is not an OpString";
    case spv::Op::OpExecutionMode:
    case spv::Op::OpExecutionModeId:
      return index_.IsDefinedBy(words[0], spv::Op::OpFunction) ? nullptr : "the entry point is not a function";
    case spv::Op::OpGroupMemberDecorate:
      for (size_t i = 1; i < words.size(); i += 2) {
        const std::optional<RawInstruction> type = index_.Definition(words[i]);
        if (!type || type->opcode != spv::Op::OpTypeStruct || words[i + 1] >= type->operands.size())
          return "a target is no member of a structure";
      }
      return nullptr;
    case spv::Op::OpMemberDecorate:
    case spv::Op::OpMemberDecorateString: {
      const std::optional<RawInstruction> type = index_.Definition(words[0]);
      if (!type || type->opcode != spv::Op::OpTypeStruct) return "the target is not a structure type";
      return words[1] < type->operands.size() ? nullptr : "the structure has no such member";
    }
    default:
      return nullptr;
  }
}

const char* InstructionChecker::CheckTypeNesting(const RawInstruction& instruction) {
  uint32_t depth = 0;
  for (const Operand& operand : operands_) {
    if (operand.kind != OperandKind::kId) continue;
    const auto inner = type_depth_.find(instruction.operands[operand.offset]);
    if (inner != type_depth_.end()) depth = std::max(depth, inner->second);
  }
  type_depth_[instruction.result_id] = depth + 1;
  return depth + 1 > kMaxTypeDepth ? "types are nested deeper than 255" : nullptr;
}

const char* InstructionChecker::CheckType(const RawInstruction& instruction) {
  const auto& words = instruction.operands;
  if (instruction.opcode == spv::Op::OpTypeForwardPointer) {
    if (!index_.IsDefinedBy(words[0], spv::Op::OpTypePointer)) return "what is declared is not a pointer type";
    forward_pointers_.insert(words[0]);
    return nullptr;
  }
  if (!instruction.info->has_result) return "not supported";  // OpTypeStructContinuedINTEL
  if (const char* problem = CheckTypeNesting(instruction)) return problem;
  switch (instruction.opcode) {
    case spv::Op::OpTypeInt:
      if (words[1] > 1) return "the signedness is neither 0 nor 1";
      return IsWidth(words[0]) ? nullptr : "the width is not 8, 16, 32 or 64";
    case spv::Op::OpTypeFloat:
      return IsWidth(words[0]) ? nullptr : "the width is not 8, 16, 32 or 64";
    case spv::Op::OpTypeVector: {
      const bool scalar = index_.IsDefinedBy(words[0], spv::Op::OpTypeInt) ||
                          index_.IsDefinedBy(words[0], spv::Op::OpTypeFloat) ||
                          index_.IsDefinedBy(words[0], spv::Op::OpTypeBool);
      if (!scalar) return "the component is not a scalar type";
      return words[1] >= 2 ? nullptr : "fewer than two components";
    }
    case spv::Op::OpTypeMatrix:
      if (!index_.IsDefinedBy(words[0], spv::Op::OpTypeVector)) return "the column is not a vector type";
      return words[1] >= 2 ? nullptr : "fewer than two columns";
    case spv::Op::OpTypeArray: {
      if (!index_.IsType(words[0])) return "the element is not a type";
      const std::optional<RawInstruction> length = index_.Definition(words[1]);
      return length && length->info->opcode_class == OpcodeClass::kConstant ? nullptr : "the length is not a constant";
    }
    case spv::Op::OpTypeRuntimeArray:
    case spv::Op::OpTypeNodePayloadArrayAMDX:
      return index_.IsType(words[0]) ? nullptr : "the element is not a type";
    case spv::Op::OpTypeStruct:
      return AllTypes(words) ? nullptr : "a member is not a type";
    case spv::Op::OpTypePointer:
      return index_.IsType(words[1]) ? nullptr : "the pointee is not a type";
    case spv::Op::OpTypeFunction:
      return AllTypes(words) ? nullptr : "the result or a parameter is not a type";
    default:
      return nullptr;
  }
}

const char* InstructionChecker::CheckConstant(const RawInstruction& instruction) const {
  switch (instruction.opcode) {
    case spv::Op::OpConstantTrue:
    case spv::Op::OpConstantFalse:
    case spv::Op::OpSpecConstantTrue:
    case spv::Op::OpSpecConstantFalse:
      return index_.IsDefinedBy(instruction.type_id, spv::Op::OpTypeBool) ? nullptr : "the type is not OpTypeBool";
    case spv::Op::OpConstantCompositeContinuedINTEL:
    case spv::Op::OpSpecConstantCompositeContinuedINTEL:
      return "not supported";
    default:
      return nullptr;
  }
}

const char* InstructionChecker::CheckVariable(const RawInstruction& instruction, Place place) const {
  const std::optional<RawInstruction> type = index_.Definition(instruction.type_id);
  if (type->opcode != spv::Op::OpTypePointer) return "the type is not a pointer";
  if (type->operands.empty() || type->operands[0] != instruction.operands[0])
    return "the storage class is not that of the pointer type";
  const bool local = instruction.operands[0] == static_cast<uint32_t>(spv::StorageClass::Function);
  if (local != (place == Place::kFunction)) return "the storage class does not belong to variables at this place";
  return nullptr;
}

const char* InstructionChecker::CheckFunction(const RawInstruction& instruction) const {
  const std::optional<RawInstruction> type = index_.Definition(instruction.operands[1]);
  if (type->opcode != spv::Op::OpTypeFunction || type->operands.empty())
    return "the function type is not OpTypeFunction";
  return type->operands[0] == instruction.type_id ? nullptr : "the result type is not that of the function type";
}

const char* InstructionChecker::CheckCall(const RawInstruction& instruction) const {
  const std::optional<RawInstruction> callee = index_.Definition(instruction.operands[0]);
  if (callee->opcode != spv::Op::OpFunction || callee->operands.size() < 2) return "the callee is not a function";
  const std::optional<RawInstruction> type = index_.Definition(callee->operands[1]);
  if (!type || type->opcode != spv::Op::OpTypeFunction) return "the callee has no function type";
  // The type lists the result first, the call the callee.
  return type->operands.size() == instruction.operands.size()
             ? nullptr
             : "the number of arguments is not that of the callee's parameters";
}

const char* InstructionChecker::CheckBody(const RawInstruction& instruction) const {
  const auto& words = instruction.operands;
  switch (instruction.opcode) {
    case spv::Op::OpExtInst:
    case spv::Op::OpExtInstWithForwardRefsKHR:
      return index_.IsDefinedBy(words[0], spv::Op::OpExtInstImport) ? nullptr : "the set is not an import";
    case spv::Op::OpLine:
      return index_.IsDefinedBy(words[0], spv::Op::OpString) ? nullptr : "the file is not an OpString";
    case spv::Op::OpFunctionCall:
      return CheckCall(instruction);
    case spv::Op::OpBranch:
    case spv::Op::OpSelectionMerge:
      return AllLabels({words[0]}) ? nullptr : "the target is not a label";
    case spv::Op::OpLoopMerge:
      return AllLabels({words[0], words[1]}) ? nullptr : "the target is not a label";
    case spv::Op::OpBranchConditional:
      if (words.size() != 3 && words.size() != 5) return "branch weights come in pairs";
      return AllLabels({words[1], words[2]}) ? nullptr : "the target is not a label";
    case spv::Op::OpSwitch:
      for (const Operand& operand : std::span<const Operand>(operands_).subspan(1)) {
        if (operand.kind == OperandKind::kId && !AllLabels({words[operand.offset]})) return "the target is not a label";
      }
      return nullptr;
    case spv::Op::OpPhi:
      for (size_t parent = 1; parent < words.size(); parent += 2) {
        if (!AllLabels({words[parent]})) return "the parent is not a label";
      }
      return nullptr;
    case spv::Op::OpLoad:
    case spv::Op::OpStore:
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
    case spv::Op::OpPtrAccessChain:
    case spv::Op::OpInBoundsPtrAccessChain:
      if (!HasPointerType(words[0])) return "the base is not a pointer";
      if (instruction.opcode == spv::Op::OpLoad || instruction.opcode == spv::Op::OpStore) return nullptr;
      [[fallthrough]];
    case spv::Op::OpAllocateNodePayloadsAMDX:
      return index_.IsDefinedBy(instruction.type_id, spv::Op::OpTypePointer) ? nullptr
                                                                             : "the result type is not a pointer";
    default:
      return nullptr;
  }
}

}  // namespace trellis::spirv
