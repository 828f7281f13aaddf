// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <unordered_set>
#include <vector>

#include "layer/dispatch/vulkan.h"

namespace trellis {

// A command pool of the application. Externally synchronised, like the pool itself.
struct CommandPool {
  VkCommandPool handle = VK_NULL_HANDLE;
  uint32_t queue_family = 0;
  bool is_protected = false;
  std::unordered_set<VkCommandBuffer> command_buffers;
};

}  // namespace trellis
