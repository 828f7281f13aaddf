// SPDX-License-Identifier: Apache-2.0
#include "tests/device_profiles/profiled_device.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/validation_layer.h"

namespace trellis::test {
namespace {

constexpr const char* kProfileLayer = "VK_LAYER_TRELLIS_TEST_device_profile";
constexpr const char* kMessageId = "TRELLIS-TEST-device-profile";
constexpr const char* kProfileVariable = "TRELLIS_TEST_DEVICE_PROFILE";

std::filesystem::path ProfilePath() {
  return std::filesystem::path(testing::TempDir()) / ("trellis_profile_" + std::to_string(getpid()) + ".json");
}

}  // namespace

const char* const kSmallProfile = R"({
  "source": ["a test"], "apiVersion": "1.3", "deviceType": "VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU",
  "features": {"without": ["shaderInt64", "shaderInt8"]},
  "extensions": {"without": ["VK_KHR_push_descriptor"]},
  "formats": [
    {"names": ["VK_FORMAT_BC*"]},
    {"names": ["VK_FORMAT_R8G8B8A8_UNORM"], "without": ["VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT"]},
    {"names": ["VK_FORMAT_R16_UINT"], "without":
      ["VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT", "VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT"]}],
  "limits": {
    "maxBoundDescriptorSets": 1048576, "maxComputeSharedMemorySize": 16384,
    "maxComputeWorkGroupCount": [1000, 65535, 65535], "maxComputeWorkGroupInvocations": 128,
    "maxMemoryAllocationSize": 1048576, "maxPushConstantsSize": 64, "minStorageBufferOffsetAlignment": 256,
    "nonCoherentAtomSize": 256, "subgroupSupportedOperations": ["VK_SUBGROUP_FEATURE_BASIC_BIT"]},
  "memoryHeaps": [{"size": 1073741824, "flags": ["VK_MEMORY_HEAP_DEVICE_LOCAL_BIT"]}],
  "memoryTypes": [
    {"heapIndex": 0, "propertyFlags": ["VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT"]},
    {"heapIndex": 0, "propertyFlags": ["VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT"]},
    {"heapIndex": 0, "propertyFlags": ["VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT", "VK_MEMORY_PROPERTY_HOST_COHERENT_BIT"]}],
  "queueFamilies": [
    {"queueFlags": ["VK_QUEUE_GRAPHICS_BIT", "VK_QUEUE_COMPUTE_BIT", "VK_QUEUE_TRANSFER_BIT"], "queueCount": 1},
    {"queueFlags": ["VK_QUEUE_COMPUTE_BIT", "VK_QUEUE_TRANSFER_BIT"], "queueCount": 2, "timestampValidBits": 0}]})";

ProfiledInstance::ProfiledInstance(const char* profile, Validation validation) {
  std::vector<const char*> layers;
  if (validation == Validation::kOn) layers.push_back(kValidationLayer);
  if (profile != nullptr) {
    layers.push_back(kProfileLayer);
    std::ofstream(ProfilePath()) << profile;
    setenv(kProfileVariable, ProfilePath().c_str(), 1);
  }
  const char* const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                                    VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME};
  const VkDebugUtilsMessengerCreateInfoEXT messenger = messages.MessengerInfo();
  auto application = MakeStruct<VkApplicationInfo>();
  application.apiVersion = VK_API_VERSION_1_3;
  auto info = MakeStruct<VkInstanceCreateInfo>();
  info.pApplicationInfo = &application;
  info.enabledLayerCount = static_cast<uint32_t>(layers.size());
  info.ppEnabledLayerNames = layers.data();
  info.enabledExtensionCount = 2;
  info.ppEnabledExtensionNames = extensions;
  result = vkCreateInstance(&info, nullptr, &handle);
  if (profile != nullptr) std::filesystem::remove(ProfilePath());
  if (result != VK_SUCCESS) return;
  Load<PFN_vkCreateDebugUtilsMessengerEXT>(handle, "vkCreateDebugUtilsMessengerEXT")(handle, &messenger, nullptr,
                                                                                     &messenger_);
  uint32_t count = 1;
  vkEnumeratePhysicalDevices(handle, &count, &physical_device);
}

