// SPDX-License-Identifier: Apache-2.0
#include "tests/device_profiles/device.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <unordered_map>

#include "tests/device_profiles/members.h"

namespace trellis::test {
namespace {

constexpr char kMessageId[] = "TRELLIS-TEST-device-profile";

struct Registry {
  std::mutex mutex;
  std::unordered_map<const void*, std::unique_ptr<Instance>> instances;
  std::unordered_map<const void*, std::unique_ptr<Device>> devices;
};

Registry& TheRegistry() {
  static Registry& registry = *new Registry();  // outlives every thread
  return registry;
}

const void* Key(const void* handle) { return *static_cast<const void* const*>(handle); }

}  // namespace

void Instance::Report(const std::string& text) {
  diagnostics.InvalidUsage(kMessageId, "device profile " + profile.name + ": " + text, {});
}

void Instance::Report(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) Report(text);
}

VkPhysicalDeviceProperties Instance::Properties(VkPhysicalDevice device) const {
  VkPhysicalDeviceProperties properties = {};
  next.GetPhysicalDeviceProperties(device, &properties);
  LowerLimits(profile, properties.limits);
  properties.apiVersion = std::min(properties.apiVersion, profile.api_version);
  if (profile.device_type) properties.deviceType = *profile.device_type;
  std::snprintf(properties.deviceName, sizeof(properties.deviceName), "%s on a CPU", profile.name.c_str());
  return properties;
}

uint32_t Instance::ApiVersion(VkPhysicalDevice device) const { return Properties(device).apiVersion; }

MemoryView Instance::Memory(VkPhysicalDevice device) const {
  VkPhysicalDeviceMemoryProperties properties = {};
  next.GetPhysicalDeviceMemoryProperties(device, &properties);
  return MakeMemoryView(profile, properties);
}

QueueFamilyView Instance::Families(VkPhysicalDevice device) const {
  uint32_t count = 0;
  next.GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  next.GetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  return MakeQueueFamilyView(profile, families);
}

std::vector<VkExtensionProperties> Instance::Extensions(VkPhysicalDevice device) const {
  uint32_t count = 0;
  next.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  next.EnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data());
  extensions.resize(count);
  std::erase_if(extensions, [this](const VkExtensionProperties& extension) {
    return profile.extensions.Hides(extension.extensionName);
  });
  return extensions;
}

void AddInstance(std::unique_ptr<Instance> instance) {
  const std::lock_guard lock(TheRegistry().mutex);
  const void* const key = Key(instance->handle);
  TheRegistry().instances[key] = std::move(instance);
}

void AddDevice(std::unique_ptr<Device> device) {
  const std::lock_guard lock(TheRegistry().mutex);
  const void* const key = Key(device->handle);
  TheRegistry().devices[key] = std::move(device);
}

Instance& InstanceOf(const void* handle) {
  const std::lock_guard lock(TheRegistry().mutex);
  return *TheRegistry().instances.at(Key(handle));
}

Device& DeviceOf(const void* handle) {
  const std::lock_guard lock(TheRegistry().mutex);
  return *TheRegistry().devices.at(Key(handle));
}

std::unique_ptr<Instance> TakeInstance(const void* handle) {
  const std::lock_guard lock(TheRegistry().mutex);
  return std::move(TheRegistry().instances.extract(Key(handle)).mapped());
}

std::unique_ptr<Device> TakeDevice(const void* handle) {
  const std::lock_guard lock(TheRegistry().mutex);
  return std::move(TheRegistry().devices.extract(Key(handle)).mapped());
}

}  // namespace trellis::test
