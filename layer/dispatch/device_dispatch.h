// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "layer/dispatch/function_lists.h"
#include "layer/dispatch/vulkan.h"

namespace trellis {

// The next layer's device commands, taken from the next vkGetDeviceProcAddr. Read-only after loading, so any thread may
// use it. A member is null when the next layer knows the command under none of its names (command_aliases.h).
struct DeviceDispatch {
  PFN_vkGetDeviceProcAddr GetDeviceProcAddr = nullptr;
#define TRELLIS_MEMBER(name) PFN_vk##name name = nullptr;
  TRELLIS_DEVICE_FUNCTIONS(TRELLIS_MEMBER, TRELLIS_MEMBER)
#undef TRELLIS_MEMBER

  // Returns the name of the first required command that is missing, null when all are there.
  // `extensions`: those that are enabled below.
  [[nodiscard]] const char* Load(VkDevice device, PFN_vkGetDeviceProcAddr next,
                                 std::span<const char* const> extensions = {});
};

// True when the next layer answers all seven commands of VK_AMDX_shader_enqueue.
[[nodiscard]] bool HasShaderEnqueueEntryPoints(VkDevice device, PFN_vkGetDeviceProcAddr next);

}  // namespace trellis
