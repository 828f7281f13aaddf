// SPDX-License-Identifier: Apache-2.0
// Name -> hook. What the next layer answers with null stays null, but for the commands that the layer provides itself.
#pragma once

#include "layer/dispatch/vulkan.h"

namespace trellis {

struct Instance;

// The layer's vkGetInstanceProcAddr and vkGetDeviceProcAddr.
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name);

// Notes which hooked instance commands the next layer has. Must run inside vkCreateInstance: see
// InstanceDispatch::Load.
void FindInstanceHooksBelow(Instance& instance);

}  // namespace trellis
