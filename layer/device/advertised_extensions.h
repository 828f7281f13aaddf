// SPDX-License-Identifier: Apache-2.0
// The extension list that the application sees. Pure.
#pragma once

#include <span>
#include <vector>

#include "layer/device/emulation_decision.h"

namespace trellis {

// What the layer itself provides on a device with this decision.
[[nodiscard]] std::vector<VkExtensionProperties> LayerExtensions(const EmulationDecision& decision);

// The list from below with the layer's extensions in it, each name once: the driver's own VK_AMDX_shader_enqueue is
// hidden unless the driver really implements it.
[[nodiscard]] std::vector<VkExtensionProperties> AdvertisedExtensions(std::span<const VkExtensionProperties> below,
                                                                      const EmulationDecision& decision);

// Answers an enumeration as Vulkan's two-call idiom wants it: VK_INCOMPLETE when `properties` is too short.
[[nodiscard]] VkResult AnswerEnumeration(std::span<const VkExtensionProperties> answer, uint32_t* count,
                                         VkExtensionProperties* properties);

}  // namespace trellis
