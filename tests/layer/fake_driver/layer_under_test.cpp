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
  auto loader = MakeStruct<VkLayerInstanceCreateInfo>(chain);
  loader.function = VK_LAYER_LINK_INFO;
  loader.u.pLayerInfo = &link;
  auto application = MakeStruct<VkApplicationInfo>();
  application.apiVersion = api_version;
  auto info = MakeStruct<VkInstanceCreateInfo>(&loader);
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
  auto loader = MakeStruct<VkLayerDeviceCreateInfo>(chain);
  loader.function = VK_LAYER_LINK_INFO;
  loader.u.pLayerInfo = &link;
  std::array<float, kMaxQueues> priorities;  // allocates nothing: tests count the layer's allocations
  priorities.fill(1);
  auto queue = MakeStruct<VkDeviceQueueCreateInfo>();
  queue.queueCount = queues;
  queue.pQueuePriorities = priorities.data();
  auto info = MakeStruct<VkDeviceCreateInfo>(&loader);
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
  auto pool_info = MakeStruct<VkCommandPoolCreateInfo>();
  auto info = MakeStruct<VkCommandBufferAllocateInfo>();
  info.commandBufferCount = 1;
  TRELLIS_CALL(*this, CreateCommandPool)(device_, &pool_info, nullptr, &info.commandPool);
  VkCommandBuffer command_buffer = VK_NULL_HANDLE;
  TRELLIS_CALL(*this, AllocateCommandBuffers)(device_, &info, &command_buffer);
  auto begin = MakeStruct<VkCommandBufferBeginInfo>();
  TRELLIS_CALL(*this, BeginCommandBuffer)(command_buffer, &begin);
  return command_buffer;
}

}  // namespace trellis::test
