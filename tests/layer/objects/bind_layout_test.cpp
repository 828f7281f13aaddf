// SPDX-License-Identifier: Apache-2.0
// Binds that name their pipeline layout in other ways than by a handle that fits the graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "layer/objects/bound_state_replay.h"
#include "layer/objects/registry.h"
#include "tests/layer/fake_driver/descriptor_writes.h"
#include "tests/layer/fake_driver/layer_under_test.h"
#include "tests/layer/fake_handles.h"

namespace trellis::test {
namespace {

using ::testing::ElementsAre;

class BindLayoutTest : public ::testing::Test {
 protected:
  BindLayoutTest() : command_buffer_(device_.Begin()), recording_(CommandBuffers().Find(command_buffer_)) {}

  VkDescriptorSetLayout MakeSetLayout(VkDescriptorType type, uint32_t count = 1) {
    const VkDescriptorSetLayoutBinding binding = {0, type, count, VK_SHADER_STAGE_ALL, nullptr};
    VkDescriptorSetLayoutCreateInfo info = {};
    info.bindingCount = 1;
    info.pBindings = &binding;
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    TRELLIS_CALL(device_, CreateDescriptorSetLayout)(device_.handle(), &info, nullptr, &layout);
    return layout;
  }
  VkPipelineLayout MakeLayout(const std::vector<VkDescriptorSetLayout>& sets) {
    const VkPipelineLayoutCreateInfo info = LayoutInfo(sets);
    VkPipelineLayout layout = VK_NULL_HANDLE;
    TRELLIS_CALL(device_, CreatePipelineLayout)(device_.handle(), &info, nullptr, &layout);
    return layout;
  }
  // Good for as long as the test.
  VkPipelineLayoutCreateInfo LayoutInfo(const std::vector<VkDescriptorSetLayout>& set_layouts) {
    const std::vector<VkDescriptorSetLayout>& sets = set_lists_.emplace_back(set_layouts);
    auto info = MakeStruct<VkPipelineLayoutCreateInfo>();
    info.setLayoutCount = static_cast<uint32_t>(sets.size());
    info.pSetLayouts = sets.data();
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range_;
    return info;
  }
  void Bind(VkPipelineBindPoint bind_point, VkPipelineLayout layout, uint32_t number, uint64_t set) {
    const auto handle = Fake<VkDescriptorSet>(set);
    TRELLIS_CALL(device_, CmdBindDescriptorSets)
    (command_buffer_, bind_point, layout, number, 1, &handle, 0, nullptr);
  }
  // Set 0, for the stage COMPUTE, with a layout that is only a create info.
  void BindChained(const VkPipelineLayoutCreateInfo& layout, uint64_t set,
                   VkShaderStageFlags stages = VK_SHADER_STAGE_COMPUTE_BIT) {
    const auto handle = Fake<VkDescriptorSet>(set);
    const uint32_t offset = 256;
    auto info = MakeStruct<VkBindDescriptorSetsInfo>(&layout);
    info.stageFlags = stages;
    info.descriptorSetCount = 1;
    info.pDescriptorSets = &handle;
    info.dynamicOffsetCount = 1;
    info.pDynamicOffsets = &offset;
    TRELLIS_CALL(device_, CmdBindDescriptorSets2)(command_buffer_, &info);
  }
  std::vector<uint64_t> SetsOfGraph(VkPipelineLayout layout) {
    driver_.ForgetCalls();
    BindGraphSets(*recording_, *recording_->device.pipeline_layouts.Find(layout));
    std::vector<uint64_t> sets;
    for (const DriverCall& call : driver_.calls()) sets.insert(sets.end(), call.objects.begin(), call.objects.end());
    return sets;
  }

