// SPDX-License-Identifier: Apache-2.0
// What is bound for execution graphs, in every way that there is.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu/binding_nodes.h"
#include "tests/gpu/recent_extension_test.h"
#include "tests/support/basic_modules.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr VkPipelineBindPoint kGraph = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;

using DescriptorBinding = GpuTest;

TEST_F(DescriptorBinding, DynamicOffsets) {
  const std::vector<uint32_t> push = {10, 20, 30, 40};
  // The first 1024 words are what binding and offset 0 show; the offsets go 256, 0, 512, 256 bytes further.
  GraphRun run(context(), {.layout = {.sets = 2, .buffers_per_set = 2, .dynamic = true, .push_constant_bytes = 16},
                           .push_constants = push,
                           .dynamic_offsets = {256, 0, 512, 256}});
  run.Nodes(BindingsModule(4), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  const std::vector<uint32_t> offsets = {64, 0, 128, 64};
  for (size_t i = 0; i < 4; ++i) {
    std::vector<uint32_t> expected(offsets[i] + 8);
    for (uint32_t k = 0; k < 8; ++k) expected[offsets[i] + k] = push[i];
    EXPECT_TRUE(run.Matches(expected, i));
  }
}

// Sets bound for the graph before, between and after dispatches count for the dispatches that follow.
TEST_F(DescriptorBinding, RebindingBetweenDispatches) {
  GraphRun first(context());
  first.Nodes(ThreadModule(Shape::kDxc), {"ThreadNode"});
  first.Input({.node = "ThreadNode", .count = 2, .payloads = Bytes({0, 5, 1, 6}), .stride = 8});
  ASSERT_TRUE(first.Prepare());
  std::vector<GuardedBuffer> buffers;
  buffers.emplace_back(context(), 4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const Layout layout(context(), {});
  const DescriptorSets other(context(), layout, {}, buffers);
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  first.RecordGraph(command_buffer);
  vkCmdBindDescriptorSets(command_buffer, kGraph, layout.handle(), 0, 1, other.sets().data(), 0, nullptr);
  first.DispatchGraph(command_buffer);
  first.DispatchGraph(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(first.Matches({5, 6}));
  EXPECT_EQ(buffers[0].words()[0], 10u);
  EXPECT_EQ(buffers[0].words()[1], 12u);
}

// As many sets as the device has, bound one by one from the last to the first, half of them before the pipeline.
TEST_F(DescriptorBinding, AllSetsInAnyOrder) {
  const VkPhysicalDeviceLimits& limits = context().properties.limits;
  const uint32_t sets = std::min({limits.maxBoundDescriptorSets, limits.maxPerStageDescriptorStorageBuffers, 32u});
  NodeAsm m;
  std::vector<Id> buffers;
  for (uint32_t set = 0; set < sets; ++set) buffers.push_back(m.StorageBuffer(0, set));
  m.BeginNode({.name = "Count", .launch = Launch::kCoalescing, .shader_index = 0});
  for (uint32_t set = 0; set < sets; ++set) m.AddWord(buffers[set], 0, 100 + set);
  m.EndNode();
  GraphRun run(context(), {.words = 16, .layout = {.sets = sets}});
  run.Nodes(m.Text(), {"Count"});
  run.Input({.node = "Count", .count = 3});
  ASSERT_TRUE(run.Prepare());
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  for (uint32_t set = sets; set-- > 0;) {
    if (set == sets / 2) vkCmdBindPipeline(command_buffer, kGraph, run.graph().handle());
    vkCmdBindDescriptorSets(command_buffer, kGraph, run.layout().handle(), set, 1, &run.descriptor_sets().sets()[set],
                            0, nullptr);
  }
  run.DispatchGraph(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  ASSERT_TRUE(run.GuardsIntact());
  for (uint32_t set = 0; set < sets; ++set) EXPECT_TRUE(run.Matches({3 * (100 + set)}, set));
}

// A set that the graph does not use may be of another layout altogether.
TEST_F(DescriptorBinding, SetsOfOtherLayouts) {
  GraphRun run(context(), {.words = 16, .layout = {.sets = 2}});
  run.Nodes(CountBindingsModule(1), {"Count"});
  run.Input({.node = "Count", .count = 1});
  ASSERT_TRUE(run.Prepare());
  const LayoutOptions other_options = {.sets = 2, .buffers_per_set = 2};
  const Layout other(context(), other_options);
  std::vector<GuardedBuffer> buffers;
  for (int i = 0; i < 4; ++i) buffers.emplace_back(context(), 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const DescriptorSets other_sets(context(), other, other_options, buffers);
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  vkCmdBindPipeline(command_buffer, kGraph, run.graph().handle());
  vkCmdBindDescriptorSets(command_buffer, kGraph, other.handle(), 0, 2, other_sets.sets().data(), 0, nullptr);
  vkCmdBindDescriptorSets(command_buffer, kGraph, run.layout().handle(), 0, 1, run.descriptor_sets().sets().data(), 0,
                          nullptr);
  run.DispatchGraph(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(run.Matches({1}));
  for (const GuardedBuffer& buffer : buffers) EXPECT_EQ(buffer.words()[0], 0u);
}

// vkUpdateDescriptorSetWithTemplate: the graph's sets are ordinary ones.
TEST_F(DescriptorBinding, SetsUpdatedWithATemplate) {
  GraphRun run(context(), {.words = 16});
  run.Nodes(CountBindingsModule(1), {"Count"});
  run.Input({.node = "Count", .count = 1});
  ASSERT_TRUE(run.Prepare());
  const GuardedBuffer other(context(), 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const VkDescriptorUpdateTemplateEntry entry = {0, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, 0};
  auto info = MakeStruct<VkDescriptorUpdateTemplateCreateInfo>();
  info.descriptorUpdateEntryCount = 1;
  info.pDescriptorUpdateEntries = &entry;
  info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
  info.descriptorSetLayout = run.layout().set_layout();
  VkDescriptorUpdateTemplate update_template = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateDescriptorUpdateTemplate(context().device, &info, nullptr, &update_template), VK_SUCCESS);
  const VkDescriptorBufferInfo data = {other.handle(), other.offset(), other.size()};
  vkUpdateDescriptorSetWithTemplate(context().device, run.descriptor_sets().sets()[0], update_template, &data);
  vkDestroyDescriptorUpdateTemplate(context().device, update_template, nullptr);
  Commands commands(context());
  run.RecordGraph(commands.Begin());
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(run.Matches({}));
  EXPECT_EQ(other.words()[0], 1u);
}

using BindingByStage = Maintenance6Test;

// vkCmdBindDescriptorSets2: the stage COMPUTE means compute and graphs.
TEST_F(BindingByStage, ReachesTheGraph) {
  if (!IsOffered()) GTEST_SKIP() << "no VK_KHR_maintenance6";
  GraphRun run(context(), {.words = 16, .layout = {.sets = 2, .dynamic = true}});
  NodeAsm m;
  const Id first = m.StorageBuffer(0, 0);
  const Id second = m.StorageBuffer(0, 1);
  m.BeginNode({.name = "Count", .launch = Launch::kCoalescing, .shader_index = 0});
  m.AddWord(first, 0, 1);
  m.AddWord(second, 0, 2);
  m.EndNode();
  run.Nodes(m.Text(), {"Count"});
  run.Input({.node = "Count", .count = 1});
  ASSERT_TRUE(run.Prepare());
  const uint32_t offsets[] = {0, 0};
  auto info = MakeStruct<VkBindDescriptorSetsInfoKHR>();
  info.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  info.layout = run.layout().handle();
  info.descriptorSetCount = 2;
  info.pDescriptorSets = run.descriptor_sets().sets().data();
  info.dynamicOffsetCount = 2;
  info.pDynamicOffsets = offsets;
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  context().optional.CmdBindDescriptorSets2(command_buffer, &info);
  vkCmdBindPipeline(command_buffer, kGraph, run.graph().handle());
  run.DispatchGraph(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(run.Matches({1}, 0));
  EXPECT_TRUE(run.Matches({2}, 1));
}

enum class PushBy { kCommand, kTemplate, kStructure, kTemplateByStructure };

class PushDescriptors : public Maintenance6Test, public testing::WithParamInterface<PushBy> {
 protected:
  [[nodiscard]] bool Offered() const {
    const OptionalCommands& commands = context().optional;
    const bool by_structure = GetParam() == PushBy::kStructure || GetParam() == PushBy::kTemplateByStructure;
    return commands.CmdPushDescriptorSet != nullptr && (!by_structure || IsOffered());
  }
  [[nodiscard]] bool WithTemplate() const {
    return GetParam() == PushBy::kTemplate || GetParam() == PushBy::kTemplateByStructure;
  }

  // One binding of set 0.
  void Push(VkCommandBuffer command_buffer, VkPipelineLayout layout, uint32_t binding, const GuardedBuffer& buffer) {
    const VkDescriptorBufferInfo data = {buffer.handle(), buffer.offset(), buffer.size()};
    if (WithTemplate()) return PushThroughTemplate(command_buffer, layout, binding, data);
    auto write = MakeStruct<VkWriteDescriptorSet>();
    write.dstBinding = binding;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &data;
    if (GetParam() == PushBy::kCommand)
      return context().optional.CmdPushDescriptorSet(command_buffer, kGraph, layout, 0, 1, &write);
    auto info = MakeStruct<VkPushDescriptorSetInfoKHR>();
    info.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    info.layout = layout;
    info.descriptorWriteCount = 1;
    info.pDescriptorWrites = &write;
    context().optional.CmdPushDescriptorSet2(command_buffer, &info);
  }

  void PushThroughTemplate(VkCommandBuffer command_buffer, VkPipelineLayout layout, uint32_t binding,
                           const VkDescriptorBufferInfo& data) {
    // Stands behind something else in the application's structure.
    const struct {
      uint64_t other;
      VkDescriptorBufferInfo info;
    } source = {~0ull, data};
    const VkDescriptorUpdateTemplateEntry entry = {
        binding, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, offsetof(decltype(source), info), sizeof(data)};
    auto template_info = MakeStruct<VkDescriptorUpdateTemplateCreateInfo>();
    template_info.descriptorUpdateEntryCount = 1;
    template_info.pDescriptorUpdateEntries = &entry;
    template_info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR;
    template_info.pipelineBindPoint = kGraph;
    template_info.pipelineLayout = layout;
    VkDescriptorUpdateTemplate update_template = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateDescriptorUpdateTemplate(context().device, &template_info, nullptr, &update_template),
              VK_SUCCESS);
    templates_.push_back(update_template);
    if (GetParam() == PushBy::kTemplate)
      return context().optional.CmdPushDescriptorSetWithTemplate(command_buffer, update_template, layout, 0, &source);
    auto info = MakeStruct<VkPushDescriptorSetWithTemplateInfoKHR>();
    info.descriptorUpdateTemplate = update_template;
    info.layout = layout;
    info.pData = &source;
    context().optional.CmdPushDescriptorSetWithTemplate2(command_buffer, &info);
  }

  void TearDown() override {
    for (VkDescriptorUpdateTemplate update_template : templates_)
      vkDestroyDescriptorUpdateTemplate(context().device, update_template, nullptr);
    Maintenance6Test::TearDown();
  }

 private:
  std::vector<VkDescriptorUpdateTemplate> templates_;
};

// Binding by binding, before and after the pipeline; one of them anew between two dispatches.
TEST_P(PushDescriptors, InPieces) {
  if (!Offered()) GTEST_SKIP() << "no VK_KHR_push_descriptor, or no VK_KHR_maintenance6";
  GraphRun run(context(), {.words = 16, .layout = {.buffers_per_set = 2, .push_descriptors = true}, .dispatches = 0});
  run.Nodes(CountBindingsModule(2), {"Count"});
  run.Input({.node = "Count", .count = 1});
  ASSERT_TRUE(run.Prepare());
  const GuardedBuffer other(context(), 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const VkPipelineLayout layout = run.layout().handle();
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  Push(command_buffer, layout, 1, other);  // overwritten
  Push(command_buffer, layout, 1, run.buffer(1));
  run.RecordGraph(command_buffer);
  Push(command_buffer, layout, 0, run.buffer(0));
  run.DispatchGraph(command_buffer);
  Push(command_buffer, layout, 1, other);
  run.DispatchGraph(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  ASSERT_TRUE(run.GuardsIntact());
  EXPECT_TRUE(run.Matches({2}, 0));
  EXPECT_TRUE(run.Matches({2}, 1));
  EXPECT_EQ(other.words()[0], 2u);
}

std::string NameOf(const testing::TestParamInfo<PushBy>& info) {
  switch (info.param) {
    case PushBy::kCommand:
      return "command";
    case PushBy::kTemplate:
      return "template";
    case PushBy::kStructure:
      return "structure";
    case PushBy::kTemplateByStructure:
      return "template_by_structure";
  }
  return "";
}

INSTANTIATE_TEST_SUITE_P(By, PushDescriptors,
                         testing::Values(PushBy::kCommand, PushBy::kTemplate, PushBy::kStructure,
                                         PushBy::kTemplateByStructure),
                         NameOf);

}  // namespace
}  // namespace trellis::test
