// SPDX-License-Identifier: Apache-2.0
// What VK_KHR_maintenance5 edits, on a device that is nothing but a table of functions: for the commands that the fake
// driver does not have, and for what only shows with several stages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "layer/device/buffer_usage.h"
#include "layer/dispatch/pipeline_flags.h"
#include "layer/dispatch/struct_type.h"
#include "layer/entry/hooks.h"
#include "layer/maintenance5/pipelines.h"
#include "layer/objects/registry.h"

namespace trellis::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What reached the driver below.
struct Below {
  std::vector<uint64_t> made_modules;
  std::vector<uint64_t> destroyed_modules;
  std::vector<const void*> module_chains;
  size_t modules_until_failure = SIZE_MAX;
  std::vector<uint64_t> stage_modules;
  VkPipelineCreateFlags pipeline_flags = 0;
  VkDeferredOperationKHR deferred = VK_NULL_HANDLE;
  VkResult pipeline_result = VK_SUCCESS;
  std::vector<VkBufferUsageFlags> descriptor_buffer_usages;
  std::vector<VkDeviceAddress> descriptor_buffer_addresses;
  std::vector<const void*> descriptor_buffer_chains;
};

Below* below = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL CreateShaderModule(VkDevice, const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks*, VkShaderModule* module) {
  if (below->made_modules.size() == below->modules_until_failure) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  below->module_chains.push_back(info->pNext);
  below->made_modules.push_back(1000 + below->made_modules.size());
  *module = (VkShaderModule)below->made_modules.back();
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyShaderModule(VkDevice, VkShaderModule module, const VkAllocationCallbacks*) {
  below->destroyed_modules.push_back(HandleToU64(module));
}

VKAPI_ATTR VkResult VKAPI_CALL CreateRayTracingPipelinesKHR(VkDevice, VkDeferredOperationKHR deferred, VkPipelineCache,
                                                            uint32_t, const VkRayTracingPipelineCreateInfoKHR* infos,
                                                            const VkAllocationCallbacks*, VkPipeline*) {
  below->deferred = deferred;
  below->pipeline_flags = infos->flags;
  for (uint32_t i = 0; i < infos->stageCount; ++i)
    below->stage_modules.push_back(HandleToU64(infos->pStages[i].module));
  EXPECT_THAT(below->destroyed_modules, IsEmpty()) << "modules have to live until the driver is done";
  return below->pipeline_result;
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorBuffersEXT(VkCommandBuffer, uint32_t count,
                                                       const VkDescriptorBufferBindingInfoEXT* infos) {
  for (uint32_t i = 0; i < count; ++i) {
    below->descriptor_buffer_usages.push_back(infos[i].usage);
    below->descriptor_buffer_addresses.push_back(infos[i].address);
    below->descriptor_buffer_chains.push_back(infos[i].pNext);
  }
}

VKAPI_ATTR VkResult VKAPI_CALL FailToCreateImage(VkDevice, const VkImageCreateInfo*, const VkAllocationCallbacks*,
                                                 VkImage*) {
  return VK_ERROR_OUT_OF_HOST_MEMORY;
}

class Maintenance5Edits : public ::testing::Test {
 protected:
  Maintenance5Edits() {
    below = &below_;
    device_->handle = handle();
    device_->emulates_maintenance5 = true;
    device_->dispatch.CreateShaderModule = CreateShaderModule;
    device_->dispatch.DestroyShaderModule = DestroyShaderModule;
    device_->dispatch.CreateRayTracingPipelinesKHR = CreateRayTracingPipelinesKHR;
    device_->dispatch.CmdBindDescriptorBuffersEXT = CmdBindDescriptorBuffersEXT;
    device_->dispatch.CreateImage = FailToCreateImage;
    Devices().Insert(&loader_table_, device_);
  }
  ~Maintenance5Edits() override {
    Devices().Take(&loader_table_);
    below = nullptr;
  }

  VkDevice handle() { return reinterpret_cast<VkDevice>(&dispatchable_); }
  VkCommandBuffer command_buffer() { return reinterpret_cast<VkCommandBuffer>(&dispatchable_); }

  Below below_;
  int loader_table_ = 0;
  const void* dispatchable_ = &loader_table_;
  std::shared_ptr<Device> device_ =
      std::make_shared<Device>(std::make_shared<Instance>(Settings{}), std::make_shared<PhysicalDevice>());
};

constexpr uint32_t kWords[] = {0x07230203, 0x00010600, 0, 10, 0};

// A stage whose code stands in front of `next` in its chain.
struct InlineStage {
  explicit InlineStage(const void* next = nullptr) {
    code.pNext = next;
    code.codeSize = sizeof(kWords);
    code.pCode = kWords;
  }
  VkShaderModuleCreateInfo code = MakeStruct<VkShaderModuleCreateInfo>();
  VkPipelineShaderStageCreateInfo stage = MakeStruct<VkPipelineShaderStageCreateInfo>(&code);
};

VkPipelineShaderStageCreateInfo StageOf(uint64_t module) {
  auto stage = MakeStruct<VkPipelineShaderStageCreateInfo>();
  stage.module = (VkShaderModule)module;
  return stage;
}

TEST_F(Maintenance5Edits, every_inline_stage_gets_a_module_and_the_others_stay) {
  auto subgroup_size = MakeStruct<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>();
  subgroup_size.requiredSubgroupSize = 8;
  const InlineStage first(&subgroup_size);
  const InlineStage last;
  const VkPipelineShaderStageCreateInfo stages[] = {first.stage, StageOf(7), last.stage};
  VkGraphicsPipelineCreateInfo infos[2] = {};
  infos[0].stageCount = 3;
  infos[0].pStages = stages;
  {
    FlattenedPipelines flattened(*device_);
    const VkGraphicsPipelineCreateInfo* edited = nullptr;
    ASSERT_EQ(flattened.Edit(std::span<const VkGraphicsPipelineCreateInfo>(infos), &edited), VK_SUCCESS);
    ASSERT_NE(edited[0].pStages, stages);
    EXPECT_EQ(HandleToU64(edited[0].pStages[0].module), 1000u);
    EXPECT_EQ(HandleToU64(edited[0].pStages[1].module), 7u);
    EXPECT_EQ(HandleToU64(edited[0].pStages[2].module), 1001u);
    const auto* kept = FindStruct<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(edited[0].pStages[0].pNext);
    ASSERT_NE(kept, nullptr) << "what follows the code in the chain belongs to the stage";
    EXPECT_EQ(kept->requiredSubgroupSize, 8u);
    EXPECT_EQ(edited[0].pStages[2].pNext, nullptr);
    EXPECT_EQ(edited[1].pStages, nullptr);
    EXPECT_THAT(below_.destroyed_modules, IsEmpty());
  }
  EXPECT_THAT(below_.module_chains, ElementsAre(nullptr, nullptr));
  EXPECT_THAT(below_.destroyed_modules, ElementsAre(1000, 1001));
  EXPECT_EQ(stages[0].module, VkShaderModule{VK_NULL_HANDLE});
  EXPECT_EQ(first.stage.pNext, &first.code);
  EXPECT_EQ(first.code.pNext, &subgroup_size);
}

TEST_F(Maintenance5Edits, modules_made_before_one_that_fails_are_destroyed) {
  below_.modules_until_failure = 1;
  const InlineStage stage;
  const VkPipelineShaderStageCreateInfo stages[] = {stage.stage, stage.stage};
  VkGraphicsPipelineCreateInfo info = {};
  info.stageCount = 2;
  info.pStages = stages;
  {
    FlattenedPipelines flattened(*device_);
    const VkGraphicsPipelineCreateInfo* edited = nullptr;
    EXPECT_EQ(flattened.Edit(std::span<const VkGraphicsPipelineCreateInfo>(&info, 1), &edited),
              VK_ERROR_OUT_OF_DEVICE_MEMORY);
    EXPECT_EQ(edited, nullptr);
  }
  EXPECT_THAT(below_.destroyed_modules, ElementsAre(1000));
}

TEST_F(Maintenance5Edits, flags2_count_instead_of_flags) {
  auto flags2 = MakeStruct<VkPipelineCreateFlags2CreateInfo>();
  flags2.flags = VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX | VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
  VkComputePipelineCreateInfo info = {};
  info.flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
  EXPECT_EQ(EffectivePipelineFlags(info), static_cast<VkPipelineCreateFlags2>(VK_PIPELINE_CREATE_DERIVATIVE_BIT));
  info.pNext = &flags2;
  EXPECT_EQ(EffectivePipelineFlags(info), flags2.flags);
  info.flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
  FlattenedPipelines flattened(*device_);
  const VkComputePipelineCreateInfo* edited = nullptr;
  ASSERT_EQ(flattened.Edit(std::span<const VkComputePipelineCreateInfo>(&info, 1), &edited), VK_SUCCESS);
  EXPECT_EQ(edited->flags, static_cast<VkPipelineCreateFlags>(VK_PIPELINE_CREATE_LIBRARY_BIT_KHR));
  EXPECT_EQ(edited->pNext, nullptr);
  EXPECT_EQ(info.pNext, &flags2);
}

// A deferred operation would read the edited copies after the command returned.
TEST_F(Maintenance5Edits, ray_tracing_pipelines_are_not_deferred) {
  const InlineStage stage;
  const VkPipelineShaderStageCreateInfo stages[] = {stage.stage, StageOf(7)};
  VkRayTracingPipelineCreateInfoKHR info = {};
  info.flags = VK_PIPELINE_CREATE_RAY_TRACING_SKIP_AABBS_BIT_KHR;
  info.stageCount = 2;
  info.pStages = stages;
  VkPipeline pipeline = VK_NULL_HANDLE;
  const auto deferred = (VkDeferredOperationKHR)5;
  EXPECT_EQ(entry::CreateRayTracingPipelinesKHR(handle(), deferred, {}, 1, &info, nullptr, &pipeline),
            VK_OPERATION_NOT_DEFERRED_KHR);
  EXPECT_EQ(below_.deferred, VkDeferredOperationKHR{VK_NULL_HANDLE});
  EXPECT_EQ(below_.pipeline_flags, info.flags);
  EXPECT_THAT(below_.stage_modules, ElementsAre(1000, 7));
  EXPECT_THAT(below_.destroyed_modules, ElementsAre(1000));

  below_.destroyed_modules.clear();
  EXPECT_EQ(entry::CreateRayTracingPipelinesKHR(handle(), {}, {}, 1, &info, nullptr, &pipeline), VK_SUCCESS);
  below_.destroyed_modules.clear();
  below_.pipeline_result = VK_PIPELINE_COMPILE_REQUIRED;
  EXPECT_EQ(entry::CreateRayTracingPipelinesKHR(handle(), deferred, {}, 1, &info, nullptr, &pipeline),
            VK_PIPELINE_COMPILE_REQUIRED);
}

TEST_F(Maintenance5Edits, ray_tracing_pipelines_are_deferred_where_nothing_is_edited) {
  device_->emulates_maintenance5 = false;
  VkRayTracingPipelineCreateInfoKHR info = {};
  VkPipeline pipeline = VK_NULL_HANDLE;
  const auto deferred = (VkDeferredOperationKHR)5;
  below_.pipeline_result = VK_OPERATION_DEFERRED_KHR;
  EXPECT_EQ(entry::CreateRayTracingPipelinesKHR(handle(), deferred, {}, 1, &info, nullptr, &pipeline),
            VK_OPERATION_DEFERRED_KHR);
  EXPECT_EQ(below_.deferred, deferred);
}

TEST_F(Maintenance5Edits, descriptor_buffers_are_bound_with_the_usage_that_their_buffers_have_below) {
  auto usage2 = MakeStruct<VkBufferUsageFlags2CreateInfo>();
  usage2.usage = VK_BUFFER_USAGE_2_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT;
  VkDescriptorBufferBindingInfoEXT infos[2] = {};
  infos[0].pNext = &usage2;
  infos[0].address = 0x1000;
  infos[1].address = 0x2000;
  infos[1].usage = VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT;
  entry::CmdBindDescriptorBuffersEXT(command_buffer(), 2, infos);
  EXPECT_THAT(below_.descriptor_buffer_usages,
              ElementsAre(static_cast<VkBufferUsageFlags>(VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT),
                          static_cast<VkBufferUsageFlags>(VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT)));
  EXPECT_THAT(below_.descriptor_buffer_addresses, ElementsAre(0x1000, 0x2000));
  EXPECT_THAT(below_.descriptor_buffer_chains, ElementsAre(nullptr, nullptr));
}

TEST_F(Maintenance5Edits, the_scratch_usage_never_goes_down_with_a_descriptor_buffer) {
  device_->emulates_maintenance5 = false;
  auto usage2 = MakeStruct<VkBufferUsageFlags2CreateInfo>();
  usage2.usage =
      VK_BUFFER_USAGE_2_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | VK_BUFFER_USAGE_2_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT;
  VkDescriptorBufferBindingInfoEXT info = {};
  info.pNext = &usage2;
  Arena arena;
  const VkDescriptorBufferBindingInfoEXT* edited = EditBufferUsage(info, false, arena);
  const auto* edited2 = FindStruct<VkBufferUsageFlags2CreateInfo>(edited->pNext);
  ASSERT_NE(edited2, nullptr);
  EXPECT_FALSE(edited2->usage & VK_BUFFER_USAGE_2_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
  EXPECT_TRUE(edited2->usage & VK_BUFFER_USAGE_2_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT);
}

TEST_F(Maintenance5Edits, layout_of_an_image_that_cannot_be_made_is_zero) {
  VkImageCreateInfo image = {};
  VkImageSubresource2 subresource = {};
  const VkDeviceImageSubresourceInfo info = {VK_STRUCTURE_TYPE_DEVICE_IMAGE_SUBRESOURCE_INFO, nullptr, &image,
                                             &subresource};
  VkSubresourceLayout2 layout = {};
  layout.subresourceLayout.rowPitch = 99;
  entry::GetDeviceImageSubresourceLayoutKHR(handle(), &info, &layout);
  EXPECT_EQ(layout.subresourceLayout.rowPitch, 0u);
}

}  // namespace
}  // namespace trellis::test