  std::deque<std::vector<VkDescriptorSetLayout>> set_lists_;
  const VkPushConstantRange range_ = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
  FakeDriver driver_;
  TestInstance instance_{driver_};
  TestDevice device_{instance_};
  VkCommandBuffer command_buffer_;
  std::shared_ptr<CommandBuffer> recording_;
};

TEST_F(BindLayoutTest, sets_of_other_layouts_count_if_they_are_defined_alike) {
  const VkDescriptorSetLayout storage = MakeSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
  const VkDescriptorSetLayout storage_again = MakeSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
  const VkDescriptorSetLayout uniform = MakeSetLayout(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
  const VkPipelineLayout graph = MakeLayout({storage, storage});
  Bind(kGraph, MakeLayout({storage_again, uniform}), 0, 10);
  Bind(kGraph, MakeLayout({storage_again, storage, uniform}), 1, 11);
  Bind(kGraph, MakeLayout({storage_again, storage, uniform}), 2, 12);
  EXPECT_THAT(SetsOfGraph(graph), ElementsAre(10u, 11u));
  // What was bound by stage for some compute shader reaches the graph too, and has nothing to do with it.
  Bind(kGraph, MakeLayout({storage, uniform}), 1, 13);
  EXPECT_THAT(SetsOfGraph(graph), ElementsAre(10u));
  Bind(kGraph, MakeLayout({uniform, storage}), 1, 14);
  EXPECT_THAT(SetsOfGraph(graph), ElementsAre(10u));
}

TEST_F(BindLayoutTest, a_layout_in_the_chain_is_made_once_and_used_for_the_repetition) {
  const VkDescriptorSetLayout set = MakeSetLayout(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC);
  const VkPipelineLayout graph = MakeLayout({set});
  const VkPipelineLayoutCreateInfo layout = LayoutInfo({set});
  driver_.ForgetCalls();
  BindChained(layout, 10);
  BindChained(layout, 11);
  ASSERT_EQ(driver_.CountOf("CreatePipelineLayout"), 1u);
  EXPECT_EQ(driver_.CountOf("CmdBindDescriptorSets2"), 2u);
  EXPECT_THAT(SetsOfGraph(graph), ElementsAre(11u));
  driver_.ForgetCalls();
  RestoreComputeState(*recording_);
  ASSERT_EQ(driver_.CountOf("CmdBindDescriptorSets"), 1u);
  const DriverCall bind = driver_.CallsOf("CmdBindDescriptorSets")[0];
  EXPECT_THAT(bind.objects, ElementsAre(11u));
  EXPECT_THAT(bind.dynamic_offsets, ElementsAre(256u));
  EXPECT_NE(bind.layout, 0u);
  EXPECT_NE(bind.layout, HandleToU64(graph));

  const VkPipelineLayoutCreateInfo other = LayoutInfo({MakeSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)});
  driver_.ForgetCalls();
  BindChained(other, 12);
  EXPECT_EQ(driver_.CountOf("CreatePipelineLayout"), 1u);
  EXPECT_EQ(driver_.CountOf("DestroyPipelineLayout"), 0u);
  const VkCommandBufferBeginInfo begin = {};
  TRELLIS_CALL(device_, BeginCommandBuffer)(command_buffer_, &begin);
  EXPECT_EQ(driver_.CountOf("DestroyPipelineLayout"), 2u);
}

TEST_F(BindLayoutTest, a_chained_layout_for_other_stages_is_not_made) {
  const VkPipelineLayoutCreateInfo layout = LayoutInfo({MakeSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)});
  driver_.ForgetCalls();
  BindChained(layout, 10, VK_SHADER_STAGE_FRAGMENT_BIT);
  ASSERT_EQ(driver_.calls().size(), 1u);
  EXPECT_EQ(driver_.calls()[0].name, "CmdBindDescriptorSets2");
}

TEST_F(BindLayoutTest, pushes_by_structure_are_kept_for_both_bind_points) {
  const VkDescriptorSetLayout set = MakeSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
  const VkPipelineLayoutCreateInfo chained = LayoutInfo({set});
  const VkDescriptorBufferInfo buffer = {Fake<VkBuffer>(33), 0, VK_WHOLE_SIZE};
  const VkWriteDescriptorSet write = BufferWrite(0, &buffer);
  auto info = MakeStruct<VkPushDescriptorSetInfo>(&chained);
  info.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_VERTEX_BIT;
  info.descriptorWriteCount = 1;
  info.pDescriptorWrites = &write;
  TRELLIS_CALL(device_, CmdPushDescriptorSet2)(command_buffer_, &info);
  EXPECT_EQ(driver_.CallsOf("CmdPushDescriptorSet2").at(0).layout, 0u) << "goes down as it is";
  EXPECT_THAT(SetsOfGraph(MakeLayout({set})), ElementsAre(33u));
  driver_.ForgetCalls();
  RestoreComputeState(*recording_);
  ASSERT_EQ(driver_.CountOf("CmdPushDescriptorSet"), 1u);
  EXPECT_EQ(driver_.calls()[0].layout, HandleToU64(recording_->compute.sets[0].layout.handle));
}

TEST_F(BindLayoutTest, push_constants_by_structure_are_put_back_with_a_layout) {
  const VkPipelineLayoutCreateInfo chained = LayoutInfo({MakeSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)});
  const uint8_t bytes[16] = {1, 2, 3};
  auto info = MakeStruct<VkPushConstantsInfo>(&chained);
  info.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  info.size = 16;
  info.pValues = bytes;
  TRELLIS_CALL(device_, CmdPushConstants2)(command_buffer_, &info);
  TRELLIS_CALL(device_, CmdPushConstants2)(command_buffer_, &info);
  EXPECT_EQ(driver_.CountOf("CmdPushConstants2"), 2u);
  driver_.ForgetCalls();
  RestoreComputeState(*recording_);
  ASSERT_EQ(driver_.calls().size(), 1u);
  EXPECT_EQ(driver_.calls()[0].name, "CmdPushConstants");
  EXPECT_NE(driver_.calls()[0].layout, 0u);
  EXPECT_EQ(driver_.calls()[0].bytes, std::vector<uint8_t>(bytes, bytes + 16));
}

