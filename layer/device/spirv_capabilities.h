// SPDX-License-Identifier: Apache-2.0
// What Vulkan wants of a device for each SPIR-V capability ("SPIR-V capabilities" in the specification's appendix).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layer/device/capabilities.h"

namespace trellis {

// Capabilities, sorted, that Vulkan knows and for which nothing is enabled on a device that is created with `info`.
// Those of VK_AMDX_shader_enqueue, which is the layer's own, are never among them. Pure.
[[nodiscard]] std::vector<uint32_t> DisabledCapabilities(const VkDeviceCreateInfo& info, uint32_t api_version);

// Whether a device could be created that has the capability: it is only not enabled.
[[nodiscard]] bool SupportsCapability(const InstanceDispatch& dispatch, VkPhysicalDevice physical_device,
                                      const DeviceCapabilities& capabilities, uint32_t capability);

// "Int16 (shaderInt16)": the capability, and what it needs.
[[nodiscard]] std::string DescribeCapability(uint32_t capability);

}  // namespace trellis
