// SPDX-License-Identifier: Apache-2.0
// The exported symbols. Loader and layer interface version 2: everything is found through the one function that the
// loader calls first. The two vkGet*ProcAddr are exported for loaders that look for them by name all the same.
#include "layer/dispatch/vulkan.h"
#include "layer/entry/guard.h"
#include "layer/proc_addr.h"

#define TRELLIS_EXPORT extern "C" VKAPI_ATTR

namespace {

constexpr uint32_t kInterfaceVersion = 2;

using GuardedInstanceProcAddr = trellis::entry::Guarded<&trellis::GetInstanceProcAddr, "vkGetInstanceProcAddr">;
using GuardedDeviceProcAddr = trellis::entry::Guarded<&trellis::GetDeviceProcAddr, "vkGetDeviceProcAddr">;

}  // namespace

TRELLIS_EXPORT VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiate) noexcept {
  if (!negotiate || negotiate->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
      negotiate->loaderLayerInterfaceVersion < kInterfaceVersion)
    return VK_ERROR_INITIALIZATION_FAILED;
  negotiate->loaderLayerInterfaceVersion = kInterfaceVersion;
  negotiate->pfnGetInstanceProcAddr = GuardedInstanceProcAddr::Call;
  negotiate->pfnGetDeviceProcAddr = GuardedDeviceProcAddr::Call;
  negotiate->pfnGetPhysicalDeviceProcAddr = nullptr;  // no physical device command that a loader may not know is hooked
  return VK_SUCCESS;
}

TRELLIS_EXPORT PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char* name) noexcept {
  return GuardedInstanceProcAddr::Call(instance, name);
}

TRELLIS_EXPORT PFN_vkVoidFunction VKAPI_CALL vkGetDeviceProcAddr(VkDevice device, const char* name) noexcept {
  return GuardedDeviceProcAddr::Call(device, name);
}
