// SPDX-License-Identifier: Apache-2.0
// The layer's instances and devices.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "layer/diagnostics/diagnostics.h"
#include "tests/device_profiles/functions.h"
#include "tests/device_profiles/indirect_dispatches.h"
#include "tests/device_profiles/memory.h"
#include "tests/device_profiles/profile.h"
#include "tests/device_profiles/queues.h"

namespace trellis::test {

struct Instance {
  VkInstance handle = VK_NULL_HANDLE;
  InstanceFunctions next;
  Profile profile;

  // Calls the messengers directly: in vkCreateDevice some loaders hold a lock that vkSubmitDebugUtilsMessageEXT takes.
  Diagnostics diagnostics{Settings{}};

  // Reports a violation of the profile to the application's messengers and to stderr, as an error with the id
  // TRELLIS-TEST-device-profile.
  void Report(const std::string& text);
  void Report(const std::vector<std::string>& texts);

  // The device as the profile describes it.
  [[nodiscard]] uint32_t ApiVersion(VkPhysicalDevice device) const;
  [[nodiscard]] MemoryView Memory(VkPhysicalDevice device) const;
  [[nodiscard]] QueueFamilyView Families(VkPhysicalDevice device) const;
  [[nodiscard]] std::vector<VkExtensionProperties> Extensions(VkPhysicalDevice device) const;
  [[nodiscard]] VkPhysicalDeviceProperties Properties(VkPhysicalDevice device) const;
};

struct Device {
  VkDevice handle = VK_NULL_HANDLE;
  Instance* instance = nullptr;
  DeviceFunctions next;
  uint32_t api_version = 0;
  MemoryView memory;
  QueueFamilyView families;
  VkDeviceSize max_allocation_size = 0;
  IncoherentMemory incoherent{next};
  Queues queues{next};
  std::unique_ptr<IndirectDispatches> indirect_dispatches;
};

// Instances and devices by dispatchable handle: all handles of one begin with the same word. Threading: any thread.
void AddInstance(std::unique_ptr<Instance> instance);
void AddDevice(std::unique_ptr<Device> device);
[[nodiscard]] Instance& InstanceOf(const void* handle);
[[nodiscard]] Device& DeviceOf(const void* handle);
[[nodiscard]] std::unique_ptr<Instance> TakeInstance(const void* handle);
[[nodiscard]] std::unique_ptr<Device> TakeDevice(const void* handle);

// Returns the layer's function of that name, or null.
[[nodiscard]] PFN_vkVoidFunction FindInstanceHook(const char* name);
[[nodiscard]] PFN_vkVoidFunction FindDeviceHook(const char* name);

}  // namespace trellis::test
