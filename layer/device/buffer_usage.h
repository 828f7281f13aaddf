// SPDX-License-Identifier: Apache-2.0
// The scratch usage bit in terms that every driver knows. Pure.
#pragma once

#include "layer/dispatch/arena.h"
#include "layer/dispatch/vulkan.h"

namespace trellis {

// VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX becomes the usages that a replayed graph makes of scratch: storage
// and indirect arguments through addresses, and transfer destination. Serves 32-bit and 64-bit flags; other bits stay.
[[nodiscard]] VkBufferUsageFlags2 TranslateBufferUsage(VkBufferUsageFlags2 usage);

[[nodiscard]] bool IsScratchUsage(VkBufferUsageFlags2 usage);

// The usage that counts: that of VkBufferUsageFlags2CreateInfo if there is one in the chain.
[[nodiscard]] VkBufferUsageFlags2 EffectiveUsage(VkBufferUsageFlags usage, const void* chain);

// `info` itself if nothing has to change, else an edited copy in the arena. With `flatten_usage2` the layer below does
// not know VkBufferUsageFlags2CreateInfo: its low half goes into the 32-bit member and the structure out of the chain.
[[nodiscard]] const VkBufferCreateInfo* EditBufferCreateInfo(const VkBufferCreateInfo& info, bool flatten_usage2,
                                                             Arena& arena);
[[nodiscard]] const VkPhysicalDeviceExternalBufferInfo* EditExternalBufferInfo(
    const VkPhysicalDeviceExternalBufferInfo& info, bool flatten_usage2, Arena& arena);
[[nodiscard]] const VkDescriptorBufferBindingInfoEXT* EditDescriptorBufferBinding(
    const VkDescriptorBufferBindingInfoEXT& info, bool flatten_usage2, Arena& arena);

}  // namespace trellis
