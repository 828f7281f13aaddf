// SPDX-License-Identifier: Apache-2.0
// The pass behind LowerHandles: what its parts share. Internal to handles.cpp, handle_access.cpp and handle_calls.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/passes/group_allocations.h"
#include "spirv_lowering/passes/handle_types.h"
#include "spirv_lowering/passes/memory_access.h"
#include "spirv_lowering/passes/pass_context.h"
#include "spirv_lowering/passes/robust_access.h"
#include "spirv_lowering/passes/runtime_calls.h"
#include "spirv_lowering/passes/stored_types.h"
#include "spirv_lowering/reflect/allocations.h"
#include "spirv_lowering/runtime/functions.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// For messages.
inline std::string Where(const Instruction& instruction) {
  return OpcodeName(instruction.opcode) +
         (instruction.result_id != kNoId ? " %" + std::to_string(instruction.result_id) : std::string());
}

class HandleLowering {
 public:
  // `groups` were found before anything was looked up.
  HandleLowering(Lowering& lowering, AllocationGroups groups)
      : lowering_(lowering),
        groups_(std::move(groups)),
        module_(lowering.module),
        types_(lowering.types),
        stored_(module_, types_, [&lowering](Id id) { return lowering.constants.Value(id); }),
        type_of_(TypesOfResults(module_)) {}

  [[nodiscard]] Expected<void> Run();

 private:
  // Finds what the module does with payloads, and returns whether it reads outputs. The index of uses is as large as
  // the module and does not outlive the analysis.
  [[nodiscard]] Expected<bool> Analyse();

  [[nodiscard]] Id TypeOf(Id id) const {
    const auto found = type_of_.find(id);
    return found == type_of_.end() ? kNoId : found->second;
  }
  [[nodiscard]] bool IsPayloadPointer(Id id) const { return handle_types_.IsPayloadPointer(TypeOf(id)); }
  [[nodiscard]] bool IsAnyHandle(Id type) const {
    return handle_types_.IsHandle(type) || handle_types_.IsHandleByPointer(type) ||
           handle_types_.IsHandleVariable(type);
  }

  void MarkShared();
  [[nodiscard]] Id InputPayload() const;
  void LowerGlobal(size_t at);
  [[nodiscard]] Expected<void> LowerFunction(Function& function);

  // The input variable's id stands for its handle, or for the pointer to a bare structure; loaded once a function.
  void LoadInput();
  Id Uvec4() { return types_.Vector(types_.Uint(), 4); }
  Id Uvec2() { return types_.Vector(types_.Uint(), 2); }
  // Returns a pointer to the type that stands in memory for `pointee`.
  Id RecordPointer(Id pointee) { return types_.Pointer(spv::StorageClass::PhysicalStorageBuffer, stored_.Of(pointee)); }

  // The handle behind an operand that names a payload array in any of its forms; kNoId if it names none.
  Id HandleOf(Id operand);

  // Address of record `index` of a handle, which `array` names. The input has at least one record; others may be lost,
  // or never written.
  Id AddressOf(Id array, Id handle, Id index);

  // A pointer to record `index` of the payload array that an operand names in any of its forms.
  Id Element(Id array, Id index, Id payload);
  Id AsUint(Id value) { return indices_.AsUint(builder_, value); }

  // Before an access chain of `indices` into a `type`.
  void KeepInside(Id type, std::span<Id> indices);
  [[nodiscard]] Expected<void> LowerInstruction(Instruction& instruction);

  // What stands for an undefined value of a type with handles: wild addresses must not come about, and a null handle
  // holds no records. kNoId for other types.
  Id NullFor(Id type);
  void InitialiseVariable(Instruction& variable);

  // An instruction that stays, with the input replaced.
  [[nodiscard]] Expected<void> Keep(Instruction instruction);

  // A call that gives an instruction's result.
  void CallFor(Id type, Id result, Id function, std::vector<uint32_t> operands);
  [[nodiscard]] Expected<void> LowerAllocate(const Instruction& instruction);

  // Arguments of all functions of the runtime that allocate or check an allocation.
  using Arguments = runtime::ReserveInvocation;

  // They are checked if they are to be.
  Arguments ArgumentsOf(const GroupedAllocation& of);

  // In front of the first one of a group.
  void ReserveChosen(const std::vector<GroupedAllocation>& group);
  Id WorkgroupSize() { return types_.ConstantUint(lowering_.info.Invocations()); }

  [[nodiscard]] Expected<void> LowerEnqueue(const Instruction& instruction);
  [[nodiscard]] Expected<void> LowerLength(const Instruction& instruction);
  [[nodiscard]] Expected<void> LowerValid(const Instruction& instruction);
  [[nodiscard]] Expected<void> LowerFinishWriting(const Instruction& instruction);
  [[nodiscard]] Expected<void> LowerAccessChain(Instruction& instruction);

  // Pointer to the part of a payload array's value that the literals from operand `first` on lead to.
  Id PartOf(Id array, const Instruction& instruction, size_t first, Id part);

  // Element and member of a payload array that is a value: a load.
  [[nodiscard]] Expected<void> LowerExtract(const Instruction& instruction);

  // The value stands for the array itself: a store into it, and the array that results is the same one.
  [[nodiscard]] Expected<void> LowerInsert(const Instruction& instruction);
  [[nodiscard]] Expected<void> LowerLoad(Instruction& instruction);
  [[nodiscard]] Expected<void> LoadPayload(Instruction load);
  [[nodiscard]] Expected<void> StorePayload(Instruction store, Id type);

  // A store through a pointer to a payload array itself, not to a variable: it stores payloads.
  [[nodiscard]] Expected<void> CopyArray(Id target, Id source);
  [[nodiscard]] Expected<void> LowerStore(Instruction& instruction);
  [[nodiscard]] Expected<void> LowerCopyMemory(Instruction& instruction);

  // An allocation of a group: what trellis_reserve_chosen returned, and its number there.
  struct Member {
    Id chosen;
    uint32_t number;
  };

  Lowering& lowering_;
  const AllocationGroups groups_;
  Module& module_;
  Types& types_;
  StoredTypes stored_;
  std::unordered_map<Id, Id> type_of_;  // before lowering
  Indices indices_{types_, type_of_};
  Outputs outputs_;
  std::unordered_set<Id> input_pointers_;
  std::unordered_map<Id, uint32_t> number_of_;  // of outputs, by array type
  HandleTypes handle_types_;
  RuntimeCalls calls_;
  PayloadAccess access_{module_, types_};
  AddressParameters address_parameters_{module_};
  std::unordered_map<Id, uint32_t> alignments_;  // of records, by payload type
  Id null_handle_ = kNoId;
  bool coherent_parameters_ = false;  // others see what is accessed through them (GLSL450 model)

  // State of the function being rewritten.
  Id input_value_ = kNoId;
  std::vector<Instruction> body_;
  Builder builder_{module_, body_};
  std::unordered_map<Id, Member> members_;  // by allocation
};

}  // namespace trellis::spirv
