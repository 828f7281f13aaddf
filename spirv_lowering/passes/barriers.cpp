// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/barriers.h"

namespace trellis::spirv {
namespace {

constexpr uint32_t kOrdering = 0x2 | 0x4 | 0x8 | 0x10;  // Acquire, Release, AcquireRelease, SequentiallyConsistent
constexpr uint32_t kUniformMemory = 0x40;
constexpr uint32_t kVulkanModelOnly =
    0x1000 | 0x2000 | 0x4000 | 0x8000;  // OutputMemory, MakeAvailable, MakeVisible, Volatile

// False: the instruction orders nothing and is to go.
bool Widen(Types& types, std::vector<uint32_t>& operands, size_t scope_at, bool vulkan_memory_model) {
  uint32_t& scope = operands[scope_at];
  uint32_t& semantics = operands[scope_at + 1];
  const std::optional<uint32_t> scope_value = types.ConstantValue(scope);
  if (scope_value == kScopeQueueFamily && !vulkan_memory_model) scope = types.ConstantUint(kScopeDevice);
  const std::optional<uint32_t> value = types.ConstantValue(semantics);
  if (!value) return true;
  uint32_t wanted = vulkan_memory_model ? *value : *value & ~kVulkanModelOnly;
  if ((wanted & kOrdering) != 0) wanted |= kUniformMemory;
  // An invocation sees its own accesses in order anyway, and the scope goes with no semantics only.
  if (scope_value == kScopeInvocation || (wanted & kOrdering) == 0) wanted = 0;
  if (wanted != *value) semantics = types.ConstantUint(wanted);
  return wanted != 0;
}

}  // namespace

void WidenBarriers(Module& module, Types& types, bool vulkan_memory_model) {
  for (Function& function : module.functions) {
    for (BasicBlock& block : function.blocks) {
      std::erase_if(block.body, [&](Instruction& instruction) {
        if (instruction.opcode == spv::Op::OpControlBarrier)
          (void)Widen(types, instruction.operands, 1, vulkan_memory_model);
        return instruction.opcode == spv::Op::OpMemoryBarrier &&
               !Widen(types, instruction.operands, 0, vulkan_memory_model);
      });
    }
  }
}

}  // namespace trellis::spirv
