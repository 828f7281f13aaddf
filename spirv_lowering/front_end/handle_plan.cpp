// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/front_end/handle_plan.h"

#include <algorithm>

namespace trellis::spirv {

HandlePlan::HandlePlan(const Function& function, const PayloadArrays& arrays, const Types& types,
                       const TypeMap& type_of)
    : arrays_(arrays), types_(types), type_of_(type_of) {
  for (const Instruction& parameter : function.parameters) parameters_.insert(parameter.result_id);
  for (const BasicBlock& block : function.blocks) {
    for (const Instruction& instruction : block.body) {
      if (instruction.opcode == spv::Op::OpAllocateNodePayloadsAMDX) allocations_.insert(instruction.result_id);
    }
  }
  for (const BasicBlock& block : function.blocks) {
    current_.clear();
    for (const Instruction& instruction : block.body) Visit(instruction);
  }
}

Id HandlePlan::VariableOf(Id handle) const {
  const auto found = variable_of_.find(handle);
  return found == variable_of_.end() ? kNoId : found->second;
}

void HandlePlan::Visit(const Instruction& instruction) {
  switch (instruction.opcode) {
    case spv::Op::OpLoad:
      if (IsHandleType(instruction.type_id) && types_.IsPointer(TypeOf(type_of_, instruction.operands[0])))
        current_[instruction.result_id] = instruction.operands[0];
      break;
    case spv::Op::OpStore:
    case spv::Op::OpCopyMemory:
      Forget(instruction.operands[0]);
      break;
    case spv::Op::OpFunctionCall:
      ForgetVisibleToCalls(instruction);
      break;
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
    case spv::Op::OpArrayLength:
    case spv::Op::OpNodePayloadArrayLengthAMDX:
    case spv::Op::OpEnqueueNodePayloadsAMDX:
      Use(instruction.operands[0]);
      break;
    default:
      break;
  }
}

void HandlePlan::Use(Id handle) {
  if (!IsHandleType(TypeOf(type_of_, handle)) || allocations_.contains(handle)) return;
  const auto found = current_.find(handle);
  if (found != current_.end()) {
    variable_of_[handle] = found->second;
  } else if (spilled_set_.insert(handle).second) {
    spilled_.push_back(handle);
  }
}

void HandlePlan::Forget(Id variable) {
  // Parameters may point to the same variable as each other.
  const bool may_alias = parameters_.contains(variable);
  std::erase_if(current_, [&](const auto& entry) {
    return entry.second == variable || (may_alias && parameters_.contains(entry.second));
  });
}

void HandlePlan::ForgetVisibleToCalls(const Instruction& call) {
  std::erase_if(current_, [&](const auto& entry) {
    const Id variable = entry.second;
    const bool local = !parameters_.contains(variable) &&
                       types_.PointerClass(TypeOf(type_of_, variable)) == spv::StorageClass::Function;
    return !local || std::find(call.operands.begin() + 1, call.operands.end(), variable) != call.operands.end();
  });
}

}  // namespace trellis::spirv
