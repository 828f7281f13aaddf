// SPDX-License-Identifier: Apache-2.0
// The device profile layer between the loader and a CPU driver.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/device_profiles/profiled_device.h"
#include "tests/device_profiles/tests/empty_comp_spv.h"

namespace trellis::test {
namespace {

constexpr uint64_t kTimeout = 20'000'000'000;  // ns

constexpr char kOld[] = R"({"source": ["a test"], "apiVersion": "1.2"})";

void CopyAll(VkCommandBuffer command_buffer, const MappedBuffer& from, const MappedBuffer& to) {
  const VkBufferCopy region = {0, 0, MappedBuffer::kBytes};
  vkCmdCopyBuffer(command_buffer, from.handle(), to.handle(), 1, &region);
}

void ExpectSmall(const VkPhysicalDeviceProperties& properties) {
  EXPECT_EQ(properties.limits.maxComputeSharedMemorySize, 16384u);
  EXPECT_EQ(VK_API_VERSION_MINOR(properties.apiVersion), 3u);
  EXPECT_EQ(properties.deviceType, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU);
  EXPECT_NE(std::string(properties.deviceName).find(" on a CPU"), std::string::npos);
}

void ExpectSmall(const VkPhysicalDeviceMemoryProperties& memory) {
  EXPECT_EQ(memory.memoryHeapCount, 1u);
  EXPECT_EQ(memory.memoryHeaps[0].size, 1073741824u);
  ASSERT_EQ(memory.memoryTypeCount, 3u);
  EXPECT_EQ(memory.memoryTypes[0].propertyFlags, VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT});
  EXPECT_EQ(memory.memoryTypes[kIncoherentType].propertyFlags,
            VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT});
}

void ExpectSmallSecond(const VkQueueFamilyProperties& family) {
  EXPECT_EQ(family.queueCount, 2u);
  EXPECT_EQ(family.queueFlags, VkQueueFlags{VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT});
  EXPECT_EQ(family.timestampValidBits, 0u);
}

TEST(DeviceProfileLayer, BothFormsOfPropertiesAreLowered) {
  const ProfiledInstance instance(kSmallProfile);
  ASSERT_EQ(instance.result, VK_SUCCESS);
  VkPhysicalDeviceProperties first = {};
  vkGetPhysicalDeviceProperties(instance.physical_device, &first);
  ExpectSmall(first);
  for (const char* name : {"vkGetPhysicalDeviceProperties2", "vkGetPhysicalDeviceProperties2KHR"}) {
    const auto get = Load<PFN_vkGetPhysicalDeviceProperties2>(instance.handle, name);
    ASSERT_NE(get, nullptr) << name;
    auto maintenance3 = MakeStruct<VkPhysicalDeviceMaintenance3Properties>();
    auto subgroups = MakeStruct<VkPhysicalDeviceSubgroupProperties>(&maintenance3);
    auto vulkan11 = MakeStruct<VkPhysicalDeviceVulkan11Properties>(&subgroups);
    auto second = MakeStruct<VkPhysicalDeviceProperties2>(&vulkan11);
    get(instance.physical_device, &second);
    ExpectSmall(second.properties);
    EXPECT_EQ(vulkan11.maxMemoryAllocationSize, 1048576u) << name;
    EXPECT_EQ(maintenance3.maxMemoryAllocationSize, 1048576u) << name;
    EXPECT_EQ(vulkan11.subgroupSupportedOperations, VkSubgroupFeatureFlags{VK_SUBGROUP_FEATURE_BASIC_BIT}) << name;
    EXPECT_EQ(subgroups.supportedOperations, VkSubgroupFeatureFlags{VK_SUBGROUP_FEATURE_BASIC_BIT}) << name;
  }
}

