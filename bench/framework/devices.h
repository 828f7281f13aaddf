// SPDX-License-Identifier: Apache-2.0
// The instance, and the choice of a device.
#pragma once

#include <string>
#include <vector>

#include "bench/framework/vulkan.h"

namespace trellis::bench {

VkInstance CreateInstance();
std::vector<VkPhysicalDevice> ListDevices(VkInstance instance);
bool OffersGraphs(VkPhysicalDevice device);
bool HasDeviceExtension(VkPhysicalDevice device, const char* name);
// Ends the program, with the reason, if there is no such device or it does not offer the extension.
VkPhysicalDevice ChooseDevice(VkInstance instance, const std::string& choice);
void PrintDevices(VkInstance instance);

}  // namespace trellis::bench
