// SPDX-License-Identifier: Apache-2.0
// Every command that the layer hooks: from these lists come the hooks' declarations and the table of
// layer/proc_addr.cpp. A hook bears the command's name without "vk" and stands in namespace trellis::entry.
// It serves the command's aliases too (layer/dispatch/command_aliases.h).
#pragma once

#include "layer/dispatch/function_lists.h"

// clang-format off

// HOOK(Name): instance commands, hooked always.
#define TRELLIS_INSTANCE_HOOKS(HOOK) \
  HOOK(DestroyInstance) \
  HOOK(CreateDevice) \
  HOOK(EnumerateDeviceExtensionProperties) \
  HOOK(GetPhysicalDeviceFeatures2) \
  HOOK(GetPhysicalDeviceProperties2) \
  HOOK(GetPhysicalDeviceToolProperties) \
  HOOK(GetPhysicalDeviceExternalBufferProperties) \
  HOOK(CreateDebugUtilsMessengerEXT) \
  HOOK(DestroyDebugUtilsMessengerEXT)

// HOOK(Name): device commands of an instance extension. Loaders take them from vkGetInstanceProcAddr, for devices of all
// kinds, after they have created one; those from vkGetDeviceProcAddr are TRELLIS_DEVICE_HOOKS.
#define TRELLIS_INSTANCE_EXTENSION_HOOKS(HOOK) \
  HOOK(SetDebugUtilsObjectNameEXT) \
  HOOK(SetDebugUtilsObjectTagEXT)

// Device commands of the next layer: function_lists.h says on which devices they are hooked.
#define TRELLIS_DEVICE_HOOKS(GRAPHS, BOTH) \
  TRELLIS_REQUIRED_HOOKED_FUNCTIONS(GRAPHS, BOTH) \
  TRELLIS_OPTIONAL_HOOKED_FUNCTIONS(GRAPHS, BOTH)

// Commands that the layer provides itself: they need nothing of that name below.
#define TRELLIS_PROVIDED_GRAPH_HOOKS(HOOK) TRELLIS_SHADER_ENQUEUE_FUNCTIONS(HOOK)

#define TRELLIS_PROVIDED_MAINTENANCE5_HOOKS(HOOK) \
  HOOK(CmdBindIndexBuffer2KHR) \
  HOOK(GetDeviceImageSubresourceLayoutKHR) \
  HOOK(GetImageSubresourceLayout2KHR) \
  HOOK(GetRenderingAreaGranularityKHR)
// clang-format on
