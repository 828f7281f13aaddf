// SPDX-License-Identifier: Apache-2.0
// What a device says about VK_KHR_maintenance5 when the layer provides it. Pure.
#pragma once

#include "layer/dispatch/vulkan.h"

namespace trellis {

// Fill in everything but sType and pNext.
void FillMaintenance5Features(VkPhysicalDeviceMaintenance5Features& features);
// Nothing is promised that the driver below might not keep: all false.
void FillMaintenance5Properties(VkPhysicalDeviceMaintenance5Properties& properties);

}  // namespace trellis
