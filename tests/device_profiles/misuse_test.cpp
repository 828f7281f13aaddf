// SPDX-License-Identifier: Apache-2.0
// The validation layer above the device profile layer judges by the profile: small programs that the driver allows and
// the profile does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/device_profiles/profiled_device.h"
#include "tests/device_profiles/tests/empty_comp_spv.h"
#include "tests/device_profiles/tests/int64_comp_spv.h"
#include "tests/device_profiles/tests/shared_memory_comp_spv.h"
#include "tests/device_profiles/tests/subgroup_add_comp_spv.h"
#include "tests/device_profiles/tests/wide_comp_spv.h"
#include "tests/support/environment.h"
#include "tests/support/validation_layer.h"

namespace trellis::test {
namespace {

struct Misuse {
  const char* name;
  const char* id;    // part of the message's id
  const char* text;  // part of the message
  void (*commit)(const ProfiledInstance&);
  bool driver_allows = true;
};

uint32_t MappableType(const ProfiledInstance& instance) {
  VkPhysicalDeviceMemoryProperties memory = {};
  vkGetPhysicalDeviceMemoryProperties(instance.physical_device, &memory);
  uint32_t type = 0;
  while ((memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0) ++type;
  return type;
}

void DispatchTooMany(const ProfiledInstance& instance) {
  const ProfiledDevice device(instance);
  const ComputePipeline pipeline(device, kEmptyCompSpv);
  (void)device.Commands([&](VkCommandBuffer commands) {
    pipeline.Bind(commands);
    vkCmdDispatch(commands, 1001, 1, 1);
  });
}

void PushTooMuch(const ProfiledInstance& instance) {
  const ProfiledDevice device(instance);
  const ComputePipeline pipeline(device, kEmptyCompSpv, 68);
}

template <const auto& kCode>
void CreatePipeline(const ProfiledInstance& instance) {
  DeviceRequest request;
  vkGetPhysicalDeviceFeatures(instance.physical_device, &request.features);
  const ProfiledDevice device(instance, request);
  const ComputePipeline pipeline(device, kCode);
}

void FlushUnaligned(const ProfiledInstance& instance) {
  const ProfiledDevice device(instance);
  const MappedBuffer buffer(device, MappableType(instance));
  const VkMappedMemoryRange range = buffer.Range(64, 256);
  EXPECT_EQ(vkFlushMappedMemoryRanges(device.handle, 1, &range), VK_SUCCESS);
}

void BindUnaligned(const ProfiledInstance& instance) {
  const ProfiledDevice device(instance);
  const MappedBuffer buffer(device, MappableType(instance));
  const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                                                nullptr};
  auto layout_info = MakeStruct<VkDescriptorSetLayoutCreateInfo>();
  layout_info.bindingCount = 1;
  layout_info.pBindings = &binding;
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateDescriptorSetLayout(device.handle, &layout_info, nullptr, &layout), VK_SUCCESS);
  const VkDescriptorPoolSize pool_size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  auto pool_info = MakeStruct<VkDescriptorPoolCreateInfo>();
  pool_info.maxSets = 1;
  pool_info.poolSizeCount = 1;
  pool_info.pPoolSizes = &pool_size;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateDescriptorPool(device.handle, &pool_info, nullptr, &pool), VK_SUCCESS);
  auto set_info = MakeStruct<VkDescriptorSetAllocateInfo>();
  set_info.descriptorPool = pool;
  set_info.descriptorSetCount = 1;
  set_info.pSetLayouts = &layout;
  const VkDescriptorBufferInfo bound = {buffer.handle(), 64, 64};
  auto write = MakeStruct<VkWriteDescriptorSet>();
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = &bound;
  EXPECT_EQ(vkAllocateDescriptorSets(device.handle, &set_info, &write.dstSet), VK_SUCCESS);
  vkUpdateDescriptorSets(device.handle, 1, &write, 0, nullptr);
  vkDestroyDescriptorPool(device.handle, pool, nullptr);
  vkDestroyDescriptorSetLayout(device.handle, layout, nullptr);
}

