// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/command_attempt.h"

namespace trellis::test {

CommandAttempt::CommandAttempt(uint32_t threads) : Attempt(threads) {
  parts_.emplace(*device_);
  scratch_.emplace(*device_);
  auto pool_info = MakeStruct<VkCommandPoolCreateInfo>();
  pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  TRELLIS_CALL(*device_, CreateCommandPool)(handle(), &pool_info, nullptr, &pool_);
  const VkCommandBufferAllocateInfo allocate = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                                VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  TRELLIS_CALL(*device_, AllocateCommandBuffers)(handle(), &allocate, &command_buffer_);
}

CommandAttempt::~CommandAttempt() {
  TRELLIS_CALL(*device_, DestroyCommandPool)(handle(), pool_, nullptr);
  TRELLIS_CALL(*device_, DestroyPipeline)(handle(), graph_, nullptr);
  scratch_.reset();
  parts_.reset();
}

VkQueue CommandAttempt::MakeQueue(uint32_t index) const {
  VkQueue queue = VK_NULL_HANDLE;
  Call(TRELLIS_CALL(*device_, GetDeviceQueue), handle(), 0, index, &queue);
  return queue;
}

VkResult CommandAttempt::Submit(VkQueue queue) const {
  auto submit = MakeStruct<VkSubmitInfo>();
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &command_buffer_;
  return Call(TRELLIS_CALL(*device_, QueueSubmit), queue, 1, &submit, VkFence{VK_NULL_HANDLE});
}

VkResult CommandAttempt::Record() {
  auto begin = MakeStruct<VkCommandBufferBeginInfo>();
  const VkResult begun = Call(TRELLIS_CALL(*device_, BeginCommandBuffer), command_buffer_, &begin);
  if (begun != VK_SUCCESS) return begun;
  Call(TRELLIS_CALL(*device_, CmdBindPipeline), command_buffer_, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, graph_);
  Call(TRELLIS_CALL(*device_, CmdInitializeGraphScratchMemoryAMDX), command_buffer_, graph_, scratch_->address(),
       Scratch::kBytes);
  Dispatch();
  return Call(TRELLIS_CALL(*device_, EndCommandBuffer), command_buffer_);
}

}  // namespace trellis::test
