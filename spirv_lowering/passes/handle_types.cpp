// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/handle_types.h"

#include <algorithm>
#include <iterator>

#include "spirv_lowering/grammar/grammar.h"

namespace trellis::spirv {
namespace {

constexpr const char* kOnlyVariables =
    ": a node payload array where only Function, Private and Workgroup variables can hold one";

}  // namespace

Expected<HandleTypes> HandleTypes::Create(const Module& module, Types& types, StoredTypes& stored, Id input) {
  HandleTypes result;
  const Id uvec4 = types.Vector(types.Uint(), 4);
  // An input declared as OpTypeArray or OpTypeRuntimeArray of structures is handled like a payload array.
  Id input_array = kNoId;
  if (input != kNoId) {
    const Id pointee = types.Pointee(types.Find(input)->type_id);
    const Instruction* shape = types.Find(pointee);
    if (shape != nullptr && (shape->opcode == spv::Op::OpTypeArray || shape->opcode == spv::Op::OpTypeRuntimeArray))
      input_array = pointee;
  }
  std::vector<Instruction> declared;
  std::copy_if(module.globals.begin(), module.globals.end(), std::back_inserter(declared),
               [](const Instruction& global) {
                 return global.type_id == kNoId && global.result_id != kNoId && global.opcode != spv::Op::OpVariable;
               });
  const auto holds = [&](Id type) { return result.Holds(type); };
  const auto has_null = [&](Id type) { return result.arrays_.contains(type) || result.with_null_.contains(type); };
  const auto refuse = [](const Instruction& type, const char* why) {
    return Error{OpcodeName(type.opcode) + " %" + std::to_string(type.result_id) + why};
  };
  for (const Instruction& type : declared) {
    const Id id = type.result_id;
    switch (type.opcode) {
      case spv::Op::OpTypeNodePayloadArrayAMDX:
        if (holds(type.operands[0])) return refuse(type, ": a node payload array in a payload");
        result.arrays_.insert(id);
        result.payload_of_[id] = type.operands[0];
        result.replacement_[id] = uvec4;
        break;
      case spv::Op::OpTypeArray:
      case spv::Op::OpTypeRuntimeArray:
        if (id == input_array) result.payload_of_[id] = type.operands[0];
        if (holds(type.operands[0])) result.holders_.insert(id);
        if (has_null(type.operands[0]) && type.opcode == spv::Op::OpTypeArray) result.with_null_.insert(id);
        break;
      case spv::Op::OpTypeStruct:
        if (std::any_of(type.operands.begin(), type.operands.end(), holds)) result.holders_.insert(id);
        if (std::all_of(type.operands.begin(), type.operands.end(), has_null)) result.with_null_.insert(id);
        break;
      case spv::Op::OpTypeBool:
      case spv::Op::OpTypeInt:
      case spv::Op::OpTypeFloat:
      case spv::Op::OpTypeVector:
      case spv::Op::OpTypeMatrix:
        result.with_null_.insert(id);
        break;
      case spv::Op::OpTypePointer:
        if (!result.AddPointer(type, input_array, types, stored)) return refuse(type, kOnlyVariables);
        break;
      case spv::Op::OpTypeFunction:
        result.AddFunction(type, types);
        break;
      default:
        break;
    }
  }
  return result;
}

bool HandleTypes::AddPointer(const Instruction& type, Id input_array, Types& types, StoredTypes& stored) {
  const Id id = type.result_id;
  const auto storage = static_cast<spv::StorageClass>(type.operands[0]);
  const Id pointee = type.operands[1];
  const bool to_array = arrays_.contains(pointee);
  const bool for_handles = storage == spv::StorageClass::Function || storage == spv::StorageClass::Private ||
                           storage == spv::StorageClass::Workgroup;
  if (Holds(pointee) && !for_handles && !(to_array && storage == spv::StorageClass::NodePayloadAMDX)) return false;
  if (storage == spv::StorageClass::NodePayloadAMDX) {
    const bool by_handle = to_array || pointee == input_array;
    if (by_handle) payload_of_[id] = payload_of_[pointee];
    (by_handle ? array_pointers_ : payload_pointers_).insert(id);
    replacement_[id] = by_handle ? types.Vector(types.Uint(), 4)
                                 : types.Pointer(spv::StorageClass::PhysicalStorageBuffer, stored.Of(pointee));
  } else if (to_array) {
    payload_of_[id] = payload_of_[pointee];
    variables_.insert(id);
    replacement_[id] = types.Pointer(storage, types.Vector(types.Uint(), 4));
  }
  return true;
}

void HandleTypes::AddFunction(const Instruction& type, Types& types) {
  std::vector<Id> signature;
  std::transform(type.operands.begin(), type.operands.end(), std::back_inserter(signature),
                 [&](Id part) { return Replacement(part); });
  if (signature != type.operands)
    replacement_[type.result_id] = types.FunctionType(signature.front(), {signature.begin() + 1, signature.end()});
}

void HandleTypes::Apply(Module& module) const {
  const auto replace = [&](Instruction& instruction) { instruction.type_id = Replacement(instruction.type_id); };
  for (Instruction& global : module.globals) {
    replace(global);
    if (!holders_.contains(global.result_id)) continue;
    // The length of an array is no type.
    const size_t types = global.opcode == spv::Op::OpTypeStruct ? global.operands.size() : 1;
    for (size_t i = 0; i < types; ++i) global.operands[i] = Replacement(global.operands[i]);
  }
  for (Function& function : module.functions) {
    replace(function.definition);
    function.definition.operands[1] = Replacement(function.definition.operands[1]);
    std::for_each(function.parameters.begin(), function.parameters.end(), replace);
    for (BasicBlock& block : function.blocks) std::for_each(block.body.begin(), block.body.end(), replace);
  }
}

}  // namespace trellis::spirv