TEST(DeviceProfileLayer, NoLimitIsRaised) {
  const ProfiledInstance plain(nullptr), instance(kSmallProfile);
  VkPhysicalDeviceProperties driver = {}, shown = {};
  vkGetPhysicalDeviceProperties(plain.physical_device, &driver);
  vkGetPhysicalDeviceProperties(instance.physical_device, &shown);
  EXPECT_LT(driver.limits.maxBoundDescriptorSets, 1048576u);  // the profile's limit
  EXPECT_EQ(shown.limits.maxBoundDescriptorSets, driver.limits.maxBoundDescriptorSets);
}

TEST(DeviceProfileLayer, BothFormsOfFeaturesAreHidden) {
  const ProfiledInstance plain(nullptr), instance(kSmallProfile);
  VkPhysicalDeviceFeatures driver = {}, first = {};
  vkGetPhysicalDeviceFeatures(plain.physical_device, &driver);
  vkGetPhysicalDeviceFeatures(instance.physical_device, &first);
  EXPECT_EQ(driver.shaderInt64, VK_TRUE);
  EXPECT_EQ(first.shaderInt64, VK_FALSE);
  EXPECT_EQ(first.shaderInt16, driver.shaderInt16);
  for (const char* name : {"vkGetPhysicalDeviceFeatures2", "vkGetPhysicalDeviceFeatures2KHR"}) {
    const auto get = Load<PFN_vkGetPhysicalDeviceFeatures2>(instance.handle, name);
    ASSERT_NE(get, nullptr) << name;
    auto small_types = MakeStruct<VkPhysicalDeviceShaderFloat16Int8Features>();
    auto vulkan12 = MakeStruct<VkPhysicalDeviceVulkan12Features>(&small_types);
    auto second = MakeStruct<VkPhysicalDeviceFeatures2>(&vulkan12);
    get(instance.physical_device, &second);
    EXPECT_EQ(second.features.shaderInt64, VK_FALSE) << name;
    EXPECT_EQ(vulkan12.shaderInt8, VK_FALSE) << name;
    EXPECT_EQ(small_types.shaderInt8, VK_FALSE) << name;
    EXPECT_EQ(small_types.shaderFloat16, VK_TRUE) << name;
  }
}

TEST(DeviceProfileLayer, EnablingAHiddenFeatureIsReported) {
  const ProfiledInstance instance(kSmallProfile);
  DeviceRequest request;
  request.features.shaderInt64 = VK_TRUE;
  EXPECT_EQ(ProfiledDevice(instance, request).result, VK_ERROR_FEATURE_NOT_PRESENT);
  const std::vector<std::string> reports = instance.Reports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].find("shaderInt64"), std::string::npos) << reports[0];
}

