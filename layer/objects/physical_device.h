// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layer/device/capabilities.h"
#include "layer/device/emulation_decision.h"

namespace trellis {

struct Instance;

// A physical device as the layer below reports it, and what the layer decided to do with it. Read-only after creation.
struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  Instance* instance = nullptr;
  DeviceCapabilities capabilities;
  EmulationDecision decision;
};

}  // namespace trellis
