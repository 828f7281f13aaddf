// SPDX-License-Identifier: Apache-2.0
// A command pool whose command buffers are used again and again.
#pragma once

#include <vector>

#include "tests/support/submission.h"

namespace trellis::test::soak {

// Threading: like a command pool.
class RecordingPool {
 public:
  RecordingPool(const Context& context, uint32_t family) : context_(context), family_(family), pool_(context, family) {}

  [[nodiscard]] uint32_t family() const { return family_; }
  // One in the initial state.
  [[nodiscard]] VkCommandBuffer Next();

  enum class Reset : uint8_t { kKeepMemory, kReleaseMemory, kFreeCommandBuffers };
  // All command buffers; none of them may be pending.
  void ResetAll(Reset how);

 private:
  const Context& context_;
  const uint32_t family_;
  const CommandPool pool_;
  std::vector<VkCommandBuffer> command_buffers_;
  size_t used_ = 0;
};

}  // namespace trellis::test::soak