// The template says which bind point it is for.
TEST_F(BindLayoutTest, template_pushes_by_structure_stay_at_the_bind_point_of_the_template) {
  const VkDescriptorSetLayout set = MakeSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
  const VkPipelineLayout layout = MakeLayout({set});
  const VkDescriptorUpdateTemplateEntry entry = {0, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, 0};
  VkDescriptorUpdateTemplateCreateInfo template_info = {};
  template_info.descriptorUpdateEntryCount = 1;
  template_info.pDescriptorUpdateEntries = &entry;
  template_info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS;
  const auto push = [&](VkPipelineBindPoint bind_point, uint64_t buffer) {
    template_info.pipelineBindPoint = bind_point;
    auto info = MakeStruct<VkPushDescriptorSetWithTemplateInfo>();
    TRELLIS_CALL(device_, CreateDescriptorUpdateTemplate)
    (device_.handle(), &template_info, nullptr, &info.descriptorUpdateTemplate);
    const VkDescriptorBufferInfo data = {Fake<VkBuffer>(buffer), 0, VK_WHOLE_SIZE};
    info.layout = layout;
    info.pData = &data;
    TRELLIS_CALL(device_, CmdPushDescriptorSetWithTemplate2)(command_buffer_, &info);
  };
  push(kGraph, 33);
  EXPECT_EQ(driver_.CountOf("CmdPushDescriptorSetWithTemplate2"), 0u);
  push(kCompute, 34);
  EXPECT_EQ(driver_.CountOf("CmdPushDescriptorSetWithTemplate2"), 1u);
  EXPECT_THAT(SetsOfGraph(layout), ElementsAre(33u));
  driver_.ForgetCalls();
  RestoreComputeState(*recording_);
  EXPECT_THAT(driver_.calls().at(0).objects, ElementsAre(34u));
}

}  // namespace
}  // namespace trellis::test
