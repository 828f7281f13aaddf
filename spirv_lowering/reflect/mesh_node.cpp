// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/reflect/mesh_node.h"

#include <string>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/reflect/constants.h"

namespace trellis::spirv {
namespace {

Expected<void> CheckMode(const Instruction& mode) {
  switch (static_cast<spv::ExecutionMode>(mode.operands[1])) {
    case spv::ExecutionMode::CoalescingAMDX:
      return Refuse("CoalescingAMDX", mode.operands[0], "only compute nodes coalesce");
    case spv::ExecutionMode::MaxNodeRecursionAMDX:
      return Refuse("MaxNodeRecursionAMDX", mode.operands[0], "a mesh node enqueues nothing, not even for itself");
    default:
      return {};
  }
}

Expected<void> CheckInstruction(const Instruction& instruction) {
  switch (instruction.opcode) {
    case spv::Op::OpAllocateNodePayloadsAMDX:
      return Refuse(OpcodeName(instruction.opcode), instruction.result_id, "only compute nodes enqueue");
    case spv::Op::OpEnqueueNodePayloadsAMDX:
      return Refuse(OpcodeName(instruction.opcode), instruction.operands[0], "only compute nodes enqueue");
    case spv::Op::OpIsNodePayloadValidAMDX:
      return Refuse(OpcodeName(instruction.opcode), instruction.result_id, "only compute nodes have outputs");
    default:
      return {};
  }
}

}  // namespace

Expected<void> CheckMeshNode(const NodeModule& node) {
  for (const Instruction& mode : node.module.execution_modes) {
    if (Expected<void> checked = CheckMode(mode); !checked) return checked;
  }
  for (const Instruction& global : node.module.globals) {
    if (global.opcode == spv::Op::OpVariable &&
        global.operands[0] == static_cast<uint32_t>(spv::StorageClass::TaskPayloadWorkgroupEXT))
      return Refuse("OpVariable", global.result_id,
                    "TaskPayloadWorkgroupEXT in a node: no task shader comes before it");
  }
  for (const Function& function : node.module.functions) {
    for (const BasicBlock& block : function.blocks) {
      for (const Instruction& instruction : block.body) {
        if (Expected<void> checked = CheckInstruction(instruction); !checked) return checked;
      }
    }
  }
  return {};
}

}  // namespace trellis::spirv
