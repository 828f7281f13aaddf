// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_set>

#include "layer/dispatch/vulkan.h"

namespace trellis {

// A command pool of the application. Externally synchronised, like the pool itself.
struct CommandPool {
  uint32_t queue_family = 0;
  bool is_protected = false;
  std::unordered_set<VkCommandBuffer> command_buffers;
};

}  // namespace trellis
