// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layer/dispatch/function_lists.h"
#include "layer/dispatch/vulkan.h"

namespace trellis {

// The next layer's instance commands. Read-only after loading, so any thread may use it. A member is null when the next
// layer has no such command.
struct InstanceDispatch {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
#define TRELLIS_MEMBER(name) PFN_vk##name name = nullptr;
  TRELLIS_INSTANCE_FUNCTIONS(TRELLIS_MEMBER, TRELLIS_MEMBER)
#undef TRELLIS_MEMBER

  // Must run inside vkCreateInstance: asked later, loader 1.3.239 may answer with the top of the chain.
  // Returns the name of the first required command that is missing, null when all are there.
  [[nodiscard]] const char* Load(VkInstance instance, PFN_vkGetInstanceProcAddr next);
};

}  // namespace trellis
