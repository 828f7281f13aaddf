// SPDX-License-Identifier: Apache-2.0
// What the layer below says about a physical device: everything that the emulation decision looks at.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "layer/device/device_traits.h"
#include "layer/dispatch/instance_dispatch.h"
#include "layer/dispatch/vulkan.h"

namespace trellis {

struct DeviceCapabilities {
  std::string device_name;
  std::unordered_map<std::string, uint32_t> extensions;  // name -> spec version
  DeviceTraits traits;                                   // feature flags: what is supported
  // vkGetPhysicalDeviceFeatures2 and the structures of Vulkan 1.1 and 1.2 could be asked; else the features below are
  // all false.
  bool features_known = false;
  bool synchronization2 = false;        // the feature, from VK_KHR_synchronization2 or Vulkan 1.3
  bool extended_dynamic_state = false;  // the feature of VK_EXT_extended_dynamic_state

  // What the driver says about VK_AMDX_shader_enqueue itself. lavapipe lists it with the feature off and no commands.
  bool native_shader_enqueue = false;

  [[nodiscard]] bool HasExtension(const char* name) const { return extensions.count(name) != 0; }
};

// `instance_api_version`: VkApplicationInfo::apiVersion; what a device has above it is out of reach.
[[nodiscard]] DeviceCapabilities QueryCapabilities(const InstanceDispatch& dispatch, VkPhysicalDevice physical_device,
                                                   uint32_t instance_api_version);

// All extensions of a device as the layer below lists them; on an error `extensions` is empty.
[[nodiscard]] VkResult QueryExtensions(const InstanceDispatch& dispatch, VkPhysicalDevice physical_device,
                                       std::vector<VkExtensionProperties>& extensions);

}  // namespace trellis