template <VkFormat kFormat, VkImageUsageFlagBits kUsage>
void CreateImage(const ProfiledInstance& instance) {
  const ProfiledDevice device(instance);
  const Image image(device, kFormat, kUsage);
}

void AllocateOfAMissingType(const ProfiledInstance& instance) {
  const ProfiledDevice device(instance);
  auto info = MakeStruct<VkMemoryAllocateInfo>();
  info.allocationSize = 256;
  info.memoryTypeIndex = 3;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  EXPECT_NE(vkAllocateMemory(device.handle, &info, nullptr, &memory), VK_SUCCESS);
}

void CreateAThirdQueue(const ProfiledInstance& instance) { const ProfiledDevice device(instance, {.more_queues = 1}); }

const Misuse kMisuses[] = {
    {"TooManyWorkgroups", "VUID-vkCmdDispatch-groupCountX-00386", "", DispatchTooMany},
    {"TooManyPushConstants", "VUID-VkPushConstantRange-size-00298", "", PushTooMuch},
    {"TooMuchSharedMemory", "VUID-RuntimeSpirv-Workgroup-06530", "", CreatePipeline<kSharedMemoryCompSpv>},
    {"TooLargeWorkgroup", "VUID-RuntimeSpirv-x-06432", "", CreatePipeline<kWideCompSpv>},
    {"HiddenFeature", "VUID-VkShaderModuleCreateInfo-pCode", "Int64", CreatePipeline<kInt64CompSpv>},
    {"HiddenSubgroupOperations", "VUID-", "GroupNonUniformArithmetic", CreatePipeline<kSubgroupAddCompSpv>},
    {"UnalignedDescriptor", "VUID-VkWriteDescriptorSet-descriptorType-00328", "", BindUnaligned},
    {"UnalignedFlush", "VUID-VkMappedMemoryRange-offset-00687", "", FlushUnaligned},
    {"HiddenFormat", "VUID-VkImageCreateInfo-", "VK_FORMAT_BC1_RGB_UNORM_BLOCK",
     CreateImage<VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_IMAGE_USAGE_SAMPLED_BIT>},
    {"HiddenFeatureOfAFormat", "VUID-VkImageCreateInfo-", "VK_FORMAT_R8G8B8A8_UNORM",
     CreateImage<VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_STORAGE_BIT>},
    {"MissingMemoryType", "VUID-vkAllocateMemory-pAllocateInfo-01714", "", AllocateOfAMissingType, false},
    {"MissingQueue", "VUID-VkDeviceQueueCreateInfo-queueCount-00382", "", CreateAThirdQueue, false},
};

bool WasReported(const ProfiledInstance& instance, const Misuse& misuse) {
  const std::vector<Message> found = instance.messages.Find(misuse.id);
  return std::any_of(found.begin(), found.end(), [&misuse](const Message& message) {
    return message.severity == VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT &&
           message.text.find(misuse.text) != std::string::npos;
  });
}

class DeviceProfileMisuse : public testing::TestWithParam<Misuse> {};

TEST_P(DeviceProfileMisuse, IsReportedUnderTheProfileAlone) {
  const uint32_t version = FoundValidationVersion();
  const Expected<void> required = RequireValidation(IsCi(), version, std::getenv("VK_LAYER_PATH"));
  ASSERT_TRUE(required) << required.error().message;
  if (version == 0) GTEST_SKIP() << "no validation layer";
  const Misuse& misuse = GetParam();
  {
    const ProfiledInstance instance(kSmallProfile, Validation::kOn);
    ASSERT_EQ(instance.result, VK_SUCCESS);
    misuse.commit(instance);
    EXPECT_TRUE(WasReported(instance, misuse));
  }
  if (!misuse.driver_allows) return;
  const ProfiledInstance instance(nullptr, Validation::kOn);
  ASSERT_EQ(instance.result, VK_SUCCESS);
  misuse.commit(instance);
  EXPECT_FALSE(WasReported(instance, misuse));
}

INSTANTIATE_TEST_SUITE_P(Misuses, DeviceProfileMisuse, testing::ValuesIn(kMisuses),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace trellis::test
