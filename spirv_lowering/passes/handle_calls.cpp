// SPDX-License-Identifier: Apache-2.0
// The extension's own instructions, as calls of the runtime.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "spirv_lowering/passes/handle_lowering.h"

namespace trellis::spirv {

void HandleLowering::CallFor(Id type, Id result, Id function, std::vector<uint32_t> operands) {
  operands.insert(operands.begin(), function);
  body_.emplace_back(spv::Op::OpFunctionCall, type, result, std::move(operands));
}

Expected<void> HandleLowering::LowerAllocate(const Instruction& instruction) {
  const Id result = instruction.result_id;
  const Allocation& allocation = outputs_.allocations.at(result);
  if (const auto group = groups_.find(result); group != groups_.end()) ReserveChosen(group->second);
  if (const auto member = members_.find(result); member != members_.end()) {
    const Id number = types_.ConstantUint(member->second.number);
    CallFor(Uvec4(), result, calls_.handle_of(),
            runtime::HandleOf{.chosen = member->second.chosen, .number = number}.Operands());
    return {};
  }
  std::vector<uint32_t> operands = ArgumentsOf({result, instruction.operands[1], instruction.operands[2]}).Operands();
  if (calls_.AllocatesTogether(allocation)) operands.push_back(WorkgroupSize());
  CallFor(Uvec4(), result, calls_.AllocateFunction(allocation), std::move(operands));
  return {};
}

HandleLowering::Arguments HandleLowering::ArgumentsOf(const GroupedAllocation& of) {
  const Allocation& allocation = outputs_.allocations.at(of.allocation);
  const NodeOutputInfo& output = lowering_.info.outputs[allocation.output_number];
  const Id count = AsUint(of.count);
  const Arguments arguments = {.output_number = types_.ConstantUint(allocation.output_number),
                               .count = count,
                               .index = AsUint(of.index),
                               .limit = types_.ConstantUint(output.max_payloads)};
  if (const Id check = calls_.CheckFunction(allocation); check != kNoId) {
    std::vector<uint32_t> operands = arguments.Operands();
    operands.push_back(types_.ConstantUint(output.base_index));
    builder_.Call(types_.Void(), check, std::move(operands));
  }
  return arguments;
}

void HandleLowering::ReserveChosen(const std::vector<GroupedAllocation>& group) {
  if (!std::all_of(group.begin(), group.end(), [this](const GroupedAllocation& member) {
        return calls_.IsReservedAlone(outputs_.allocations.at(member.allocation));
      }))
    return;
  static_assert(runtime::ReserveChosen::kParameters == "output_numbers, counts, indices, limits");
  std::array<std::vector<uint32_t>, 4> vectors;  // what is missing wants nothing
  for (const GroupedAllocation& member : group) {
    const std::vector<uint32_t> operands = ArgumentsOf(member).Operands();
    for (size_t i = 0; i < vectors.size(); ++i) vectors[i].push_back(operands[i]);
  }
  std::vector<uint32_t> operands;
  for (std::vector<uint32_t>& vector : vectors) {
    vector.resize(kMaxGroup, types_.ConstantUint(0));
    operands.push_back(builder_.Emit(spv::Op::OpCompositeConstruct, Uvec4(), vector));
  }
  const Id chosen = builder_.Call(calls_.ChosenType(), calls_.reserve_chosen(), std::move(operands));
  for (uint32_t i = 0; i < group.size(); ++i) members_[group[i].allocation] = {chosen, i};
}

Expected<void> HandleLowering::LowerEnqueue(const Instruction& instruction) {
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
  const bool as_workgroup = calls_.EnqueuesAsWorkgroup(number->second);
  builder_.Call(types_.Void(), function,
                as_workgroup ? runtime::EnqueueWorkgroup{.handle = handle, .workgroup_size = WorkgroupSize()}.Operands()
                             : runtime::EnqueueInvocation{.handle = handle}.Operands());
  return {};
}

Expected<void> HandleLowering::LowerLength(const Instruction& instruction) {
  const Id operand = instruction.operands[0];
  const Id uint = types_.Uint();
  Id length = kNoId;
  // "Otherwise 1": the input of a node that declares a bare structure.
  if (input_pointers_.contains(operand) && !handle_types_.IsHandleByPointer(TypeOf(operand))) {
    length = types_.ConstantUint(1);
  } else if (const Id handle = HandleOf(operand); handle != kNoId) {
    length = builder_.Emit(spv::Op::OpCompositeExtract, uint, {handle, 2});
  } else {
    return Error{Where(instruction) + ": operand %" + std::to_string(operand) + " is not a node payload array"};
  }
  const Instruction* wanted = types_.Find(instruction.type_id);
  const bool same_width = wanted != nullptr && wanted->opcode == spv::Op::OpTypeInt && wanted->operands[0] == 32;
  spv::Op conversion = same_width ? spv::Op::OpBitcast : spv::Op::OpUConvert;
  if (instruction.type_id == uint) conversion = spv::Op::OpCopyObject;
  body_.push_back({conversion, instruction.type_id, instruction.result_id, {length}});
  return {};
}

Expected<void> HandleLowering::LowerValid(const Instruction& instruction) {
  const auto number = number_of_.find(PayloadArrayTypeOf(types_, type_of_, instruction.operands[0]));
  if (number == number_of_.end()) {
    return Error{Where(instruction) + ": operand %" + std::to_string(instruction.operands[0]) +
                 " is not a node payload array type"};
  }
  const NodeOutputInfo& output = lowering_.info.outputs[number->second];
  const Id node_index = instruction.operands[1];
  const bool is_base = output.is_asked_by_base && lowering_.constants.Value(node_index) == output.base_index;
  const Id index = is_base ? types_.ConstantUint(0) : AsUint(node_index);
  CallFor(instruction.type_id, instruction.result_id, calls_.valid(),
          runtime::Valid{.output_number = types_.ConstantUint(number->second), .index = index}.Operands());
  return {};
}

Expected<void> HandleLowering::LowerFinishWriting(const Instruction& instruction) {
  if (instruction.type_id != types_.Bool()) return Error{Where(instruction) + ": the result is not a boolean"};
  const Id state_words = types_.ConstantUint(lowering_.info.StateWords());
  CallFor(instruction.type_id, instruction.result_id, calls_.finish(),
          runtime::FinishWriting{.state_words = state_words}.Operands());
  return {};
}

}  // namespace trellis::spirv