ProfiledInstance::~ProfiledInstance() {
  if (handle == VK_NULL_HANDLE) return;
  Load<PFN_vkDestroyDebugUtilsMessengerEXT>(handle, "vkDestroyDebugUtilsMessengerEXT")(handle, messenger_, nullptr);
  vkDestroyInstance(handle, nullptr);
}

std::vector<std::string> ProfiledInstance::Reports() const {
  std::vector<std::string> texts;
  for (const Message& message : messages.Find(kMessageId)) {
    EXPECT_EQ(message.severity, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT);
    texts.push_back(message.text);
  }
  return texts;
}

ProfiledDevice::ProfiledDevice(const ProfiledInstance& instance, const DeviceRequest& request) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(instance.physical_device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(instance.physical_device, &count, families.data());
  family = count - 1;
  const std::vector<float> priorities(families[family].queueCount + request.more_queues, 1.0f);
  auto queue_info = MakeStruct<VkDeviceQueueCreateInfo>();
  queue_info.queueFamilyIndex = family;
  queue_info.queueCount = static_cast<uint32_t>(priorities.size());
  queue_info.pQueuePriorities = priorities.data();
  auto vulkan12 = MakeStruct<VkPhysicalDeviceVulkan12Features>();
  vulkan12.timelineSemaphore = VK_TRUE;
  auto synchronization2 = MakeStruct<VkPhysicalDeviceSynchronization2Features>(&vulkan12);
  synchronization2.synchronization2 = VK_TRUE;
  auto info = MakeStruct<VkDeviceCreateInfo>(request.synchronization2 ? static_cast<const void*>(&synchronization2)
                                                                      : &vulkan12);
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue_info;
  info.pEnabledFeatures = &request.features;
  info.enabledExtensionCount = static_cast<uint32_t>(request.extensions.size());
  info.ppEnabledExtensionNames = request.extensions.data();
  result = vkCreateDevice(instance.physical_device, &info, nullptr, &handle);
  if (result != VK_SUCCESS) return;
  for (uint32_t i = 0; i < queue_info.queueCount; ++i) vkGetDeviceQueue(handle, family, i, &queues.emplace_back());
  auto pool_info = MakeStruct<VkCommandPoolCreateInfo>();
  pool_info.queueFamilyIndex = family;
  pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  EXPECT_EQ(vkCreateCommandPool(handle, &pool_info, nullptr, &pool_), VK_SUCCESS);
}

ProfiledDevice::~ProfiledDevice() {
  if (handle == VK_NULL_HANDLE) return;
  vkDestroyCommandPool(handle, pool_, nullptr);
  vkDestroyDevice(handle, nullptr);
}

VkCommandBuffer ProfiledDevice::Begin() const {
  auto info = MakeStruct<VkCommandBufferAllocateInfo>();
  info.commandPool = pool_;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer command_buffer = VK_NULL_HANDLE;
  EXPECT_EQ(vkAllocateCommandBuffers(handle, &info, &command_buffer), VK_SUCCESS);
  const auto begin = MakeStruct<VkCommandBufferBeginInfo>();
  EXPECT_EQ(vkBeginCommandBuffer(command_buffer, &begin), VK_SUCCESS);
  return command_buffer;
}

void ProfiledDevice::End(VkCommandBuffer command_buffer) { EXPECT_EQ(vkEndCommandBuffer(command_buffer), VK_SUCCESS); }

