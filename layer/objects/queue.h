// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layer/dispatch/vulkan.h"
#include "layer/objects/components.h"

namespace trellis {

struct Device;

// A queue that the application asked for. Read-only after creation, but for the attachments.
struct Queue {
  Device* device = nullptr;
  VkQueue handle = VK_NULL_HANDLE;
  uint32_t family = 0;
  Components components;
};

}  // namespace trellis
