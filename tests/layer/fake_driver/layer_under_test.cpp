// SPDX-License-Identifier: Apache-2.0
#include "tests/layer/fake_driver/layer_under_test.h"

extern "C" VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiate);

namespace trellis::test {
namespace {

PFN_vkNegotiateLoaderLayerInterfaceVersion g_negotiate = vkNegotiateLoaderLayerInterfaceVersion;

}  // namespace

void NegotiateThrough(PFN_vkNegotiateLoaderLayerInterfaceVersion negotiate) {
  g_negotiate = negotiate ? negotiate : vkNegotiateLoaderLayerInterfaceVersion;
}

VkNegotiateLayerInterface Negotiate() {
  VkNegotiateLayerInterface negotiate = {};
  negotiate.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT;
  negotiate.loaderLayerInterfaceVersion = 2;
  g_negotiate(&negotiate);
  return negotiate;
}

TestInstance::TestInstance(FakeDriver& driver, const std::vector<const char*>& extensions, const void* chain,
                           uint32_t api_version)
    : driver_(driver), negotiated_(Negotiate()) {
  VkLayerInstanceLink link = {nullptr, driver.MakeCurrent(), nullptr};
  VkLayerInstanceCreateInfo loader = {};
  loader.sType = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO;
  loader.pNext = chain;
  loader.function = VK_LAYER_LINK_INFO;
  loader.u.pLayerInfo = &link;
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = api_version;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pNext = &loader;
  info.pApplicationInfo = &application;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  result_ = Get<PFN_vkCreateInstance>("vkCreateInstance")(&info, nullptr, &instance_);
  if (result_ != VK_SUCCESS) return;
  uint32_t count = 1;
  result_ = TRELLIS_CALL(*this, EnumeratePhysicalDevices)(instance_, &count, &physical_device_);
}

TestInstance::~TestInstance() {
  if (instance_) TRELLIS_CALL(*this, DestroyInstance)(instance_, nullptr);
}

std::vector<std::string> TestInstance::DeviceExtensions() const {
  const auto enumerate = TRELLIS_CALL(*this, EnumerateDeviceExtensionProperties);
  uint32_t count = 0;
  if (enumerate(physical_device_, nullptr, &count, nullptr) != VK_SUCCESS) return {};
  std::vector<VkExtensionProperties> properties(count);
  if (enumerate(physical_device_, nullptr, &count, properties.data()) != VK_SUCCESS) return {};
  std::vector<std::string> names;
  for (const VkExtensionProperties& extension : properties) names.push_back(extension.extensionName);
  return names;
}

TestDevice::TestDevice(const TestInstance& instance, const std::vector<const char*>& extensions, const void* chain,
                       const VkPhysicalDeviceFeatures* features, uint32_t queues)
    : negotiated_(Negotiate()) {
  const auto driver_functions =
      reinterpret_cast<PFN_vkGetDeviceProcAddr>(instance.driver().DeviceFunction("vkGetDeviceProcAddr"));
  VkLayerDeviceLink link = {nullptr, instance.driver().MakeCurrent(), driver_functions};
  VkLayerDeviceCreateInfo loader = {};
  loader.sType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO;
  loader.pNext = chain;
  loader.function = VK_LAYER_LINK_INFO;
  loader.u.pLayerInfo = &link;
  std::array<float, kMaxQueues> priorities;  // allocates nothing: tests count the layer's allocations
  priorities.fill(1);
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = queues;
  queue.pQueuePriorities = priorities.data();
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &loader;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  info.pEnabledFeatures = features;
  result_ = TRELLIS_CALL(instance, CreateDevice)(instance.physical_device(), &info, nullptr, &device_);
}

TestDevice::~TestDevice() {
  if (device_) TRELLIS_CALL(*this, DestroyDevice)(device_, nullptr);
}

VkCommandBuffer TestDevice::Begin() const {
  VkCommandPoolCreateInfo pool_info = {};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  VkCommandBufferAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandBufferCount = 1;
  TRELLIS_CALL(*this, CreateCommandPool)(device_, &pool_info, nullptr, &info.commandPool);
  VkCommandBuffer command_buffer = VK_NULL_HANDLE;
  TRELLIS_CALL(*this, AllocateCommandBuffers)(device_, &info, &command_buffer);
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  TRELLIS_CALL(*this, BeginCommandBuffer)(command_buffer, &begin);
  return command_buffer;
}

}  // namespace trellis::test
