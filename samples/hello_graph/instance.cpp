// SPDX-License-Identifier: Apache-2.0
#include "samples/hello_graph/instance.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "samples/hello_graph/failure.h"

namespace hello {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";
constexpr const char* kDispatchGraphMessage = "TRELLIS-dispatch-graph";

VKAPI_ATTR VkBool32 VKAPI_CALL OnMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                         VkDebugUtilsMessageTypeFlagsEXT,
                                         const VkDebugUtilsMessengerCallbackDataEXT* data, void* user_data) {
  Messages& messages = *static_cast<Messages*>(user_data);
  const char* id = data->pMessageIdName != nullptr ? data->pMessageIdName : "";
  if (std::strcmp(id, kDispatchGraphMessage) == 0) messages.dispatch_graph = data->pMessage;
  if (severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT) std::fprintf(stderr, "%s: %s\n", id, data->pMessage);
  if (severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT) ++messages.errors;
  return VK_FALSE;
}

bool HasLayer(const char* name) {
  uint32_t count = 0;
  Check(vkEnumerateInstanceLayerProperties(&count, nullptr), "vkEnumerateInstanceLayerProperties");
  std::vector<VkLayerProperties> layers(count);
  Check(vkEnumerateInstanceLayerProperties(&count, layers.data()), "vkEnumerateInstanceLayerProperties");
  return std::any_of(layers.begin(), layers.end(),
                     [&](const VkLayerProperties& layer) { return std::strcmp(layer.layerName, name) == 0; });
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

// Being listed is not enough: some drivers list the extension with the feature off.
bool OffersGraphs(VkPhysicalDevice device, const VkPhysicalDeviceProperties& properties) {
  if (properties.apiVersion < VK_API_VERSION_1_3) return false;
  uint32_t count = 0;
  Check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr), "vkEnumerateDeviceExtensionProperties");
  std::vector<VkExtensionProperties> extensions(count);
  Check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data()),
        "vkEnumerateDeviceExtensionProperties");
  const bool listed = std::any_of(extensions.begin(), extensions.end(), [](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME) == 0 &&
           extension.specVersion >= 2;
  });
  if (!listed) return false;
  VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX,
                                                       nullptr, VK_FALSE, VK_FALSE};
  VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &enqueue, {}};
  vkGetPhysicalDeviceFeatures2(device, &features);
  return enqueue.shaderEnqueue == VK_TRUE;
}

int Rank(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return 4;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return 3;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

Instance::Instance(bool validate, std::vector<const char*> extensions) {
  if (validate && !HasLayer(kValidationLayer))
    Fail("--validate: VK_LAYER_KHRONOS_validation is not installed (package vulkan-validationlayers)");
  const bool has_messages = HasInstanceExtension(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  if (has_messages) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);

  const VkApplicationInfo application = {
      VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr, kProgram, 1, nullptr, 0, VK_API_VERSION_1_3};
  auto info = Struct<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  info.enabledLayerCount = validate ? 1 : 0;
  info.ppEnabledLayerNames = &kValidationLayer;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  Check(vkCreateInstance(&info, nullptr, &instance_), "vkCreateInstance");
  if (!has_messages) return;

  auto messenger = Struct<VkDebugUtilsMessengerCreateInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT |
                              VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                              VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = OnMessage;
  messenger.pUserData = &messages_;
  const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(instance_, "vkCreateDebugUtilsMessengerEXT"));
  Check(create(instance_, &messenger, nullptr, &messenger_), "vkCreateDebugUtilsMessengerEXT");
}

Instance::~Instance() {
  if (messenger_ != VK_NULL_HANDLE) {
    const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance_, "vkDestroyDebugUtilsMessengerEXT"));
    destroy(instance_, messenger_, nullptr);
  }
  vkDestroyInstance(instance_, nullptr);
}

std::vector<DeviceChoice> ListDevices(const Instance& instance) {
  uint32_t count = 0;
  Check(vkEnumeratePhysicalDevices(instance.handle(), &count, nullptr), "vkEnumeratePhysicalDevices");
  if (count == 0) Fail("there is no Vulkan device: " + HowToGetADriver());
  std::vector<VkPhysicalDevice> handles(count);
  Check(vkEnumeratePhysicalDevices(instance.handle(), &count, handles.data()), "vkEnumeratePhysicalDevices");
  std::vector<DeviceChoice> devices(count);
  for (uint32_t i = 0; i < count; ++i) {
    devices[i].handle = handles[i];
    vkGetPhysicalDeviceProperties(handles[i], &devices[i].properties);
    devices[i].offers_graphs = OffersGraphs(handles[i], devices[i].properties);
  }
  return devices;
}

const DeviceChoice* BestDevice(const std::vector<DeviceChoice>& devices) {
  const DeviceChoice* best = nullptr;
  for (const DeviceChoice& device : devices) {
    if (!device.offers_graphs) continue;
    if (best == nullptr || Rank(device.properties.deviceType) > Rank(best->properties.deviceType)) best = &device;
  }
  return best;
}

const char* KindOfDevice(const DeviceChoice& device) {
  switch (device.properties.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "discrete GPU";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated GPU";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return "virtual GPU";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "CPU";
    default:
      return "other";
  }
}

}  // namespace hello
