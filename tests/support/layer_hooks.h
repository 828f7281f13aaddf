// SPDX-License-Identifier: Apache-2.0
// What the layers of tests answer loaders with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "layer/dispatch/vulkan.h"

namespace trellis::test {

// A command that a layer hooks, by name with "vk".
struct Hook {
  std::string_view name;
  PFN_vkVoidFunction function;
};

// Null if the command is not hooked.
template <size_t kCount>
[[nodiscard]] PFN_vkVoidFunction FindHook(const Hook (&hooks)[kCount], std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(hooks), std::end(hooks), [name](const Hook& hook) { return hook.name == name; });
  return found == std::end(hooks) ? nullptr : found->function;
}

// What vkNegotiateLoaderLayerInterfaceVersion has to do.
inline VkResult Negotiate(VkNegotiateLayerInterface& negotiate, PFN_vkGetInstanceProcAddr get_instance,
                          PFN_vkGetDeviceProcAddr get_device) {
  negotiate.loaderLayerInterfaceVersion = 2;
  negotiate.pfnGetInstanceProcAddr = get_instance;
  negotiate.pfnGetDeviceProcAddr = get_device;
  negotiate.pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}

}  // namespace trellis::test

// Elements of an array of hooks: a function with the command's name, and the same under a second name.
#define TRELLIS_HOOK(function) \
  { "vk" #function, reinterpret_cast<PFN_vkVoidFunction>(function) }
#define TRELLIS_ALIASED_HOOK(function, suffix) \
  TRELLIS_HOOK(function), { "vk" #function #suffix, reinterpret_cast<PFN_vkVoidFunction>(function) }
