#include "spirv_lowering/passes/handle_types.h"

#include <algorithm>
#include <iterator>

#include "spirv_lowering/grammar/grammar.h"

namespace trellis::spirv {

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
  for (const Instruction& type : declared) {
    const Id id = type.result_id;
    switch (type.opcode) {
      case spv::Op::OpTypeNodePayloadArrayAMDX:
        result.arrays_.insert(id);
        result.payload_of_[id] = type.operands[0];
        result.replacement_[id] = uvec4;
        break;
      case spv::Op::OpTypeArray:
      case spv::Op::OpTypeRuntimeArray:
        if (id == input_array) result.payload_of_[id] = type.operands[0];
        if (result.arrays_.contains(type.operands[0])) {
          return Error{OpcodeName(type.opcode) + " %" + std::to_string(id) +
                       " holds node payload arrays: not supported"};
        }
        break;
      case spv::Op::OpTypeStruct:
        if (std::any_of(type.operands.begin(), type.operands.end(),
                        [&](Id member) { return result.arrays_.contains(member); })) {
          return Error{OpcodeName(type.opcode) + " %" + std::to_string(id) +
                       " holds a node payload array: not supported"};
        }
        break;
      case spv::Op::OpTypePointer: {
        const auto storage = static_cast<spv::StorageClass>(type.operands[0]);
        const Id pointee = type.operands[1];
        const bool to_array = result.arrays_.contains(pointee);
        if (storage == spv::StorageClass::NodePayloadAMDX) {
          const bool by_handle = to_array || pointee == input_array;
          if (by_handle) result.payload_of_[id] = result.payload_of_[pointee];
          (by_handle ? result.array_pointers_ : result.payload_pointers_).insert(id);
          result.replacement_[id] =
              by_handle ? uvec4 : types.Pointer(spv::StorageClass::PhysicalStorageBuffer, stored.Of(pointee));
        } else if (to_array) {
          if (storage != spv::StorageClass::Function && storage != spv::StorageClass::Private) {
            return Error{"OpTypePointer %" + std::to_string(id) +
                         ": a node payload array in a storage class other than Function, Private and NodePayloadAMDX"};
          }
          result.payload_of_[id] = result.payload_of_[pointee];
          result.variables_.insert(id);
          result.replacement_[id] = types.Pointer(storage, uvec4);
        }
        break;
      }
      case spv::Op::OpTypeFunction: {
        std::vector<Id> signature;
        std::transform(type.operands.begin(), type.operands.end(), std::back_inserter(signature),
                       [&](Id part) { return result.Replacement(part); });
        if (signature != type.operands) {
          result.replacement_[id] = types.FunctionType(signature.front(), {signature.begin() + 1, signature.end()});
        }
        break;
      }
      default:
        break;
    }
  }
  return result;
}

void HandleTypes::Apply(Module& module) const {
  const auto replace = [&](Instruction& instruction) { instruction.type_id = Replacement(instruction.type_id); };
  std::for_each(module.globals.begin(), module.globals.end(), replace);
  for (Function& function : module.functions) {
    replace(function.definition);
    function.definition.operands[1] = Replacement(function.definition.operands[1]);
    std::for_each(function.parameters.begin(), function.parameters.end(), replace);
    for (BasicBlock& block : function.blocks) std::for_each(block.body.begin(), block.body.end(), replace);
  }
}

}  // namespace trellis::spirv
