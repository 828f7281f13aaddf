// SPDX-License-Identifier: Apache-2.0
// Functions of the next layer or driver.
#pragma once

#include <string>

#include "layer/dispatch/vulkan.h"

namespace trellis::test {

#define TRELLIS_PROFILE_INSTANCE_FUNCTIONS(F)      \
  F(DestroyInstance)                               \
  F(CreateDebugUtilsMessengerEXT)                  \
  F(DestroyDebugUtilsMessengerEXT)                 \
  F(EnumerateDeviceExtensionProperties)            \
  F(GetPhysicalDeviceProperties)                   \
  F(GetPhysicalDeviceProperties2)                  \
  F(GetPhysicalDeviceFeatures)                     \
  F(GetPhysicalDeviceFeatures2)                    \
  F(GetPhysicalDeviceFormatProperties)             \
  F(GetPhysicalDeviceFormatProperties2)            \
  F(GetPhysicalDeviceImageFormatProperties)        \
  F(GetPhysicalDeviceImageFormatProperties2)       \
  F(GetPhysicalDeviceSparseImageFormatProperties)  \
  F(GetPhysicalDeviceSparseImageFormatProperties2) \
  F(GetPhysicalDeviceMemoryProperties)             \
  F(GetPhysicalDeviceMemoryProperties2)            \
  F(GetPhysicalDeviceQueueFamilyProperties)        \
  F(GetPhysicalDeviceQueueFamilyProperties2)

#define TRELLIS_PROFILE_DEVICE_FUNCTIONS(F) \
  F(DestroyDevice)                          \
  F(GetDeviceQueue)                         \
  F(QueueSubmit2)                           \
  F(QueueBindSparse)                        \
  F(DeviceWaitIdle)                         \
  F(CreateFence)                            \
  F(DestroyFence)                           \
  F(WaitForFences)                          \
  F(CreateSemaphore)                        \
  F(DestroySemaphore)                       \
  F(SignalSemaphore)                        \
  F(WaitSemaphores)                         \
  F(CreateCommandPool)                      \
  F(DestroyCommandPool)                     \
  F(ResetCommandPool)                       \
  F(AllocateCommandBuffers)                 \
  F(FreeCommandBuffers)                     \
  F(BeginCommandBuffer)                     \
  F(ResetCommandBuffer)                     \
  F(CmdDispatchIndirect)                    \
  F(CmdCopyBuffer)                          \
  F(AllocateMemory)                         \
  F(FreeMemory)                             \
  F(MapMemory)                              \
  F(UnmapMemory)                            \
  F(MapMemory2)                             \
  F(UnmapMemory2)                           \
  F(FlushMappedMemoryRanges)                \
  F(InvalidateMappedMemoryRanges)           \
  F(CreateBuffer)                           \
  F(DestroyBuffer)                          \
  F(CreateBufferView)                       \
  F(CreateImage)                            \
  F(CreateImageView)                        \
  F(BindBufferMemory)                       \
  F(GetBufferMemoryRequirements)            \
  F(GetBufferMemoryRequirements2)           \
  F(GetImageMemoryRequirements)             \
  F(GetImageMemoryRequirements2)            \
  F(GetDeviceBufferMemoryRequirements)      \
  F(GetDeviceImageMemoryRequirements)       \
  F(GetMemoryHostPointerPropertiesEXT)      \
  F(GetMemoryFdPropertiesKHR)               \
  F(QueueBeginDebugUtilsLabelEXT)           \
  F(QueueEndDebugUtilsLabelEXT)             \
  F(QueueInsertDebugUtilsLabelEXT)          \
  F(SetDebugUtilsObjectNameEXT)             \
  F(SetDebugUtilsObjectTagEXT)              \
  F(SetPrivateData)                         \
  F(GetPrivateData)

// Tries the core name, then the names with the suffixes of extensions.
template <typename Function, typename Handle, typename GetProcAddr>
void LoadFunction(GetProcAddr get, Handle handle, const std::string& name, Function& function) {
  for (const char* suffix : {"", "KHR", "EXT"}) {
    if (function == nullptr) function = reinterpret_cast<Function>(get(handle, (name + suffix).c_str()));
  }
}

struct InstanceFunctions {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
#define TRELLIS_FUNCTION(name) PFN_vk##name name = nullptr;
  TRELLIS_PROFILE_INSTANCE_FUNCTIONS(TRELLIS_FUNCTION)
#undef TRELLIS_FUNCTION

  void Load(PFN_vkGetInstanceProcAddr get, VkInstance instance) {
    GetInstanceProcAddr = get;
#define TRELLIS_FUNCTION(name) LoadFunction(get, instance, "vk" #name, name);
    TRELLIS_PROFILE_INSTANCE_FUNCTIONS(TRELLIS_FUNCTION)
#undef TRELLIS_FUNCTION
  }
};

struct DeviceFunctions {
  PFN_vkGetDeviceProcAddr GetDeviceProcAddr = nullptr;
#define TRELLIS_FUNCTION(name) PFN_vk##name name = nullptr;
  TRELLIS_PROFILE_DEVICE_FUNCTIONS(TRELLIS_FUNCTION)
#undef TRELLIS_FUNCTION

  void Load(PFN_vkGetDeviceProcAddr get, VkDevice device) {
    GetDeviceProcAddr = get;
#define TRELLIS_FUNCTION(name) LoadFunction(get, device, "vk" #name, name);
    TRELLIS_PROFILE_DEVICE_FUNCTIONS(TRELLIS_FUNCTION)
#undef TRELLIS_FUNCTION
  }
};

}  // namespace trellis::test
