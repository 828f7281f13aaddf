// What the loader hands to a layer in the pNext chains of vkCreateInstance and vkCreateDevice.
#pragma once

#include "layer/dispatch/vulkan.h"

namespace trellis {

// `chain` is the pNext of a *copied* create info: the loader's link is advanced in it, so that the next layer finds its
// own. Both return null when the loader gave no link.
[[nodiscard]] VkLayerInstanceLink* TakeInstanceLink(void* chain);
[[nodiscard]] VkLayerDeviceLink* TakeDeviceLink(void* chain);

// Null when the loader offers no such callback.
[[nodiscard]] PFN_vkSetDeviceLoaderData FindSetDeviceLoaderData(const void* chain);

}  // namespace trellis