void ProfiledDevice::Execute(VkCommandBuffer command_buffer) const {
  auto info = MakeStruct<VkSubmitInfo>();
  info.commandBufferCount = 1;
  info.pCommandBuffers = &command_buffer;
  EXPECT_EQ(vkQueueSubmit(queues[0], 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
  EXPECT_EQ(vkQueueWaitIdle(queues[0]), VK_SUCCESS);
}

MappedBuffer::MappedBuffer(const ProfiledDevice& device, uint32_t type) : device_(device.handle) {
  auto info = MakeStruct<VkBufferCreateInfo>();
  info.size = kBytes;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  EXPECT_EQ(vkCreateBuffer(device_, &info, nullptr, &buffer_), VK_SUCCESS);
  VkMemoryRequirements requirements = {};
  vkGetBufferMemoryRequirements(device_, buffer_, &requirements);
  type_bits_ = requirements.memoryTypeBits;
  auto allocation = MakeStruct<VkMemoryAllocateInfo>();
  allocation.allocationSize = requirements.size;
  allocation.memoryTypeIndex = type;
  EXPECT_EQ(vkAllocateMemory(device_, &allocation, nullptr, &memory_), VK_SUCCESS);
  EXPECT_EQ(vkBindBufferMemory(device_, buffer_, memory_, 0), VK_SUCCESS);
  void* mapped = nullptr;
  EXPECT_EQ(vkMapMemory(device_, memory_, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
  words_ = static_cast<uint32_t*>(mapped);
}

MappedBuffer::~MappedBuffer() {
  vkDestroyBuffer(device_, buffer_, nullptr);
  vkFreeMemory(device_, memory_, nullptr);
}

VkMappedMemoryRange MappedBuffer::Range(VkDeviceSize offset, VkDeviceSize size) const {
  auto range = MakeStruct<VkMappedMemoryRange>();
  range.memory = memory_;
  range.offset = offset;
  range.size = size;
  return range;
}

Image::Image(const ProfiledDevice& device, VkFormat format, VkImageUsageFlags usage) : device_(device.handle) {
  auto info = MakeStruct<VkImageCreateInfo>();
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {4, 4, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = usage;
  EXPECT_EQ(vkCreateImage(device_, &info, nullptr, &image_), VK_SUCCESS);
  VkMemoryRequirements requirements = {};
  vkGetImageMemoryRequirements(device_, image_, &requirements);
  auto allocation = MakeStruct<VkMemoryAllocateInfo>();
  allocation.allocationSize = requirements.size;
  allocation.memoryTypeIndex = static_cast<uint32_t>(std::countr_zero(requirements.memoryTypeBits));
  EXPECT_EQ(vkAllocateMemory(device_, &allocation, nullptr, &memory_), VK_SUCCESS);
  EXPECT_EQ(vkBindImageMemory(device_, image_, memory_, 0), VK_SUCCESS);
}

Image::~Image() {
  vkDestroyImage(device_, image_, nullptr);
  vkFreeMemory(device_, memory_, nullptr);
}

ComputePipeline::ComputePipeline(VkDevice device, const uint32_t* code, size_t code_bytes, uint32_t push_constant_bytes)
    : device_(device) {
  auto module_info = MakeStruct<VkShaderModuleCreateInfo>();
  module_info.codeSize = code_bytes;
  module_info.pCode = code;
  if (vkCreateShaderModule(device, &module_info, nullptr, &module_) != VK_SUCCESS) return;
  const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_constant_bytes};
  auto layout_info = MakeStruct<VkPipelineLayoutCreateInfo>();
  layout_info.pushConstantRangeCount = push_constant_bytes != 0 ? 1 : 0;
  layout_info.pPushConstantRanges = &range;
  if (vkCreatePipelineLayout(device, &layout_info, nullptr, &layout_) != VK_SUCCESS) return;
  auto info = MakeStruct<VkComputePipelineCreateInfo>();
  info.stage = MakeStruct<VkPipelineShaderStageCreateInfo>();
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module_;
  info.stage.pName = "main";
  info.layout = layout_;
  (void)vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_);
}

ComputePipeline::~ComputePipeline() {
  vkDestroyPipeline(device_, pipeline_, nullptr);
  vkDestroyPipelineLayout(device_, layout_, nullptr);
  vkDestroyShaderModule(device_, module_, nullptr);
}

void ComputePipeline::Bind(VkCommandBuffer command_buffer) const {
  ASSERT_NE(pipeline_, VK_NULL_HANDLE);
  vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
}

}  // namespace trellis::test
