// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/handles.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/def_use.h"
#include "spirv_lowering/ir/replace_body.h"
#include "spirv_lowering/passes/group_allocations.h"
#include "spirv_lowering/passes/handle_types.h"
#include "spirv_lowering/passes/memory_access.h"
#include "spirv_lowering/passes/output_reads.h"
#include "spirv_lowering/passes/robust_access.h"
#include "spirv_lowering/passes/runtime_calls.h"
#include "spirv_lowering/reflect/allocations.h"
#include "spirv_lowering/reflect/variable_writes.h"

namespace trellis::spirv {
namespace {

std::string Where(const Instruction& instruction) {
  return OpcodeName(instruction.opcode) +
         (instruction.result_id != kNoId ? " %" + std::to_string(instruction.result_id) : std::string());
}

bool IsVariable(const Instruction& instruction) { return instruction.opcode == spv::Op::OpVariable; }
bool IsVariableOrLine(const Instruction& instruction) {
  return IsVariable(instruction) || instruction.opcode == spv::Op::OpLine || instruction.opcode == spv::Op::OpNoLine;
}

// Instructions that hand a handle on unchanged: the value stands for the same array afterwards.
bool MovesHandles(spv::Op op) {
  switch (op) {
    case spv::Op::OpLoad:
    case spv::Op::OpCopyObject:
    case spv::Op::OpPhi:
    case spv::Op::OpSelect:
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
    case spv::Op::OpCompositeExtract:
    case spv::Op::OpFunctionCall:
    case spv::Op::OpAllocateNodePayloadsAMDX:
      return true;
    default:
      return false;
  }
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

  Expected<void> Run() {
    const Expected<bool> reads_outputs = Analyse();
    if (!reads_outputs) return reads_outputs.error();
    const size_t own_functions = module_.functions.size();
    Expected<RuntimeCalls> calls = RuntimeCalls::Import(lowering_, outputs_, !groups_.empty());
    if (!calls) return calls.error();
    calls_ = *std::move(calls);
    if (IsShared(*reads_outputs)) MarkShared();
    for (size_t i = 0; i < own_functions; ++i) {
      if (Expected<void> lowered = LowerFunction(module_.functions[i]); !lowered) return lowered;
    }
    for (size_t i = 0, count = module_.globals.size(); i < count; ++i) LowerGlobal(i);
    handle_types_.Apply(module_);
    return {};
  }

 private:
  // Finds what the module does with payloads, and returns whether it reads outputs. The index of uses is as large as
  // the module and does not outlive the analysis.
  Expected<bool> Analyse() {
    const DefUse def_use(module_);
    outputs_ = FindOutputs(module_, types_, def_use);
    if (lowering_.input != kNoId) input_pointers_ = PointersToWhole(def_use, type_of_, {lowering_.input});
    if (outputs_.array_types.size() != lowering_.info.outputs.size())
      return Error{"the reflection is that of another module"};
    for (uint32_t i = 0; i < outputs_.array_types.size(); ++i) number_of_[outputs_.array_types[i]] = i;
    Expected<HandleTypes> handle_types = HandleTypes::Create(module_, types_, stored_, lowering_.input);
    if (!handle_types) return handle_types.error();
    handle_types_ = *std::move(handle_types);
    null_handle_ = types_.ConstantNull(Uvec4());
    for (uint32_t i = 0; i < outputs_.array_types.size(); ++i)
      alignments_[handle_types_.PayloadOf(outputs_.array_types[i])] = lowering_.info.outputs[i].payload.alignment;
    if (lowering_.input != kNoId) {
      alignments_[InputPayload()] = lowering_.info.input.alignment;
      access_.SetAlignment(lowering_.input, lowering_.info.input.alignment);
    }
    return ReadsOutputs(def_use, handle_types_, type_of_, lowering_.input);
  }

  [[nodiscard]] Id TypeOf(Id id) const {
    const auto found = type_of_.find(id);
    return found == type_of_.end() ? kNoId : found->second;
  }
  [[nodiscard]] bool IsPayloadPointer(Id id) const { return handle_types_.IsPayloadPointer(TypeOf(id)); }
  [[nodiscard]] bool IsAnyHandle(Id type) const {
    return handle_types_.IsHandle(type) || handle_types_.IsHandleByPointer(type) ||
           handle_types_.IsHandleVariable(type);
  }

  // Whether invocations of a workgroup, or workgroups of a node, may read payloads that others of them wrote.
  [[nodiscard]] bool IsShared(bool reads_outputs) const {
    if (calls_.HasSharedCopies() || lowering_.info.writes_input) return true;
    return calls_.HasSharedAllocations() && reads_outputs;
  }
  void MarkShared() {
    if (lowering_.info.vulkan_memory_model) return access_.MakeShared();
    coherent_parameters_ = true;
    for (const Id array : outputs_.array_types)
      MarkMembersCoherent(module_, types_, stored_.Of(handle_types_.PayloadOf(array)));
    if (lowering_.input != kNoId) MarkMembersCoherent(module_, types_, stored_.Of(InputPayload()));
  }
  [[nodiscard]] Id InputPayload() const {
    const Id type = TypeOf(lowering_.input);
    return handle_types_.IsHandleByPointer(type) ? handle_types_.PayloadOf(type) : types_.Pointee(type);
  }

  void LowerGlobal(size_t at) {
    // By value: null constants are appended meanwhile.
    Instruction global = module_.globals[at];
    if (global.opcode == spv::Op::OpVariable) InitialiseVariable(global);
    if (global.opcode == spv::Op::OpUndef && NullFor(global.type_id) != kNoId) global.opcode = spv::Op::OpConstantNull;
    module_.globals[at] = std::move(global);
  }

  Expected<void> LowerFunction(Function& function) {
    for (const Instruction& parameter : function.parameters) {
      if (!handle_types_.IsPayloadPointer(parameter.type_id)) continue;
      address_parameters_.MakeAliased(parameter.result_id);
      if (coherent_parameters_) address_parameters_.MakeCoherent(parameter.result_id);
    }
    input_value_ = kNoId;
    bool first_block = true;
    for (BasicBlock& block : function.blocks) {
      // Variables come first, also if a module that is not valid has something before them; what is loaded behind them
      // dominates everything else.
      const auto variables_end =
          first_block ? std::find_if(block.body.rbegin(), block.body.rend(), IsVariable).base() : block.body.begin();
      for (auto instruction = block.body.begin(); instruction != variables_end; ++instruction) {
        if (!IsVariableOrLine(*instruction)) continue;
        if (Expected<void> lowered = LowerInstruction(*instruction); !lowered) return lowered;
      }
      if (first_block && lowering_.input != kNoId) LoadInput();
      for (auto instruction = block.body.begin(); instruction != block.body.end(); ++instruction) {
        if (instruction < variables_end && IsVariableOrLine(*instruction)) continue;
        if (Expected<void> lowered = LowerInstruction(*instruction); !lowered) return lowered;
      }
      ReplaceBody(block, body_);
      first_block = false;
    }
    return {};
  }

  // The input variable's id stands for its handle, or for the pointer to a bare structure; loaded once a function.
  void LoadInput() {
    Builder builder(module_, body_);
    const Id type = TypeOf(lowering_.input);
    const Id handle = builder.Emit(spv::Op::OpLoad, Uvec4(), {calls_.input()});
    if (handle_types_.IsHandleByPointer(type)) {
      input_value_ = handle;
      return;
    }
    const Id address = builder.Emit(spv::Op::OpVectorShuffle, Uvec2(), {handle, handle, 0, 1});
    input_value_ = builder.Emit(spv::Op::OpBitcast, handle_types_.Replacement(type), {address});
  }

  Id Uvec4() { return types_.Vector(types_.Uint(), 4); }
  Id Uvec2() { return types_.Vector(types_.Uint(), 2); }
  // Of the type that stands in memory for `pointee`.
  Id RecordPointer(Id pointee) { return types_.Pointer(spv::StorageClass::PhysicalStorageBuffer, stored_.Of(pointee)); }

  // The handle behind an operand that names a payload array in any of its forms; kNoId if it names none.
  Id HandleOf(Id operand) {
    const Id type = TypeOf(operand);
    if (operand == lowering_.input && handle_types_.IsHandleByPointer(type)) return input_value_;
    if (handle_types_.IsHandle(type) || handle_types_.IsHandleByPointer(type)) return operand;
    if (handle_types_.IsHandleVariable(type)) return LoadHandle(operand, types_.PointerClass(type));
    return kNoId;
  }

  Id LoadHandle(Id variable, spv::StorageClass storage) {
    std::vector<uint32_t> operands = {variable};
    // Another invocation may have stored it.
    if (storage == spv::StorageClass::Workgroup && lowering_.info.vulkan_memory_model) {
      constexpr uint32_t kMakePointerVisible = 0x10, kNonPrivatePointer = 0x20, kScopeWorkgroup = 2;
      operands.insert(operands.end(), {kMakePointerVisible | kNonPrivatePointer, types_.ConstantUint(kScopeWorkgroup)});
    }
    return Builder(module_, body_).Emit(spv::Op::OpLoad, Uvec4(), std::move(operands));
  }

  // Address of record `index` of a handle, which `array` names. The input has at least one record; others may be lost,
  // or never written.
  Id AddressOf(Builder& builder, Id array, Id handle, Id index) {
    if (handle != input_value_) {
      if (calls_.HasSingleRecords(PayloadArrayTypeOf(types_, type_of_, array)))
        return builder.Call(Uvec2(), calls_.only_element(), {handle});
      return builder.Call(Uvec2(), calls_.element(), {handle, index});
    }
    // Of one, every index reaches the first.
    if (lowering_.info.coalesce > 1) return builder.Call(Uvec2(), calls_.input_element(), {handle, index});
    return builder.Emit(spv::Op::OpVectorShuffle, Uvec2(), {handle, handle, 0, 1});
  }

  // A pointer to record `index` of the payload array that an operand names in any of its forms.
  Id Element(Id array, Id index, Id payload) {
    const Id handle = HandleOf(array);
    Builder builder(module_, body_);
    const Id record =
        builder.Emit(spv::Op::OpBitcast, RecordPointer(payload), {AddressOf(builder, array, handle, index)});
    if (const auto known = alignments_.find(payload); known != alignments_.end())
      access_.SetAlignment(record, known->second);
    return record;
  }

  Id AsUint(Id value) {
    Builder builder(module_, body_);
    return indices_.AsUint(builder, value);
  }

  // Before an access chain of `indices` into a `type`.
  void KeepInside(Id type, std::span<Id> indices) {
    Builder builder(module_, body_);
    if (lowering_.options.robust_access) indices_.Bound(builder, type, indices);
  }

  Expected<void> LowerInstruction(Instruction& instruction) {
    switch (instruction.opcode) {
      case spv::Op::OpAllocateNodePayloadsAMDX:
        return LowerAllocate(instruction);
      case spv::Op::OpEnqueueNodePayloadsAMDX:
        return LowerEnqueue(instruction);
      case spv::Op::OpNodePayloadArrayLengthAMDX:
        return LowerLength(instruction);
      case spv::Op::OpIsNodePayloadValidAMDX:
        return LowerValid(instruction);
      case spv::Op::OpFinishWritingNodePayloadAMDX:
        return LowerFinishWriting(instruction);
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
        return LowerAccessChain(instruction);
      case spv::Op::OpLoad:
        return LowerLoad(instruction);
      case spv::Op::OpStore:
        return LowerStore(instruction);
      case spv::Op::OpCopyMemory:
        return LowerCopyMemory(instruction);
      case spv::Op::OpCompositeExtract:
        if (handle_types_.IsHandle(TypeOf(instruction.operands[0]))) return LowerExtract(instruction);
        break;
      case spv::Op::OpCompositeInsert:
        if (handle_types_.IsHandle(TypeOf(instruction.operands[1]))) return LowerInsert(instruction);
        break;
      case spv::Op::OpUndef:
        if (const Id null = NullFor(instruction.type_id); null != kNoId)
          return Keep(Instruction(spv::Op::OpCopyObject, instruction.type_id, instruction.result_id, {null}));
        break;
      case spv::Op::OpVariable:
        InitialiseVariable(instruction);
        body_.push_back(std::move(instruction));
        return {};
      case spv::Op::OpCopyObject:
        if (IsPayloadPointer(instruction.operands[0]))
          access_.SetAlignmentOfCopy(instruction.result_id, instruction.operands[0]);
        break;
      default:
        break;
    }
    if (IsAnyHandle(instruction.type_id) && !MovesHandles(instruction.opcode)) {
      return Error{Where(instruction) + ": makes a node payload array of its own: not supported"};
    }
    return Keep(std::move(instruction));
  }

  // What stands for an undefined value of a type with handles: wild addresses must not come about, and a null handle
  // holds no records. kNoId for other types.
  Id NullFor(Id type) {
    if (handle_types_.IsHandle(type) || handle_types_.IsHandleByPointer(type)) return null_handle_;
    return handle_types_.IsNullableHolder(type) ? types_.ConstantNull(type) : kNoId;
  }
  void InitialiseVariable(Instruction& variable) {
    if (variable.operands.size() != 1 || !types_.IsPointer(variable.type_id) ||
        handle_types_.IsHandleByPointer(variable.type_id) ||
        types_.PointerClass(variable.type_id) == spv::StorageClass::Workgroup)
      return;
    const Id null = NullFor(types_.Pointee(variable.type_id));
    if (null != kNoId) variable.operands.push_back(null);
  }

  // An instruction that stays, with the input replaced.
  Expected<void> Keep(Instruction instruction) {
    if (lowering_.input != kNoId && std::find(instruction.operands.begin(), instruction.operands.end(),
                                              lowering_.input) != instruction.operands.end()) {
      ForEachIdOperand(instruction, [&](Id& id) {
        if (id == lowering_.input) id = input_value_;
      });
    }
    body_.push_back(std::move(instruction));
    return {};
  }

  // Puts `value` in place of the instruction's result, as its type wants it.
  void Replace(const Instruction& instruction, Id value, Id type) {
    if (type == instruction.type_id)
      return void(body_.emplace_back(spv::Op::OpCopyObject, type, instruction.result_id, std::vector<uint32_t>{value}));
    const Instruction* wanted = types_.Find(instruction.type_id);
    const bool same_width = wanted != nullptr && wanted->opcode == spv::Op::OpTypeInt && wanted->operands[0] == 32;
    body_.emplace_back(same_width ? spv::Op::OpBitcast : spv::Op::OpUConvert, instruction.type_id,
                       instruction.result_id, std::vector<uint32_t>{value});
  }

  // Of an allocation: output number, count, shader index, limit.
  std::array<Id, 4> AllocationArguments(Id allocation, Id count, Id index) {
    const uint32_t number = outputs_.allocations.at(allocation).output_number;
    const NodeOutputInfo& output = lowering_.info.outputs[number];
    return {types_.ConstantUint(number), AsUint(count), TargetIndex(index, output),
            types_.ConstantUint(output.max_payloads)};
  }

  Expected<void> LowerAllocate(const Instruction& instruction) {
    const Id result = instruction.result_id;
    const Allocation& allocation = outputs_.allocations.at(result);
    if (const auto group = groups_.find(result); group != groups_.end()) ReserveChosen(group->second);
    if (const auto member = members_.find(result); member != members_.end()) {
      body_.emplace_back(
          spv::Op::OpFunctionCall, Uvec4(), result,
          std::vector<uint32_t>{calls_.handle_of(), member->second.chosen, types_.ConstantUint(member->second.number)});
      return {};
    }
    const Arguments arguments = ArgumentsOf({result, instruction.operands[1], instruction.operands[2]});
    std::vector<uint32_t> operands = {calls_.AllocateFunction(allocation)};
    operands.insert(operands.end(), arguments.begin(), arguments.end());
    if (calls_.AllocatesTogether(allocation)) operands.push_back(WorkgroupSize());
    body_.emplace_back(spv::Op::OpFunctionCall, Uvec4(), result, std::move(operands));
    return {};
  }

  // Of the runtime's functions: output number, count, shader index, limit.
  using Arguments = std::array<Id, 4>;

  // They are checked if they are to be.
  Arguments ArgumentsOf(const GroupedAllocation& of) {
    const Allocation& allocation = outputs_.allocations.at(of.allocation);
    const NodeOutputInfo& output = lowering_.info.outputs[allocation.output_number];
    const Id count = AsUint(of.count);
    const Arguments arguments = {types_.ConstantUint(allocation.output_number), count, TargetIndex(of.index, output),
                                 types_.ConstantUint(output.max_payloads)};
    if (const Id check = calls_.CheckFunction(allocation); check != kNoId)
      Builder(module_, body_).Call(types_.Void(), check, {arguments.begin(), arguments.end()});
    return arguments;
  }

  // In front of the first one of a group.
  void ReserveChosen(const std::vector<GroupedAllocation>& group) {
    if (!std::all_of(group.begin(), group.end(), [this](const GroupedAllocation& member) {
          return calls_.IsReservedAlone(outputs_.allocations.at(member.allocation));
        }))
      return;
    std::array<std::vector<uint32_t>, std::tuple_size_v<Arguments>> vectors;  // what is missing wants nothing
    for (const GroupedAllocation& member : group) {
      const Arguments arguments = ArgumentsOf(member);
      for (size_t i = 0; i < arguments.size(); ++i) vectors[i].push_back(arguments[i]);
    }
    Builder builder(module_, body_);
    std::vector<uint32_t> operands;
    for (std::vector<uint32_t>& vector : vectors) {
      vector.resize(kMaxGroup, types_.ConstantUint(0));
      operands.push_back(builder.Emit(spv::Op::OpCompositeConstruct, Uvec4(), vector));
    }
    const Id chosen = builder.Call(calls_.ChosenType(), calls_.reserve_chosen(), std::move(operands));
    for (uint32_t i = 0; i < group.size(); ++i) members_[group[i].allocation] = {chosen, i};
  }

  Id WorkgroupSize() { return types_.ConstantUint(lowering_.info.Invocations()); }

  // Shader index of the target: the Node Index operand plus PayloadNodeBaseIndexAMDX.
  Id TargetIndex(Id node_index, const NodeOutputInfo& output) {
    const Id index = AsUint(node_index);
    if (output.base_index == 0) return index;
    if (const std::optional<uint32_t> constant = types_.ConstantValue(index))
      return types_.ConstantUint(*constant + output.base_index);
    return Builder(module_, body_)
        .Emit(spv::Op::OpIAdd, types_.Uint(), {index, types_.ConstantUint(output.base_index)});
  }

  Expected<void> LowerEnqueue(const Instruction& instruction) {
    if (outputs_.committed_enqueues.contains(&instruction)) return {};
    const Id operand = instruction.operands[0];
    const Id array = PayloadArrayTypeOf(types_, type_of_, operand);
    const auto number = number_of_.find(array);
    const Id handle = HandleOf(operand);
    if (handle == kNoId || array == kNoId || input_pointers_.contains(operand)) {
      return Error{"OpEnqueueNodePayloadsAMDX: operand %" + std::to_string(operand) +
                   " is not an allocated node payload array"};
    }
    // Nothing of this type is ever allocated, or every allocation is committed: there is nothing to enqueue.
    const Id function = number == number_of_.end() ? kNoId : calls_.EnqueueFunction(number->second);
    if (function == kNoId) return {};
    std::vector<uint32_t> arguments = {handle};
    if (calls_.EnqueuesAsWorkgroup(number->second)) arguments.push_back(WorkgroupSize());
    Builder(module_, body_).Call(types_.Void(), function, std::move(arguments));
    return {};
  }

  Expected<void> LowerLength(const Instruction& instruction) {
    const Id operand = instruction.operands[0];
    // "Otherwise 1": the input of a node that declares a bare structure.
    if (input_pointers_.contains(operand) && !handle_types_.IsHandleByPointer(TypeOf(operand))) {
      Replace(instruction, types_.ConstantUint(1), types_.Uint());
      return {};
    }
    const Id handle = HandleOf(operand);
    if (handle == kNoId)
      return Error{Where(instruction) + ": operand %" + std::to_string(operand) + " is not a node payload array"};
    Replace(instruction, Builder(module_, body_).Emit(spv::Op::OpCompositeExtract, types_.Uint(), {handle, 2}),
            types_.Uint());
    return {};
  }

  Expected<void> LowerValid(const Instruction& instruction) {
    const auto number = number_of_.find(PayloadArrayTypeOf(types_, type_of_, instruction.operands[0]));
    if (number == number_of_.end()) {
      return Error{Where(instruction) + ": operand %" + std::to_string(instruction.operands[0]) +
                   " is not a node payload array type"};
    }
    const NodeOutputInfo& output = lowering_.info.outputs[number->second];
    Id node_index = instruction.operands[1];
    // Compilers emit the base index as operand too for a single output (not an array); it would count twice.
    const std::optional<uint32_t> constant = lowering_.constants.Value(node_index);
    const bool counted_twice = output.base_index != 0 && output.array_size == 0 && constant == output.base_index;
    if (counted_twice) node_index = types_.ConstantUint(0);
    const Id index = TargetIndex(node_index, output);
    body_.emplace_back(spv::Op::OpFunctionCall, instruction.type_id, instruction.result_id,
                       std::vector<uint32_t>{calls_.valid(), types_.ConstantUint(number->second), index});
    return {};
  }

  Expected<void> LowerFinishWriting(const Instruction& instruction) {
    if (instruction.type_id != types_.Bool()) return Error{Where(instruction) + ": the result is not a boolean"};
    body_.emplace_back(spv::Op::OpFunctionCall, instruction.type_id, instruction.result_id,
                       std::vector<uint32_t>{calls_.finish(), types_.ConstantUint(lowering_.info.NoteWords())});
    return {};
  }

  Expected<void> LowerAccessChain(Instruction& instruction) {
    const Id base = instruction.operands[0];
    const Id base_type = TypeOf(base);
    const bool by_pointer = handle_types_.IsHandleByPointer(base_type);
    if (!by_pointer && !handle_types_.IsHandleVariable(base_type)) {
      if (IsPayloadPointer(base)) {
        const std::span indices = std::span(instruction.operands).subspan(1);
        KeepInside(types_.Pointee(base_type), indices);
        access_.SetAlignmentOfPart(instruction.result_id, base, types_.Pointee(base_type), indices);
      }
      return Keep(std::move(instruction));
    }
    if (instruction.operands.size() < 2) {
      if (instruction.type_id != base_type)
        return Error{Where(instruction) + ": the result type is not that of the base"};
      return Keep(Instruction(spv::Op::OpCopyObject, instruction.type_id, instruction.result_id, {base}));
    }
    if (!handle_types_.IsPayloadPointer(instruction.type_id))
      return Error{Where(instruction) + ": the result is not a pointer into a payload"};
    const Id index = AsUint(instruction.operands[1]);
    const Id record = Element(base, index, handle_types_.PayloadOf(base_type));
    const std::span indices = std::span(instruction.operands).subspan(2);
    KeepInside(handle_types_.PayloadOf(base_type), indices);
    access_.SetAlignmentOfPart(instruction.result_id, record, handle_types_.PayloadOf(base_type), indices);
    if (instruction.operands.size() == 2) {
      body_.emplace_back(spv::Op::OpCopyObject, RecordPointer(handle_types_.PayloadOf(base_type)),
                         instruction.result_id, std::vector<uint32_t>{record});
      return {};
    }
    std::vector<uint32_t> operands = {record};
    operands.insert(operands.end(), instruction.operands.begin() + 2, instruction.operands.end());
    body_.emplace_back(instruction.opcode, instruction.type_id, instruction.result_id, std::move(operands));
    return {};
  }

  // Pointer to the part of a payload array's value that the literals from operand `first` on lead to.
  Id PartOf(Id array, const Instruction& instruction, size_t first, Id part) {
    const Id payload = handle_types_.PayloadOf(TypeOf(array));
    std::vector<uint32_t> operands = {Element(array, types_.ConstantUint(instruction.operands[first]), payload)};
    for (size_t i = first + 1; i < instruction.operands.size(); ++i)
      operands.push_back(types_.ConstantUint(instruction.operands[i]));
    if (operands.size() == 1) return operands[0];
    KeepInside(payload, std::span(operands).subspan(1));
    const Id pointer = Builder(module_, body_).Emit(spv::Op::OpAccessChain, RecordPointer(part), operands);
    access_.SetAlignmentOfPart(pointer, operands[0], payload, std::span(operands).subspan(1));
    return pointer;
  }

  // Element and member of a payload array that is a value: a load.
  Expected<void> LowerExtract(const Instruction& instruction) {
    if (instruction.operands.size() < 2) return Error{Where(instruction) + ": without indices"};
    const Id pointer = PartOf(instruction.operands[0], instruction, 1, instruction.type_id);
    return LoadPayload(Instruction(spv::Op::OpLoad, instruction.type_id, instruction.result_id, {pointer}));
  }

  // The value stands for the array itself: a store into it, and the array that results is the same one.
  Expected<void> LowerInsert(const Instruction& instruction) {
    const Id object = instruction.operands[0];
    const Id array = instruction.operands[1];
    if (instruction.operands.size() < 3) return Error{Where(instruction) + ": without indices"};
    Instruction store(spv::Op::OpStore, kNoId, kNoId, {PartOf(array, instruction, 2, TypeOf(object)), object});
    if (Expected<void> stored = StorePayload(std::move(store), TypeOf(object)); !stored) return stored;
    body_.emplace_back(spv::Op::OpCopyObject, instruction.type_id, instruction.result_id, std::vector<uint32_t>{array});
    return {};
  }

  Expected<void> LowerLoad(Instruction& instruction) {
    const Id source = instruction.operands[0];
    if (handle_types_.IsHandleByPointer(TypeOf(source))) {
      if (!handle_types_.IsHandle(instruction.type_id))
        return Error{Where(instruction) + ": a load of a whole array of payloads: not supported"};
      body_.emplace_back(spv::Op::OpCopyObject, Uvec4(), instruction.result_id,
                         std::vector<uint32_t>{HandleOf(source)});
      return {};
    }
    return IsPayloadPointer(source) ? LoadPayload(std::move(instruction)) : Keep(std::move(instruction));
  }

  Expected<void> LoadPayload(Instruction load) {
    const Id type = load.type_id;
    const Id result = load.result_id;
    access_.Mark(load, 1, type, true, false);
    if (stored_.Of(type) == type) return Keep(std::move(load));
    load.type_id = stored_.Of(type);
    const Id word = load.result_id = module_.NewId();
    if (Expected<void> kept = Keep(std::move(load)); !kept) return kept;
    Builder builder(module_, body_);
    Expected<Id> value = stored_.Decode(builder, word, type);
    if (!value) return value.error();
    body_.emplace_back(spv::Op::OpCopyObject, type, result, std::vector<uint32_t>{*value});
    return {};
  }

  Expected<void> StorePayload(Instruction store, Id type) {
    Builder builder(module_, body_);
    Expected<Id> value = stored_.Encode(builder, store.operands[1], type);
    if (!value) return value.error();
    store.operands[1] = *value;
    access_.Mark(store, 2, type, false, true);
    return Keep(std::move(store));
  }

  // A store through a pointer to a payload array itself, not to a variable: it stores payloads.
  Expected<void> CopyArray(Id target, Id source) {
    const Id from = HandleOf(source);
    if (from == kNoId)
      return Error{"a store to %" + std::to_string(target) + ": %" + std::to_string(source) +
                   " is not a node payload array"};
    Builder(module_, body_).Call(types_.Void(), calls_.copy_array(), {from, HandleOf(target)});
    return {};
  }

  Expected<void> LowerStore(Instruction& instruction) {
    const Id target = instruction.operands[0];
    const Id value_type = TypeOf(instruction.operands[1]);
    if (handle_types_.IsHandleByPointer(TypeOf(target))) return CopyArray(target, instruction.operands[1]);
    if (handle_types_.IsHandle(value_type) != handle_types_.IsHandleVariable(TypeOf(target)) ||
        handle_types_.IsHandleByPointer(value_type) || handle_types_.IsHandleVariable(value_type)) {
      return Error{"OpStore to %" + std::to_string(target) +
                   ": a node payload array is stored where there is none, or a pointer to one: not supported"};
    }
    if (IsPayloadPointer(target)) return StorePayload(std::move(instruction), types_.Pointee(TypeOf(target)));
    return Keep(std::move(instruction));
  }

  Expected<void> LowerCopyMemory(Instruction& instruction) {
    const Id target = instruction.operands[0];
    const Id source = instruction.operands[1];
    if (handle_types_.IsHandleByPointer(TypeOf(target))) return CopyArray(target, source);
    // Copies the handle, not the payloads.
    if (handle_types_.IsHandleVariable(TypeOf(target))) {
      const Id handle = HandleOf(source);
      if (handle == kNoId)
        return Error{"OpCopyMemory to %" + std::to_string(target) + ": %" + std::to_string(source) +
                     " is not a node payload array"};
      body_.emplace_back(spv::Op::OpStore, kNoId, kNoId, std::vector<uint32_t>{target, handle});
      return {};
    }
    const bool from_payload = IsPayloadPointer(source);
    const bool to_payload = IsPayloadPointer(target);
    if (!from_payload && !to_payload) return Keep(std::move(instruction));
    // As a load and a store, so that each side gets the operands that its memory needs.
    const Id type = types_.Pointee(TypeOf(from_payload ? source : target));
    SplitCopy copy = SplitCopyMemory(instruction, type, module_.NewId());
    Expected<void> loaded = from_payload ? LoadPayload(std::move(copy.load)) : Keep(std::move(copy.load));
    if (!loaded) return loaded;
    return to_payload ? StorePayload(std::move(copy.store), type) : Keep(std::move(copy.store));
  }

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

  // Of the function being rewritten.
  Id input_value_ = kNoId;
  std::vector<Instruction> body_;
  std::unordered_map<Id, Member> members_;  // by allocation
};

}  // namespace

Expected<void> LowerHandles(Lowering& lowering) {
  AllocationGroups groups = GroupAllocations(lowering);
  return HandleLowering(lowering, std::move(groups)).Run();
}

}  // namespace trellis::spirv