TEST(DeviceProfileLayer, HiddenExtensionsAreNeitherListedNorEnabled) {
  const ProfiledInstance instance(kSmallProfile);
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(instance.physical_device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vkEnumerateDeviceExtensionProperties(instance.physical_device, nullptr, &count, extensions.data());
  EXPECT_GT(count, 10u);
  for (const VkExtensionProperties& extension : extensions)
    EXPECT_STRNE(extension.extensionName, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
  const ProfiledDevice device(instance, {.extensions = {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME}});
  EXPECT_EQ(device.result, VK_ERROR_EXTENSION_NOT_PRESENT);
}

constexpr VkFormat kHiddenFormat = VK_FORMAT_BC1_RGB_UNORM_BLOCK;
constexpr VkFormat kUnstorableFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkFormatFeatureFlags2 kStorage = VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT;

TEST(DeviceProfileLayer, BothFormsOfFormatPropertiesAreHidden) {
  const ProfiledInstance plain(nullptr), instance(kSmallProfile);
  const auto driver = [&plain](VkFormat format) {
    VkFormatProperties properties = {};
    vkGetPhysicalDeviceFormatProperties(plain.physical_device, format, &properties);
    return properties.optimalTilingFeatures;
  };
  ASSERT_NE(driver(kHiddenFormat), 0u);
  ASSERT_NE(driver(kUnstorableFormat) & kStorage, 0u);
  VkFormatProperties first = {};
  vkGetPhysicalDeviceFormatProperties(instance.physical_device, kHiddenFormat, &first);
  EXPECT_EQ(first.optimalTilingFeatures, 0u);
  vkGetPhysicalDeviceFormatProperties(instance.physical_device, kUnstorableFormat, &first);
  EXPECT_EQ(first.optimalTilingFeatures, driver(kUnstorableFormat) & ~kStorage);
  for (const char* name : {"vkGetPhysicalDeviceFormatProperties2", "vkGetPhysicalDeviceFormatProperties2KHR"}) {
    const auto get = Load<PFN_vkGetPhysicalDeviceFormatProperties2>(instance.handle, name);
    ASSERT_NE(get, nullptr) << name;
    auto wide = MakeStruct<VkFormatProperties3>();
    auto second = MakeStruct<VkFormatProperties2>(&wide);
    get(instance.physical_device, kHiddenFormat, &second);
    EXPECT_EQ(second.formatProperties.optimalTilingFeatures, 0u) << name;
    EXPECT_EQ(wide.optimalTilingFeatures, 0u) << name;
    get(instance.physical_device, kUnstorableFormat, &second);
    EXPECT_EQ(second.formatProperties.optimalTilingFeatures, driver(kUnstorableFormat) & ~kStorage) << name;
    EXPECT_EQ(wide.optimalTilingFeatures & kStorage, 0u) << name;
    EXPECT_NE(wide.optimalTilingFeatures, 0u) << name;
  }
}

struct LeastDevice {
  const char* name;
  int features;  // that Vulkan requires, over all formats
};
// Vulkan 1.3 adds depth comparison of two formats.
constexpr LeastDevice kLeastDevices[] = {{"vulkan_1_2", 505}, {"vulkan_1_3", 507}};

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The driver lacks nothing that Vulkan requires, and all queries agree.
TEST(DeviceProfileLayer, TheLeastDevicesHaveTheRequiredFormats) {
  for (const LeastDevice& least : kLeastDevices) {
    const ProfiledInstance instance(
        TextOf(TRELLIS_DEVICE_PROFILES + ("/" + std::string(least.name) + ".json")).c_str());
    ASSERT_EQ(instance.result, VK_SUCCESS);
    int formats = 0, features = 0;
    for (int format = VK_FORMAT_R4G4_UNORM_PACK8; format <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; ++format) {
      VkFormatProperties first = {};
      vkGetPhysicalDeviceFormatProperties(instance.physical_device, static_cast<VkFormat>(format), &first);
      VkFormatFeatureFlags2 shown = 0;
      for (const char* name : {"vkGetPhysicalDeviceFormatProperties2", "vkGetPhysicalDeviceFormatProperties2KHR"}) {
        const auto get = Load<PFN_vkGetPhysicalDeviceFormatProperties2>(instance.handle, name);
        auto wide = MakeStruct<VkFormatProperties3>();
        auto second = MakeStruct<VkFormatProperties2>(&wide);
        get(instance.physical_device, static_cast<VkFormat>(format), &second);
        EXPECT_EQ(std::memcmp(&second.formatProperties, &first, sizeof(first)), 0) << name << " " << format;
        EXPECT_EQ(static_cast<VkFormatFeatureFlags>(wide.optimalTilingFeatures), first.optimalTilingFeatures) << format;
        EXPECT_EQ(static_cast<VkFormatFeatureFlags>(wide.bufferFeatures), first.bufferFeatures) << format;
        EXPECT_EQ(wide.linearTilingFeatures | first.linearTilingFeatures, 0u) << format;
        shown = wide.optimalTilingFeatures | wide.bufferFeatures;
      }
      formats += shown != 0 ? 1 : 0;
      features += std::popcount(shown);
    }
    EXPECT_EQ(formats, 73) << least.name;
    EXPECT_EQ(features, least.features) << least.name;
  }
}

TEST(DeviceProfileLayer, BothFormsOfImageFormatPropertiesRefuseWhatIsHidden) {
  const ProfiledInstance instance(kSmallProfile);
  const auto first = [&](VkFormat format, VkImageUsageFlags usage) {
    VkImageFormatProperties properties = {};
    return vkGetPhysicalDeviceImageFormatProperties(instance.physical_device, format, VK_IMAGE_TYPE_2D,
                                                    VK_IMAGE_TILING_OPTIMAL, usage, 0, &properties);
  };
  const auto second = [&](VkFormat format, VkImageUsageFlags usage) {
    auto info = MakeStruct<VkPhysicalDeviceImageFormatInfo2>();
    info.format = format;
    info.type = VK_IMAGE_TYPE_2D;
    info.usage = usage;
    auto properties = MakeStruct<VkImageFormatProperties2>();
    return vkGetPhysicalDeviceImageFormatProperties2(instance.physical_device, &info, &properties);
  };
  EXPECT_EQ(first(kHiddenFormat, VK_IMAGE_USAGE_SAMPLED_BIT), VK_ERROR_FORMAT_NOT_SUPPORTED);
  EXPECT_EQ(second(kHiddenFormat, VK_IMAGE_USAGE_SAMPLED_BIT), VK_ERROR_FORMAT_NOT_SUPPORTED);
  EXPECT_EQ(first(kUnstorableFormat, VK_IMAGE_USAGE_STORAGE_BIT), VK_ERROR_FORMAT_NOT_SUPPORTED);
  EXPECT_EQ(second(kUnstorableFormat, VK_IMAGE_USAGE_STORAGE_BIT), VK_ERROR_FORMAT_NOT_SUPPORTED);
  EXPECT_EQ(first(kUnstorableFormat, VK_IMAGE_USAGE_SAMPLED_BIT), VK_SUCCESS);
  EXPECT_EQ(second(kUnstorableFormat, VK_IMAGE_USAGE_SAMPLED_BIT), VK_SUCCESS);
}

TEST(DeviceProfileLayer, ResourcesOfHiddenFormatsAreReported) {
  const ProfiledInstance instance(kSmallProfile);
  const ProfiledDevice device(instance);
  { const Image allowed(device, kUnstorableFormat, VK_IMAGE_USAGE_SAMPLED_BIT); }
  EXPECT_TRUE(instance.Reports().empty());
  {
    const Image hidden(device, kHiddenFormat, VK_IMAGE_USAGE_SAMPLED_BIT);
    auto info = MakeStruct<VkImageViewCreateInfo>();
    info.image = hidden.handle();
    info.viewType = VK_IMAGE_VIEW_TYPE_2D;
    info.format = kHiddenFormat;
    info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkImageView view = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateImageView(device.handle, &info, nullptr, &view), VK_SUCCESS);
    vkDestroyImageView(device.handle, view, nullptr);
  }
  { const Image unstorable(device, kUnstorableFormat, VK_IMAGE_USAGE_STORAGE_BIT); }
  auto buffer_info = MakeStruct<VkBufferCreateInfo>();
  buffer_info.size = 64;
  buffer_info.usage = VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
  auto view_info = MakeStruct<VkBufferViewCreateInfo>();
  ASSERT_EQ(vkCreateBuffer(device.handle, &buffer_info, nullptr, &view_info.buffer), VK_SUCCESS);
  view_info.format = VK_FORMAT_R16_UINT;
  view_info.range = VK_WHOLE_SIZE;
  VkBufferView view = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateBufferView(device.handle, &view_info, nullptr, &view), VK_SUCCESS);
  vkDestroyBufferView(device.handle, view, nullptr);
  vkDestroyBuffer(device.handle, view_info.buffer, nullptr);
  const std::vector<std::string> reports = instance.Reports();
  ASSERT_EQ(reports.size(), 4u);
  EXPECT_NE(reports[0].find("vkCreateImage uses VK_FORMAT_BC1_RGB_UNORM_BLOCK,"), std::string::npos) << reports[0];
  EXPECT_NE(reports[1].find("vkCreateImageView uses VK_FORMAT_BC1_RGB_UNORM_BLOCK,"), std::string::npos) << reports[1];
  EXPECT_NE(reports[2].find("vkCreateImage uses VK_FORMAT_R8G8B8A8_UNORM with VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT,"),
            std::string::npos)
      << reports[2];
  EXPECT_NE(reports[3].find("vkCreateBufferView uses VK_FORMAT_R16_UINT with "), std::string::npos) << reports[3];
}

