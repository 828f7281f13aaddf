// SPDX-License-Identifier: Apache-2.0
// Records of payload arrays: access chains, loads, stores and copies.
#include <span>
#include <utility>
#include <vector>

#include "spirv_lowering/passes/handle_lowering.h"

namespace trellis::spirv {

Id HandleLowering::HandleOf(Id operand) {
  const Id type = TypeOf(operand);
  if (operand == lowering_.input && handle_types_.IsHandleByPointer(type)) return input_value_;
  if (handle_types_.IsHandle(type) || handle_types_.IsHandleByPointer(type)) return operand;
  if (!handle_types_.IsHandleVariable(type)) return kNoId;
  std::vector<uint32_t> operands = {operand};
  // Another invocation may have stored it.
  if (types_.PointerClass(type) == spv::StorageClass::Workgroup && lowering_.info.vulkan_memory_model) {
    constexpr uint32_t kMakePointerVisible = 0x10, kNonPrivatePointer = 0x20;
    operands.insert(operands.end(), {kMakePointerVisible | kNonPrivatePointer, types_.ConstantUint(kScopeWorkgroup)});
  }
  return builder_.Emit(spv::Op::OpLoad, Uvec4(), std::move(operands));
}

Id HandleLowering::AddressOf(Id array, Id handle, Id index) {
  if (handle != input_value_) {
    if (calls_.HasSingleRecords(PayloadArrayTypeOf(types_, type_of_, array)))
      return builder_.Call(Uvec2(), calls_.only_element(), runtime::OnlyElement{.handle = handle}.Operands());
    return builder_.Call(Uvec2(), calls_.element(), runtime::Element{.handle = handle, .index = index}.Operands());
  }
  // Where there is one record, every index reaches it.
  if (lowering_.info.coalesce > 1)
    return builder_.Call(Uvec2(), calls_.input_element(),
                         runtime::InputElement{.handle = handle, .index = index}.Operands());
  return builder_.Emit(spv::Op::OpVectorShuffle, Uvec2(), {handle, handle, 0, 1});
}

Id HandleLowering::Element(Id array, Id index, Id payload) {
  const Id handle = HandleOf(array);
  const Id record = builder_.Emit(spv::Op::OpBitcast, RecordPointer(payload), {AddressOf(array, handle, index)});
  if (const auto known = alignments_.find(payload); known != alignments_.end())
    access_.SetAlignment(record, known->second);
  return record;
}

void HandleLowering::KeepInside(Id type, std::span<Id> indices) {
  if (lowering_.options.robust_access) indices_.Bound(builder_, type, indices);
}

Expected<void> HandleLowering::LowerAccessChain(Instruction& instruction) {
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
    body_.push_back(
        {spv::Op::OpCopyObject, RecordPointer(handle_types_.PayloadOf(base_type)), instruction.result_id, {record}});
    return {};
  }
  std::vector<uint32_t> operands = {record};
  operands.insert(operands.end(), instruction.operands.begin() + 2, instruction.operands.end());
  body_.emplace_back(instruction.opcode, instruction.type_id, instruction.result_id, std::move(operands));
  return {};
}

Id HandleLowering::PartOf(Id array, const Instruction& instruction, size_t first, Id part) {
  const Id payload = handle_types_.PayloadOf(TypeOf(array));
  std::vector<uint32_t> operands = {Element(array, types_.ConstantUint(instruction.operands[first]), payload)};
  for (size_t i = first + 1; i < instruction.operands.size(); ++i)
    operands.push_back(types_.ConstantUint(instruction.operands[i]));
  if (operands.size() == 1) return operands[0];
  KeepInside(payload, std::span(operands).subspan(1));
  const Id pointer = builder_.Emit(spv::Op::OpAccessChain, RecordPointer(part), operands);
  access_.SetAlignmentOfPart(pointer, operands[0], payload, std::span(operands).subspan(1));
  return pointer;
}

Expected<void> HandleLowering::LowerExtract(const Instruction& instruction) {
  if (instruction.operands.size() < 2) return Error{Where(instruction) + ": without indices"};
  const Id pointer = PartOf(instruction.operands[0], instruction, 1, instruction.type_id);
  return LoadPayload(Instruction(spv::Op::OpLoad, instruction.type_id, instruction.result_id, {pointer}));
}

Expected<void> HandleLowering::LowerInsert(const Instruction& instruction) {
  const Id object = instruction.operands[0];
  const Id array = instruction.operands[1];
  if (instruction.operands.size() < 3) return Error{Where(instruction) + ": without indices"};
  Instruction store(spv::Op::OpStore, kNoId, kNoId, {PartOf(array, instruction, 2, TypeOf(object)), object});
  if (Expected<void> stored = StorePayload(std::move(store), TypeOf(object)); !stored) return stored;
  body_.push_back({spv::Op::OpCopyObject, instruction.type_id, instruction.result_id, {array}});
  return {};
}

Expected<void> HandleLowering::LowerLoad(Instruction& instruction) {
  const Id source = instruction.operands[0];
  if (handle_types_.IsHandleByPointer(TypeOf(source))) {
    if (!handle_types_.IsHandle(instruction.type_id))
      return Error{Where(instruction) + ": a load of a whole array of payloads: not supported"};
    body_.push_back({spv::Op::OpCopyObject, Uvec4(), instruction.result_id, {HandleOf(source)}});
    return {};
  }
  return IsPayloadPointer(source) ? LoadPayload(std::move(instruction)) : Keep(std::move(instruction));
}

Expected<void> HandleLowering::LoadPayload(Instruction load) {
  const Id type = load.type_id;
  const Id result = load.result_id;
  access_.Mark(load, type);
  if (stored_.Of(type) == type) return Keep(std::move(load));
  load.type_id = stored_.Of(type);
  const Id word = load.result_id = module_.NewId();
  if (Expected<void> kept = Keep(std::move(load)); !kept) return kept;
  Expected<Id> value = stored_.Convert(builder_, word, type, StoredTypes::Direction::kDecode);
  if (!value) return value.error();
  body_.push_back({spv::Op::OpCopyObject, type, result, {*value}});
  return {};
}

Expected<void> HandleLowering::StorePayload(Instruction store, Id type) {
  Expected<Id> value = stored_.Convert(builder_, store.operands[1], type, StoredTypes::Direction::kEncode);
  if (!value) return value.error();
  store.operands[1] = *value;
  access_.Mark(store, type);
  return Keep(std::move(store));
}

Expected<void> HandleLowering::CopyArray(Id target, Id source) {
  const Id from = HandleOf(source);
  if (from == kNoId)
    return Error{"a store to %" + std::to_string(target) + ": %" + std::to_string(source) +
                 " is not a node payload array"};
  builder_.Call(types_.Void(), calls_.copy_array(),
                runtime::CopyArray{.from = from, .to = HandleOf(target)}.Operands());
  return {};
}

Expected<void> HandleLowering::LowerStore(Instruction& instruction) {
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

Expected<void> HandleLowering::LowerCopyMemory(Instruction& instruction) {
  const Id target = instruction.operands[0];
  const Id source = instruction.operands[1];
  if (handle_types_.IsHandleByPointer(TypeOf(target))) return CopyArray(target, source);
  // Copies the handle, not the payloads.
  if (handle_types_.IsHandleVariable(TypeOf(target))) {
    const Id handle = HandleOf(source);
    if (handle == kNoId)
      return Error{"OpCopyMemory to %" + std::to_string(target) + ": %" + std::to_string(source) +
                   " is not a node payload array"};
    body_.push_back({spv::Op::OpStore, kNoId, kNoId, {target, handle}});
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

}  // namespace trellis::spirv
