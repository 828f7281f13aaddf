// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/recording_pool.h"

namespace trellis::test::soak {

VkCommandBuffer RecordingPool::Next() {
  if (used_ == command_buffers_.size()) command_buffers_.push_back(pool_.Allocate());
  return command_buffers_[used_++];
}

void RecordingPool::ResetAll(Reset how) {
  used_ = 0;
  if (how == Reset::kFreeCommandBuffers) {
    vkFreeCommandBuffers(context_.device, pool_.handle(), static_cast<uint32_t>(command_buffers_.size()),
                         command_buffers_.data());
    command_buffers_.clear();
    return;
  }
  const VkCommandPoolResetFlags flags = how == Reset::kReleaseMemory ? VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT : 0;
  EXPECT_EQ(vkResetCommandPool(context_.device, pool_.handle(), flags), VK_SUCCESS);
}

}  // namespace trellis::test::soak