TEST(DeviceProfileLayer, CommandsOfLaterVersionsAreNull) {
  const ProfiledInstance instance(kOld);
  const ProfiledDevice device(instance, {.synchronization2 = false});
  ASSERT_EQ(device.result, VK_SUCCESS);
  EXPECT_EQ(vkGetDeviceProcAddr(device.handle, "vkQueueSubmit2"), nullptr);
  EXPECT_NE(vkGetDeviceProcAddr(device.handle, "vkWaitSemaphores"), nullptr);
}

TEST(DeviceProfileLayer, MemoryIsTheProfiles) {
  const ProfiledInstance instance(kSmallProfile);
  VkPhysicalDeviceMemoryProperties first = {};
  vkGetPhysicalDeviceMemoryProperties(instance.physical_device, &first);
  auto second = MakeStruct<VkPhysicalDeviceMemoryProperties2>();
  vkGetPhysicalDeviceMemoryProperties2(instance.physical_device, &second);
  ExpectSmall(first);
  ExpectSmall(second.memoryProperties);
  const ProfiledDevice device(instance);
  EXPECT_EQ(MappedBuffer(device, kIncoherentType).type_bits(), 0b111u);
}

TEST(DeviceProfileLayer, AllocationsAreNotLargerThanTheProfileAllows) {
  const ProfiledInstance instance(kSmallProfile);
  const ProfiledDevice device(instance);
  auto allocation = MakeStruct<VkMemoryAllocateInfo>();
  allocation.allocationSize = 1048577;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  EXPECT_EQ(vkAllocateMemory(device.handle, &allocation, nullptr, &memory), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  allocation.allocationSize = 1048576;
  EXPECT_EQ(vkAllocateMemory(device.handle, &allocation, nullptr, &memory), VK_SUCCESS);
  vkFreeMemory(device.handle, memory, nullptr);
}

TEST(DeviceProfileLayer, WritesArriveWithAFlush) {
  const ProfiledInstance instance(kSmallProfile);
  const ProfiledDevice device(instance);
  const MappedBuffer from(device, kIncoherentType), to(device, kCoherentType);
  const auto copy = [&](VkCommandBuffer command_buffer) { CopyAll(command_buffer, from, to); };
  from.words()[0] = 41;
  from.words()[64] = 42;
  const VkMappedMemoryRange all = from.Range(0, VK_WHOLE_SIZE);
  ASSERT_EQ(vkFlushMappedMemoryRanges(device.handle, 1, &all), VK_SUCCESS);
  device.Run(copy);
  EXPECT_EQ(to.words()[0], 41u);
  EXPECT_EQ(to.words()[64], 42u);
  from.words()[0] = 51;
  from.words()[64] = 52;
  device.Run(copy);
  EXPECT_EQ(to.words()[0], 41u);
  EXPECT_EQ(to.words()[64], 42u);
  const VkMappedMemoryRange second_atom = from.Range(256, 256);
  ASSERT_EQ(vkFlushMappedMemoryRanges(device.handle, 1, &second_atom), VK_SUCCESS);
  device.Run(copy);
  EXPECT_EQ(to.words()[0], 41u);
  EXPECT_EQ(to.words()[64], 52u);
}

TEST(DeviceProfileLayer, ReadsSeeTheDeviceWithAnInvalidation) {
  const ProfiledInstance instance(kSmallProfile);
  const ProfiledDevice device(instance);
  const MappedBuffer buffer(device, kIncoherentType);
  device.Run([&](VkCommandBuffer command_buffer) {
    vkCmdFillBuffer(command_buffer, buffer.handle(), 0, MappedBuffer::kBytes, 7);
  });
  EXPECT_NE(buffer.words()[0], 7u);
  const VkMappedMemoryRange all = buffer.Range(0, VK_WHOLE_SIZE);
  ASSERT_EQ(vkInvalidateMappedMemoryRanges(device.handle, 1, &all), VK_SUCCESS);
  EXPECT_EQ(buffer.words()[0], 7u);
  EXPECT_EQ(buffer.words()[MappedBuffer::kBytes / 4 - 1], 7u);
}

TEST(DeviceProfileLayer, BothFormsOfQueueFamiliesAreTheProfiles) {
  const ProfiledInstance instance(kSmallProfile);
  uint32_t count = 2;
  std::vector<VkQueueFamilyProperties> first(2);
  vkGetPhysicalDeviceQueueFamilyProperties(instance.physical_device, &count, first.data());
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(first[0].queueCount, 1u);
  ExpectSmallSecond(first[1]);
  std::vector<VkQueueFamilyProperties2> second(2, MakeStruct<VkQueueFamilyProperties2>());
  vkGetPhysicalDeviceQueueFamilyProperties2(instance.physical_device, &count, second.data());
  EXPECT_EQ(second[0].queueFamilyProperties.queueCount, 1u);
  ExpectSmallSecond(second[1].queueFamilyProperties);
}

// Returns a timeline semaphore with the value 0.
VkSemaphore MakeTimeline(VkDevice device) {
  auto type = MakeStruct<VkSemaphoreTypeCreateInfo>();
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  const auto info = MakeStruct<VkSemaphoreCreateInfo>(&type);
  VkSemaphore semaphore = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateSemaphore(device, &info, nullptr, &semaphore), VK_SUCCESS);
  return semaphore;
}

