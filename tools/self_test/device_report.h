// SPDX-License-Identifier: Apache-2.0
// What a physical device is and offers, as JSON.
#pragma once

#include <string>

#include "tools/self_test/vulkan.h"

namespace trellis::self_test {

// Adds properties, features, memory, queues and extensions to what the report says of the device.
[[nodiscard]] std::string DescribeDevice(VkPhysicalDevice device);

// Returns true if the device offers revision 2 of VK_AMDX_shader_enqueue with the feature on.
[[nodiscard]] bool OffersGraphs(VkPhysicalDevice device);

}  // namespace trellis::self_test
