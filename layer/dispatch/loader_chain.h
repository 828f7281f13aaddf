// SPDX-License-Identifier: Apache-2.0
// What the loader hands to a layer in the pNext chains of vkCreateInstance and vkCreateDevice.
#pragma once

#include "layer/dispatch/arena.h"
#include "layer/dispatch/vulkan.h"

namespace trellis {

// Both advance the loader's link in a copy of its structure, so that the next layer finds its own, and return null when
// the loader gave no link. `info` is a copy of the application's create info.
[[nodiscard]] VkLayerInstanceLink* TakeInstanceLink(VkInstanceCreateInfo& info, Arena& arena);
[[nodiscard]] VkLayerDeviceLink* TakeDeviceLink(VkDeviceCreateInfo& info, Arena& arena);

// Null when the loader offers no such callback.
[[nodiscard]] PFN_vkSetDeviceLoaderData FindSetDeviceLoaderData(const void* chain);

}  // namespace trellis