// Submits with vkQueueSubmit2. The batch waits for the value `wait` and signals `signal`, unless they are 0.
void SubmitPoint(VkQueue queue, VkCommandBuffer command_buffer, VkSemaphore semaphore, uint64_t wait, uint64_t signal) {
  auto wait_info = MakeStruct<VkSemaphoreSubmitInfo>();
  wait_info.semaphore = semaphore;
  wait_info.value = wait;
  wait_info.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  VkSemaphoreSubmitInfo signal_info = wait_info;
  signal_info.value = signal;
  auto commands = MakeStruct<VkCommandBufferSubmitInfo>();
  commands.commandBuffer = command_buffer;
  auto info = MakeStruct<VkSubmitInfo2>();
  info.waitSemaphoreInfoCount = wait != 0 ? 1 : 0;
  info.pWaitSemaphoreInfos = &wait_info;
  info.commandBufferInfoCount = 1;
  info.pCommandBufferInfos = &commands;
  info.signalSemaphoreInfoCount = signal != 0 ? 1 : 0;
  info.pSignalSemaphoreInfos = &signal_info;
  EXPECT_EQ(vkQueueSubmit2(queue, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
}

VkResult WaitFor(VkDevice device, VkSemaphore semaphore, uint64_t value, uint64_t timeout) {
  auto info = MakeStruct<VkSemaphoreWaitInfo>();
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &value;
  return vkWaitSemaphores(device, &info, timeout);
}

TEST(DeviceProfileLayer, AQueueWaitsForWhatAnotherSignalsLater) {
  const ProfiledInstance instance(kSmallProfile);
  const ProfiledDevice device(instance);
  ASSERT_EQ(device.queues.size(), 2u);
  EXPECT_NE(device.queues[0], device.queues[1]);
  const MappedBuffer buffer(device, kCoherentType), result(device, kCoherentType);
  const VkCommandBuffer read = device.Commands([&](VkCommandBuffer commands) { CopyAll(commands, buffer, result); });
  const VkCommandBuffer write = device.Commands(
      [&](VkCommandBuffer commands) { vkCmdFillBuffer(commands, buffer.handle(), 0, MappedBuffer::kBytes, 9); });
  buffer.words()[0] = 0;
  result.words()[0] = 0;
  const VkSemaphore semaphore = MakeTimeline(device.handle);
  SubmitPoint(device.queues[0], read, semaphore, 1, 2);
  EXPECT_EQ(WaitFor(device.handle, semaphore, 2, 0), VK_TIMEOUT);
  SubmitPoint(device.queues[1], write, semaphore, 0, 1);
  EXPECT_EQ(WaitFor(device.handle, semaphore, 2, kTimeout), VK_SUCCESS);
  EXPECT_EQ(vkQueueWaitIdle(device.queues[0]), VK_SUCCESS);
  EXPECT_EQ(result.words()[0], 9u);
  vkDestroySemaphore(device.handle, semaphore, nullptr);
}

TEST(DeviceProfileLayer, AQueueWaitsForTheHost) {
  const ProfiledInstance instance(kSmallProfile);
  const ProfiledDevice device(instance);
  const MappedBuffer buffer(device, kCoherentType);
  buffer.words()[0] = 0;
  const VkCommandBuffer write = device.Commands(
      [&](VkCommandBuffer commands) { vkCmdFillBuffer(commands, buffer.handle(), 0, MappedBuffer::kBytes, 9); });
  const VkSemaphore semaphore = MakeTimeline(device.handle);
  SubmitPoint(device.queues[1], write, semaphore, 3, 4);
  EXPECT_EQ(WaitFor(device.handle, semaphore, 4, 0), VK_TIMEOUT);
  EXPECT_EQ(buffer.words()[0], 0u);
  auto signal = MakeStruct<VkSemaphoreSignalInfo>();
  signal.semaphore = semaphore;
  signal.value = 3;
  EXPECT_EQ(vkSignalSemaphore(device.handle, &signal), VK_SUCCESS);
  EXPECT_EQ(vkDeviceWaitIdle(device.handle), VK_SUCCESS);
  EXPECT_EQ(buffer.words()[0], 9u);
  vkDestroySemaphore(device.handle, semaphore, nullptr);
}

TEST(DeviceProfileLayer, IndirectDispatchesBeyondTheLimitAreReported) {
  const ProfiledInstance instance(kSmallProfile);
  const ProfiledDevice device(instance);
  const ComputePipeline pipeline(device, kEmptyCompSpv);
  const MappedBuffer sizes(device, kCoherentType);
  const auto dispatch = [&](VkCommandBuffer commands) {
    pipeline.Bind(commands);
    vkCmdDispatchIndirect(commands, sizes.handle(), 16);
  };
  const VkDispatchIndirectCommand allowed = {1000, 1, 1}, too_many = {1, 65536, 1};
  std::memcpy(sizes.words() + 4, &allowed, sizeof(allowed));
  device.Run(dispatch);
  EXPECT_TRUE(instance.Reports().empty());
  std::memcpy(sizes.words() + 4, &too_many, sizeof(too_many));
  device.Run(dispatch);
  const std::vector<std::string> reports = instance.Reports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].find("1 x 65536 x 1 workgroups"), std::string::npos) << reports[0];
}

TEST(DeviceProfileLayer, AWrongProfileCreatesNoInstance) {
  const ProfiledInstance instance(R"({"source": ["a test"], "apiVersion": "9.9"})");
  EXPECT_NE(instance.result, VK_SUCCESS);
}

}  // namespace
}  // namespace trellis::test
