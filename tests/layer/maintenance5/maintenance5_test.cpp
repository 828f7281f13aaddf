// SPDX-License-Identifier: Apache-2.0
// VK_KHR_maintenance5 on a driver without it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "layer/objects/handle_table.h"
#include "tests/layer/fake_driver/layer_under_test.h"

namespace trellis::test {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

class Maintenance5 : public ::testing::Test {
 protected:
  FakeDriver driver_;
  TestInstance instance_{driver_};
  TestDevice device_{instance_, {VK_KHR_MAINTENANCE_5_EXTENSION_NAME}};
};

const std::vector<uint32_t> kFewestWords = {0x07230203, 0x00010600, 0, 10, 0, 2u << 16 | 17, 1};

VkPipelineShaderStageCreateInfo StageWithCode(VkShaderModuleCreateInfo& code) {
  code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  code.codeSize = kFewestWords.size() * sizeof(uint32_t);
  code.pCode = kFewestWords.data();
  auto stage = MakeStruct<VkPipelineShaderStageCreateInfo>(&code);
  stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  stage.pName = "main";
  return stage;
}

TEST_F(Maintenance5, is_offered_and_does_not_go_down) {
  EXPECT_THAT(instance_.DeviceExtensions(), Contains(VK_KHR_MAINTENANCE_5_EXTENSION_NAME));
  EXPECT_THAT(driver_.device_extensions, IsEmpty());
  auto answer = MakeStruct<VkPhysicalDeviceMaintenance5Features>();
  auto features = MakeStruct<VkPhysicalDeviceFeatures2>(&answer);
  TRELLIS_CALL(instance_, GetPhysicalDeviceFeatures2)(instance_.physical_device(), &features);
  EXPECT_TRUE(answer.maintenance5);
  EXPECT_THAT(driver_.CallsOf("GetPhysicalDeviceFeatures2").back().chain, Not(Contains(answer.sType)));
}

TEST_F(Maintenance5, properties_promise_nothing) {
  auto answer = MakeStruct<VkPhysicalDeviceMaintenance5Properties>();
  answer.polygonModePointSize = VK_TRUE;
  auto properties = MakeStruct<VkPhysicalDeviceProperties2>(&answer);
  TRELLIS_CALL(instance_, GetPhysicalDeviceProperties2)(instance_.physical_device(), &properties);
  EXPECT_FALSE(answer.polygonModePointSize);
  EXPECT_EQ(properties.pNext, &answer);
}

TEST_F(Maintenance5, is_not_offered_twice_where_the_driver_has_it) {
  DriverOptions options;
  options.extensions = {VK_KHR_MAINTENANCE_5_EXTENSION_NAME};
  FakeDriver driver(options);
  const TestInstance instance(driver);
  const auto extensions = instance.DeviceExtensions();
  EXPECT_EQ(std::count(extensions.begin(), extensions.end(), VK_KHR_MAINTENANCE_5_EXTENSION_NAME), 1);
  const TestDevice device(instance, {VK_KHR_MAINTENANCE_5_EXTENSION_NAME});
  EXPECT_THAT(driver.device_extensions, Contains(VK_KHR_MAINTENANCE_5_EXTENSION_NAME));
  EXPECT_EQ(device.Get<PFN_vkVoidFunction>("vkCreateBuffer"), driver.DeviceFunction("vkCreateBuffer"));
}

TEST_F(Maintenance5, buffer_usage2_is_flattened) {
  auto usage = MakeStruct<VkBufferUsageFlags2CreateInfo>();
  usage.usage = VK_BUFFER_USAGE_2_INDEX_BUFFER_BIT;
  VkBufferCreateInfo info = {};
  info.pNext = &usage;
  VkBuffer buffer = VK_NULL_HANDLE;
  ASSERT_EQ(TRELLIS_CALL(device_, CreateBuffer)(device_.handle(), &info, nullptr, &buffer), VK_SUCCESS);
  const DriverCall call = driver_.CallsOf("CreateBuffer").at(0);
  EXPECT_EQ(call.flags, static_cast<uint64_t>(VK_BUFFER_USAGE_INDEX_BUFFER_BIT));
  EXPECT_THAT(call.chain, IsEmpty());
}

TEST_F(Maintenance5, buffer_view_usage2_is_removed) {
  auto usage = MakeStruct<VkBufferUsageFlags2CreateInfo>();
  VkBufferViewCreateInfo info = {};
  info.pNext = &usage;
  VkBufferView view = VK_NULL_HANDLE;
  TRELLIS_CALL(device_, CreateBufferView)(device_.handle(), &info, nullptr, &view);
  EXPECT_THAT(driver_.CallsOf("CreateBufferView").at(0).chain, IsEmpty());
  EXPECT_EQ(info.pNext, &usage);
}

TEST_F(Maintenance5, compute_pipeline_flags2_and_inline_module) {
  auto flags = MakeStruct<VkPipelineCreateFlags2CreateInfo>();
  flags.flags = VK_PIPELINE_CREATE_2_ALLOW_DERIVATIVES_BIT;
  VkShaderModuleCreateInfo code = {};
  VkComputePipelineCreateInfo info = {};
  info.pNext = &flags;
  info.stage = StageWithCode(code);
  VkPipeline pipeline = VK_NULL_HANDLE;
  ASSERT_EQ(TRELLIS_CALL(device_, CreateComputePipelines)(device_.handle(), {}, 1, &info, nullptr, &pipeline),
            VK_SUCCESS);
  const DriverCall call = driver_.CallsOf("CreateComputePipelines").at(0);
  EXPECT_EQ(call.flags, static_cast<uint64_t>(VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT));
  EXPECT_THAT(call.chain, IsEmpty());
  const uint64_t module = driver_.CallsOf("CreateShaderModule").at(0).object;
  EXPECT_EQ(call.objects.at(0), module);
  EXPECT_EQ(driver_.CallsOf("DestroyShaderModule").at(0).object, module);
  EXPECT_EQ(info.stage.module, VkShaderModule{VK_NULL_HANDLE}) << "the application's own create info stays";
}

TEST_F(Maintenance5, graphics_pipeline_inline_module) {
  VkShaderModuleCreateInfo code = {};
  const VkPipelineShaderStageCreateInfo stage = StageWithCode(code);
  VkGraphicsPipelineCreateInfo info = {};
  info.stageCount = 1;
  info.pStages = &stage;
  VkPipeline pipeline = VK_NULL_HANDLE;
  ASSERT_EQ(TRELLIS_CALL(device_, CreateGraphicsPipelines)(device_.handle(), {}, 1, &info, nullptr, &pipeline),
            VK_SUCCESS);
  EXPECT_EQ(driver_.CallsOf("CreateGraphicsPipelines").at(0).objects.at(0),
            driver_.CallsOf("CreateShaderModule").at(0).object);
}

TEST_F(Maintenance5, failed_inline_module_fails_the_pipelines) {
  VkShaderModuleCreateInfo code = {};
  VkComputePipelineCreateInfo info = {};
  info.stage = StageWithCode(code);
  VkPipeline pipeline = HandleFromU64<VkPipeline>(1);
  driver_.next_result = VK_ERROR_OUT_OF_HOST_MEMORY;
  EXPECT_EQ(TRELLIS_CALL(device_, CreateComputePipelines)(device_.handle(), {}, 1, &info, nullptr, &pipeline),
            VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(pipeline, VkPipeline{VK_NULL_HANDLE});
}

TEST_F(Maintenance5, entry_points) {
  const VkCommandBuffer command_buffer = device_.Begin();
  TRELLIS_CALL(device_, CmdBindIndexBuffer2KHR)
  (command_buffer, HandleFromU64<VkBuffer>(5), 12, VK_WHOLE_SIZE, VK_INDEX_TYPE_UINT16);
  EXPECT_EQ(driver_.CallsOf("CmdBindIndexBuffer").at(0).offset, 12u);

  VkExtent2D granularity = {};
  VkRenderingAreaInfo area = {};
  TRELLIS_CALL(device_, GetRenderingAreaGranularityKHR)(device_.handle(), &area, &granularity);
  EXPECT_EQ(granularity.width, 1u);

  VkImageCreateInfo image_info = {};
  VkImageSubresource2 subresource = {};
  subresource.imageSubresource.mipLevel = 3;
  const VkDeviceImageSubresourceInfo query = {VK_STRUCTURE_TYPE_DEVICE_IMAGE_SUBRESOURCE_INFO, nullptr, &image_info,
                                              &subresource};
  VkSubresourceLayout2 layout = {};
  TRELLIS_CALL(device_, GetDeviceImageSubresourceLayoutKHR)(device_.handle(), &query, &layout);
  EXPECT_EQ(layout.subresourceLayout.size, 3u);
  EXPECT_EQ(driver_.CountOf("CreateImage"), 1u);
  EXPECT_EQ(driver_.CountOf("DestroyImage"), 1u);
}

}  // namespace
}  // namespace trellis::test
