// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/handles.h"

#include <algorithm>
#include <utility>

#include "spirv_lowering/ir/def_use.h"
#include "spirv_lowering/ir/replace_body.h"
#include "spirv_lowering/passes/handle_lowering.h"
#include "spirv_lowering/reflect/variable_writes.h"

namespace trellis::spirv {
namespace {

bool IsVariable(const Instruction& instruction) { return instruction.opcode == spv::Op::OpVariable; }
bool IsVariableOrLine(const Instruction& instruction) { return IsVariable(instruction) || IsLine(instruction.opcode); }

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

bool IsChoice(spv::Op opcode) { return opcode == spv::Op::OpPhi || opcode == spv::Op::OpSelect; }

// Returns the result of `use` where the user derives a pointer within its function, else kNoId.
Id Derived(const DefUse& def_use, const DefUse::Use& use) {
  return def_use.KindOf(use) == PointerUse::kDerives ? def_use.UserOf(use).result_id : kNoId;
}

// Returns the input and the pointers derived from it in the same function. A pointer chosen by OpPhi or OpSelect is one
// of them only if all pointers to choose from are.
std::unordered_set<Id> OfInput(const DefUse& def_use, Id input) {
  std::unordered_set<Id> of_input;
  if (input == kNoId) return of_input;
  of_input.insert(input);
  def_use.Follow({input}, [&](const DefUse::Use& use) {
    const Id derived = Derived(def_use, use);
    return derived != kNoId && of_input.insert(derived).second ? derived : kNoId;
  });
  std::vector<Id> mixed;
  for (const DefUse::Use& use : def_use.All()) {
    if (!IsChoice(def_use.UserOf(use).opcode) || of_input.contains(use.id)) continue;
    if (const Id chosen = Derived(def_use, use); of_input.erase(chosen) != 0) mixed.push_back(chosen);
  }
  def_use.Follow(std::move(mixed), [&](const DefUse::Use& use) {
    const Id derived = Derived(def_use, use);
    return of_input.erase(derived) != 0 ? derived : kNoId;
  });
  return of_input;
}

bool IsPlainWrite(spv::Op opcode) { return opcode == spv::Op::OpStore || opcode == spv::Op::OpCopyMemory; }

// True if the functions may read records of payload arrays other than the input: what comes from a parameter may be of
// any. `type_of`: result types as they are before lowering. `input` may be kNoId.
bool ReadsOutputs(const DefUse& def_use, const HandleTypes& handle_types, const std::unordered_map<Id, Id>& type_of,
                  Id input) {
  const std::unordered_set<Id> of_input = OfInput(def_use, input);
  const auto reads = [&](const DefUse::Use& use) {
    const auto found = type_of.find(use.id);
    if (found == type_of.end()) return false;
    const spv::Op opcode = def_use.UserOf(use).opcode;
    // A whole array is copied out of another.
    if (handle_types.IsHandleByPointer(found->second)) return IsPlainWrite(opcode) && use.operand == 0;
    if (of_input.contains(use.id)) return false;
    if (handle_types.IsHandle(found->second)) return opcode == spv::Op::OpCompositeExtract;
    if (!handle_types.IsPayloadPointer(found->second)) return false;
    const PointerUse kind = def_use.KindOf(use);
    if (kind == PointerUse::kWrites) return !IsPlainWrite(opcode);
    return kind == PointerUse::kReads || kind == PointerUse::kEscapes;
  };
  return std::any_of(def_use.All().begin(), def_use.All().end(), reads);
}

}  // namespace

Expected<void> HandleLowering::Run() {
  const Expected<bool> reads_outputs = Analyse();
  if (!reads_outputs) return reads_outputs.error();
  const size_t own_functions = module_.functions.size();
  Expected<RuntimeCalls> calls = RuntimeCalls::Import(lowering_, outputs_, !groups_.empty());
  if (!calls) return calls.error();
  calls_ = *std::move(calls);
  // Invocations of a workgroup, or workgroups of a node, may read payloads that others of them wrote.
  const bool is_shared =
      calls_.HasSharedCopies() || lowering_.info.writes_input || (calls_.HasSharedAllocations() && *reads_outputs);
  if (is_shared) MarkShared();
  for (size_t i = 0; i < own_functions; ++i) {
    if (Expected<void> lowered = LowerFunction(module_.functions[i]); !lowered) return lowered;
  }
  for (size_t i = 0, count = module_.globals.size(); i < count; ++i) LowerGlobal(i);
  handle_types_.Apply(module_);
  return {};
}

Expected<bool> HandleLowering::Analyse() {
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

void HandleLowering::MarkShared() {
  if (lowering_.info.vulkan_memory_model) return access_.MakeShared();
  coherent_parameters_ = true;
  for (const Id array : outputs_.array_types)
    MarkMembersCoherent(module_, types_, stored_.Of(handle_types_.PayloadOf(array)));
  if (lowering_.input != kNoId) MarkMembersCoherent(module_, types_, stored_.Of(InputPayload()));
}

Id HandleLowering::InputPayload() const {
  const Id type = TypeOf(lowering_.input);
  return handle_types_.IsHandleByPointer(type) ? handle_types_.PayloadOf(type) : types_.Pointee(type);
}

void HandleLowering::LowerGlobal(size_t at) {
  // By value: null constants are appended meanwhile.
  Instruction global = module_.globals[at];
  if (global.opcode == spv::Op::OpVariable) InitialiseVariable(global);
  if (global.opcode == spv::Op::OpUndef && NullFor(global.type_id) != kNoId) global.opcode = spv::Op::OpConstantNull;
  module_.globals[at] = std::move(global);
}

Expected<void> HandleLowering::LowerFunction(Function& function) {
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

void HandleLowering::LoadInput() {
  const Id type = TypeOf(lowering_.input);
  const Id handle = builder_.Emit(spv::Op::OpLoad, Uvec4(), {calls_.input()});
  if (handle_types_.IsHandleByPointer(type)) {
    input_value_ = handle;
    return;
  }
  const Id address = builder_.Emit(spv::Op::OpVectorShuffle, Uvec2(), {handle, handle, 0, 1});
  input_value_ = builder_.Emit(spv::Op::OpBitcast, handle_types_.Replacement(type), {address});
}

Expected<void> HandleLowering::LowerInstruction(Instruction& instruction) {
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

Id HandleLowering::NullFor(Id type) {
  if (handle_types_.IsHandle(type) || handle_types_.IsHandleByPointer(type)) return null_handle_;
  return handle_types_.IsNullableHolder(type) ? types_.ConstantNull(type) : kNoId;
}

void HandleLowering::InitialiseVariable(Instruction& variable) {
  if (variable.operands.size() != 1 || !types_.IsPointer(variable.type_id) ||
      handle_types_.IsHandleByPointer(variable.type_id) ||
      types_.PointerClass(variable.type_id) == spv::StorageClass::Workgroup)
    return;
  const Id null = NullFor(types_.Pointee(variable.type_id));
  if (null != kNoId) variable.operands.push_back(null);
}

Expected<void> HandleLowering::Keep(Instruction instruction) {
  if (lowering_.input != kNoId && std::find(instruction.operands.begin(), instruction.operands.end(),
                                            lowering_.input) != instruction.operands.end()) {
    ForEachIdOperand(instruction, [&](Id& id) {
      if (id == lowering_.input) id = input_value_;
    });
  }
  body_.push_back(std::move(instruction));
  return {};
}

Expected<void> LowerHandles(Lowering& lowering) {
  AllocationGroups groups = GroupAllocations(lowering);
  return HandleLowering(lowering, std::move(groups)).Run();
}

}  // namespace trellis::spirv
