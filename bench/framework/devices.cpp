// SPDX-License-Identifier: Apache-2.0
#include "bench/framework/devices.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace trellis::bench {
namespace {

std::vector<VkExtensionProperties> DeviceExtensions(VkPhysicalDevice device) {
  uint32_t count = 0;
  Check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr), "vkEnumerateDeviceExtensionProperties");
  std::vector<VkExtensionProperties> extensions(count);
  Check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data()),
        "vkEnumerateDeviceExtensionProperties");
  return extensions;
}

bool HasInstanceExtension(const char* name) {
  uint32_t count = 0;
  Check(vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr), "vkEnumerateInstanceExtensionProperties");
  std::vector<VkExtensionProperties> extensions(count);
  Check(vkEnumerateInstanceExtensionProperties(nullptr, &count, extensions.data()),
        "vkEnumerateInstanceExtensionProperties");
  return std::any_of(extensions.begin(), extensions.end(), [&](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

VkPhysicalDeviceProperties PropertiesOf(VkPhysicalDevice device) {
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(device, &properties);
  return properties;
}

bool IsNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

VkPhysicalDevice BestDevice(const std::vector<VkPhysicalDevice>& devices) {
  VkPhysicalDevice best = VK_NULL_HANDLE;
  for (VkPhysicalDevice device : devices) {
    if (!OffersGraphs(device)) continue;
    if (PropertiesOf(device).deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU) return device;
    if (best == VK_NULL_HANDLE) best = device;
  }
  return best;
}

VkPhysicalDevice FindDevice(const std::vector<VkPhysicalDevice>& devices, const std::string& choice) {
  if (IsNumber(choice)) {
    const unsigned long number = std::stoul(choice);
    return number < devices.size() ? devices[number] : VK_NULL_HANDLE;
  }
  const auto found = std::find_if(devices.begin(), devices.end(), [&](VkPhysicalDevice device) {
    return std::string(PropertiesOf(device).deviceName).find(choice) != std::string::npos;
  });
  return found != devices.end() ? *found : VK_NULL_HANDLE;
}

}  // namespace

VkInstance CreateInstance() {
  const VkApplicationInfo application = {
      VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr, "trellis_bench", 1, nullptr, 0, VK_API_VERSION_1_3};
  const char* const messages = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  auto info = Struct<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  info.enabledExtensionCount = HasInstanceExtension(messages) ? 1 : 0;
  info.ppEnabledExtensionNames = &messages;
  VkInstance instance = VK_NULL_HANDLE;
  Check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
  return instance;
}

std::vector<VkPhysicalDevice> ListDevices(VkInstance instance) {
  uint32_t count = 0;
  Check(vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> devices(count);
  Check(vkEnumeratePhysicalDevices(instance, &count, devices.data()), "vkEnumeratePhysicalDevices");
  return devices;
}

bool HasDeviceExtension(VkPhysicalDevice device, const char* name) {
  const std::vector<VkExtensionProperties> extensions = DeviceExtensions(device);
  return std::any_of(extensions.begin(), extensions.end(), [&](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

// Being listed is not enough: some drivers list the extension with the feature off.
bool OffersGraphs(VkPhysicalDevice device) {
  if (PropertiesOf(device).apiVersion < VK_API_VERSION_1_3) return false;
  if (!HasDeviceExtension(device, VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME)) return false;
  auto enqueue =
      Struct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX);
  auto features = Struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &enqueue);
  vkGetPhysicalDeviceFeatures2(device, &features);
  return enqueue.shaderEnqueue == VK_TRUE;
}

VkPhysicalDevice ChooseDevice(VkInstance instance, const std::string& choice) {
  const std::vector<VkPhysicalDevice> devices = ListDevices(instance);
  const VkPhysicalDevice device = choice.empty() ? BestDevice(devices) : FindDevice(devices, choice);
  if (device == VK_NULL_HANDLE)
    Fail(choice.empty() ? "no device offers VK_AMDX_shader_enqueue; is the layer enabled (TRELLIS_ENABLE=1)?"
                        : "no device '" + choice + "' (see --list-devices)");
  if (!OffersGraphs(device)) Fail("the device does not offer VK_AMDX_shader_enqueue");
  return device;
}

void PrintDevices(VkInstance instance) {
  unsigned number = 0;
  for (VkPhysicalDevice device : ListDevices(instance))
    std::printf("%u: %s%s\n", number++, PropertiesOf(device).deviceName,
                OffersGraphs(device) ? "" : ", without VK_AMDX_shader_enqueue");
}

}  // namespace trellis::bench
