// SPDX-License-Identifier: Apache-2.0
// What the layer keeps of the application's binds, what goes down, and what a graph puts back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layer/objects/bound_state_replay.h"
#include "layer/objects/registry.h"
#include "tests/layer/fake_driver/descriptor_writes.h"
#include "tests/layer/fake_driver/layer_under_test.h"
#include "tests/layer/fake_handles.h"

namespace trellis::test {
namespace {

using ::testing::ElementsAre;

class CommandTracking : public ::testing::Test {
 protected:
  CommandTracking() : command_buffer_(device_.Begin()), recording_(CommandBuffers().Find(command_buffer_)) {
    VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1, VK_SHADER_STAGE_ALL, {}};
    VkDescriptorSetLayoutCreateInfo set_info = {};
    set_info.bindingCount = 1;
    set_info.pBindings = &binding;
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
    TRELLIS_CALL(device_, CreateDescriptorSetLayout)(device_.handle(), &set_info, nullptr, &set_layout);
    const VkDescriptorSetLayout sets[] = {set_layout, set_layout};
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
    VkPipelineLayoutCreateInfo info = {};
    info.setLayoutCount = 2;
    info.pSetLayouts = sets;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    TRELLIS_CALL(device_, CreatePipelineLayout)(device_.handle(), &info, nullptr, &layout_);
    driver_.ForgetCalls();
  }

  void BindSets(VkPipelineBindPoint bind_point, uint32_t first, std::vector<uint64_t> sets,
                std::vector<uint32_t> offsets) {
    std::vector<VkDescriptorSet> handles;
    for (const uint64_t set : sets) handles.push_back(Fake<VkDescriptorSet>(set));
    TRELLIS_CALL(device_, CmdBindDescriptorSets)
    (command_buffer_, bind_point, layout_, first, static_cast<uint32_t>(handles.size()), handles.data(),
     static_cast<uint32_t>(offsets.size()), offsets.data());
  }

  // For compute, to set 0.
  void PushBuffer(uint64_t buffer) {
    const VkDescriptorBufferInfo info = {Fake<VkBuffer>(buffer), 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet write = BufferWrite(0, &info);
    TRELLIS_CALL(device_, CmdPushDescriptorSet)(command_buffer_, kCompute, layout_, 0, 1, &write);
  }

  FakeDriver driver_;
  TestInstance instance_{driver_};
  TestDevice device_{instance_};
  VkCommandBuffer command_buffer_;
  std::shared_ptr<CommandBuffer> recording_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
};

TEST_F(CommandTracking, graph_binds_do_not_go_down) {
  TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer_, kGraph, Fake<VkPipeline>(1));
  BindSets(kGraph, 0, {10, 11}, {256, 512});
  VkWriteDescriptorSet write = {};
  TRELLIS_CALL(device_, CmdPushDescriptorSet)(command_buffer_, kGraph, layout_, 1, 1, &write);
  const uint32_t index = 0;
  const VkDeviceSize offset = 64;
  TRELLIS_CALL(device_, CmdSetDescriptorBufferOffsetsEXT)(command_buffer_, kGraph, layout_, 1, 1, &index, &offset);
  EXPECT_TRUE(driver_.calls().empty());
  EXPECT_EQ(recording_->execution_graph.pipeline, Fake<VkPipeline>(1));
  EXPECT_EQ(recording_->execution_graph.sets.at(0).descriptor_set, Fake<VkDescriptorSet>(10));
  EXPECT_THAT(recording_->execution_graph.sets.at(0).dynamic_offsets, ElementsAre(256u));
  EXPECT_EQ(recording_->execution_graph.sets.at(1).kind, BoundSet::Kind::kDescriptorBuffer);
  EXPECT_EQ(recording_->compute.pipeline, VkPipeline{VK_NULL_HANDLE});
}

// Also by commands of extensions that are newer than the headers.
TEST_F(CommandTracking, render_pass_instances_are_left_by_every_command) {
  const auto begin = TRELLIS_CALL(device_, CmdBeginRendering);
  const VkRenderingInfo info = {};
  begin(command_buffer_, &info);
  EXPECT_TRUE(recording_->render_pass.is_open());
  TRELLIS_CALL(device_, CmdEndRendering)(command_buffer_);
  EXPECT_FALSE(recording_->render_pass.is_open());
  using EndRendering2 = void(VKAPI_PTR*)(VkCommandBuffer, const void*);
  for (const char* name : {"vkCmdEndRendering2KHR", "vkCmdEndRendering2EXT"}) {
    driver_.ForgetCalls();
    begin(command_buffer_, &info);
    device_.Get<EndRendering2>(name)(command_buffer_, nullptr);
    EXPECT_FALSE(recording_->render_pass.is_open()) << name;
    EXPECT_EQ(driver_.CountOf("CmdEndRendering2KHR"), 1u) << name;
  }
}

TEST_F(CommandTracking, other_binds_go_down_as_they_are) {
  TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer_, kCompute, Fake<VkPipeline>(1));
  TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer_, VK_PIPELINE_BIND_POINT_GRAPHICS, Fake<VkPipeline>(2));
  BindSets(kCompute, 1, {10}, {256});
  ASSERT_EQ(driver_.calls().size(), 3u);
  EXPECT_EQ(driver_.calls()[1].bind_point, VK_PIPELINE_BIND_POINT_GRAPHICS);
  EXPECT_THAT(driver_.calls()[2].objects, ElementsAre(10u));
  EXPECT_THAT(driver_.calls()[2].dynamic_offsets, ElementsAre(256u));
  EXPECT_EQ(recording_->compute.pipeline, Fake<VkPipeline>(1));
}

TEST_F(CommandTracking, bind_by_compute_stage_reaches_both_bind_points) {
  const auto set = Fake<VkDescriptorSet>(10);
  auto info = MakeStruct<VkBindDescriptorSetsInfo>();
  info.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  info.layout = layout_;
  info.descriptorSetCount = 1;
  info.pDescriptorSets = &set;
  TRELLIS_CALL(device_, CmdBindDescriptorSets2)(command_buffer_, &info);
  EXPECT_EQ(recording_->compute.sets.at(0).descriptor_set, set);
  EXPECT_EQ(recording_->execution_graph.sets.at(0).descriptor_set, set);
  EXPECT_EQ(driver_.CountOf("CmdBindDescriptorSets2"), 1u);
}

TEST_F(CommandTracking, graph_sets_are_bound_for_compute_through_the_node_layout) {
  BindSets(kGraph, 0, {10, 11}, {256, 512});
  BindSets(kGraph, 2, {12}, {});  // the layout has two sets: this one cannot be bound through it
  const auto layout = recording_->device.pipeline_layouts.Find(layout_);
  BindGraphSets(*recording_, *layout);
  const auto& calls = driver_.calls();
  ASSERT_EQ(calls.size(), 2u);
  for (const DriverCall& call : calls) EXPECT_EQ(call.layout, HandleToU64(layout->node_layout));
  EXPECT_EQ(calls[0].bind_point, kCompute);
  EXPECT_THAT(calls[0].objects, ElementsAre(10u));
  EXPECT_THAT(calls[0].dynamic_offsets, ElementsAre(256u));
  EXPECT_EQ(calls[1].first, 1u);
  EXPECT_THAT(calls[1].dynamic_offsets, ElementsAre(512u));
}

// Undefined in Vulkan; applications do it all the same.
TEST_F(CommandTracking, sets_that_are_bound_for_compute_alone_serve_graphs_too) {
  BindSets(kCompute, 0, {10, 11}, {256, 512});
  BindSets(kGraph, 1, {21}, {768});
  const auto layout = recording_->device.pipeline_layouts.Find(layout_);
  EXPECT_TRUE(IsBoundForComputeAlone(*recording_, *layout, 0));
  EXPECT_FALSE(IsBoundForComputeAlone(*recording_, *layout, 1));
  EXPECT_FALSE(IsBoundForComputeAlone(*recording_, *layout, 2));
  driver_.ForgetCalls();
  BindGraphSets(*recording_, *layout);
  const auto& calls = driver_.calls();
  ASSERT_EQ(calls.size(), 2u);
  for (const DriverCall& call : calls) EXPECT_EQ(call.layout, HandleToU64(layout->node_layout));
  EXPECT_EQ(calls[0].first, 0u);
  EXPECT_THAT(calls[0].objects, ElementsAre(10u));
  EXPECT_THAT(calls[0].dynamic_offsets, ElementsAre(256u));
  EXPECT_EQ(calls[1].first, 1u);
  EXPECT_THAT(calls[1].objects, ElementsAre(21u));
}

TEST_F(CommandTracking, descriptors_that_are_pushed_for_compute_alone_serve_graphs_too) {
  PushBuffer(33);
  const auto layout = recording_->device.pipeline_layouts.Find(layout_);
  EXPECT_TRUE(IsBoundForComputeAlone(*recording_, *layout, 0));
  driver_.ForgetCalls();
  BindGraphSets(*recording_, *layout);
  ASSERT_EQ(driver_.CountOf("CmdPushDescriptorSet"), 1u);
  EXPECT_EQ(driver_.calls()[0].layout, HandleToU64(layout->node_layout));
  EXPECT_THAT(driver_.calls()[0].objects, ElementsAre(33u));
}

TEST_F(CommandTracking, compute_state_is_put_back_in_order) {
  TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer_, kCompute, Fake<VkPipeline>(1));
  BindSets(kCompute, 0, {10, 11}, {256, 512});
  BindSets(kCompute, 0, {12}, {768});
  const uint8_t bytes[8] = {1, 2, 3};
  TRELLIS_CALL(device_, CmdPushConstants)(command_buffer_, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 4, 8, bytes);
  driver_.ForgetCalls();
  RestoreComputeState(*recording_);
  const auto& calls = driver_.calls();
  ASSERT_EQ(calls.size(), 4u);
  EXPECT_EQ(calls[0].name, "CmdBindPipeline");
  EXPECT_EQ(calls[0].object, 1u);
  EXPECT_EQ(calls[1].first, 1u);
  EXPECT_EQ(calls[1].layout, HandleToU64(layout_)) << "the application's own layout";
  EXPECT_THAT(calls[2].objects, ElementsAre(12u));
  EXPECT_THAT(calls[2].dynamic_offsets, ElementsAre(768u));
  EXPECT_EQ(calls[3].offset, 4u);
  EXPECT_EQ(calls[3].bytes, std::vector<uint8_t>(bytes, bytes + 8));
}

TEST_F(CommandTracking, shader_object_is_put_back_instead_of_an_older_pipeline) {
  TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer_, kCompute, Fake<VkPipeline>(1));
  const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
  const auto shader = Fake<VkShaderEXT>(7);
  TRELLIS_CALL(device_, CmdBindShadersEXT)(command_buffer_, 1, &stage, &shader);
  driver_.ForgetCalls();
  RestoreComputeState(*recording_);
  ASSERT_EQ(driver_.calls().size(), 1u);
  EXPECT_EQ(driver_.calls()[0].name, "CmdBindShadersEXT");
  EXPECT_THAT(driver_.calls()[0].objects, ElementsAre(7u));
}

// Set 0 in a descriptor buffer, set 1 with embedded samplers.
void ExpectDescriptorBuffer(const std::deque<DriverCall>& calls, VkDeviceSize offset, VkPipelineLayout layout) {
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].name, "CmdSetDescriptorBufferOffsetsEXT");
  EXPECT_EQ(calls[0].object, offset);
  EXPECT_EQ(calls[1].name, "CmdBindDescriptorBufferEmbeddedSamplersEXT");
  for (uint32_t set = 0; set < 2; ++set) {
    EXPECT_EQ(calls[set].bind_point, kCompute);
    EXPECT_EQ(calls[set].first, set);
    EXPECT_EQ(calls[set].layout, HandleToU64(layout));
  }
}

TEST_F(CommandTracking, descriptor_buffers_serve_graphs_and_are_put_back) {
  const uint32_t buffer = 0;
  for (const auto& [bind_point, offset] :
       {std::pair(kCompute, VkDeviceSize{64}), std::pair(kGraph, VkDeviceSize{128})}) {
    TRELLIS_CALL(device_, CmdSetDescriptorBufferOffsetsEXT)
    (command_buffer_, bind_point, layout_, 0, 1, &buffer, &offset);
    TRELLIS_CALL(device_, CmdBindDescriptorBufferEmbeddedSamplersEXT)(command_buffer_, bind_point, layout_, 1);
  }
  ExpectDescriptorBuffer(driver_.calls(), 64, layout_);
  const auto layout = recording_->device.pipeline_layouts.Find(layout_);
  driver_.ForgetCalls();
  BindGraphSets(*recording_, *layout);
  ExpectDescriptorBuffer(driver_.calls(), 128, layout->node_layout);
  driver_.ForgetCalls();
  RestoreComputeState(*recording_);
  ExpectDescriptorBuffer(driver_.calls(), 64, layout_);
}

TEST_F(CommandTracking, descriptor_buffers_by_stage_reach_both_bind_points) {
  const uint32_t buffer = 0;
  const VkDeviceSize offset = 192;
  auto offsets = MakeStruct<VkSetDescriptorBufferOffsetsInfoEXT>();
  offsets.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  offsets.layout = layout_;
  offsets.setCount = 1;
  offsets.pBufferIndices = &buffer;
  offsets.pOffsets = &offset;
  auto samplers = MakeStruct<VkBindDescriptorBufferEmbeddedSamplersInfoEXT>();
  samplers.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  samplers.layout = layout_;
  samplers.set = 1;
  TRELLIS_CALL(device_, CmdSetDescriptorBufferOffsets2EXT)(command_buffer_, &offsets);
  TRELLIS_CALL(device_, CmdBindDescriptorBufferEmbeddedSamplers2EXT)(command_buffer_, &samplers);
  // Of other stages, which leave both as they are.
  const VkDeviceSize other = 256;
  offsets.stageFlags = samplers.stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT;
  offsets.pOffsets = &other;
  samplers.set = 0;
  TRELLIS_CALL(device_, CmdSetDescriptorBufferOffsets2EXT)(command_buffer_, &offsets);
  TRELLIS_CALL(device_, CmdBindDescriptorBufferEmbeddedSamplers2EXT)(command_buffer_, &samplers);
  EXPECT_EQ(driver_.calls().size(), 4u) << "they go down as they are";
  const auto layout = recording_->device.pipeline_layouts.Find(layout_);
  driver_.ForgetCalls();
  BindGraphSets(*recording_, *layout);
  ExpectDescriptorBuffer(driver_.calls(), offset, layout->node_layout);
  driver_.ForgetCalls();
  RestoreComputeState(*recording_);
  ExpectDescriptorBuffer(driver_.calls(), offset, layout_);
}

TEST_F(CommandTracking, push_descriptors_are_put_back) {
  PushBuffer(33);
  driver_.ForgetCalls();
  RestoreComputeState(*recording_);
  ASSERT_EQ(driver_.CountOf("CmdPushDescriptorSet"), 1u);
  EXPECT_THAT(driver_.calls()[0].objects, ElementsAre(33u));
}

TEST_F(CommandTracking, template_of_the_graph_bind_point_is_made_for_compute_and_its_pushes_are_kept) {
  const VkDescriptorUpdateTemplateEntry entry = {0, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, 0};
  VkDescriptorUpdateTemplateCreateInfo info = {};
  info.descriptorUpdateEntryCount = 1;
  info.pDescriptorUpdateEntries = &entry;
  info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS;
  info.pipelineBindPoint = kGraph;
  VkDescriptorUpdateTemplate update_template = VK_NULL_HANDLE;
  TRELLIS_CALL(device_, CreateDescriptorUpdateTemplate)(device_.handle(), &info, nullptr, &update_template);
  EXPECT_EQ(driver_.calls().at(0).bind_point, kCompute);
  const VkDescriptorBufferInfo data = {Fake<VkBuffer>(33), 0, VK_WHOLE_SIZE};
  TRELLIS_CALL(device_, CmdPushDescriptorSetWithTemplate)(command_buffer_, update_template, layout_, 0, &data);
  EXPECT_EQ(driver_.CountOf("CmdPushDescriptorSetWithTemplate"), 0u);
  EXPECT_EQ(recording_->execution_graph.sets.at(0).pushed.Writes().writes.at(0).pBufferInfo->buffer,
            Fake<VkBuffer>(33));
}

TEST_F(CommandTracking, secondaries_leave_bound_state_undefined) {
  TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer_, kCompute, Fake<VkPipeline>(1));
  TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer_, kGraph, Fake<VkPipeline>(2));
  TRELLIS_CALL(device_, CmdExecuteCommands)(command_buffer_, 0, nullptr);
  EXPECT_EQ(recording_->compute.pipeline, VkPipeline{VK_NULL_HANDLE});
  EXPECT_EQ(recording_->execution_graph.pipeline, VkPipeline{VK_NULL_HANDLE});
}

// What graphs leave to the end of their recording is done there, once.
TEST_F(CommandTracking, the_end_leaves_the_graphs) {
  TRELLIS_CALL(device_, EndCommandBuffer)(command_buffer_);
  EXPECT_EQ(driver_.CountOf("CmdPipelineBarrier"), 0u);
  VkCommandBufferBeginInfo begin = {};
  for (const bool reports : {false, true}) {
    TRELLIS_CALL(device_, BeginCommandBuffer)(command_buffer_, &begin);
    recording_->graphs = {.need_leaving = true, .may_report = reports};
    const size_t before = driver_.CountOf("CmdPipelineBarrier");
    TRELLIS_CALL(device_, EndCommandBuffer)(command_buffer_);
    EXPECT_EQ(driver_.CountOf("CmdPipelineBarrier"), before + 1);
  }
}

// No barrier may stand between a render pass instance that is suspended and the one that resumes it.
TEST_F(CommandTracking, graphs_are_left_before_an_instance_that_is_suspended) {
  auto rendering = MakeStruct<VkRenderingInfo>();
  for (const VkRenderingFlags flags : {VkRenderingFlags{0}, VkRenderingFlags{VK_RENDERING_SUSPENDING_BIT}}) {
    VkCommandBufferBeginInfo begin = {};
    TRELLIS_CALL(device_, BeginCommandBuffer)(command_buffer_, &begin);
    recording_->graphs.need_leaving = true;
    const size_t before = driver_.CountOf("CmdPipelineBarrier");
    rendering.flags = flags;
    TRELLIS_CALL(device_, CmdBeginRendering)(command_buffer_, &rendering);
    EXPECT_EQ(driver_.CountOf("CmdPipelineBarrier"), before + (flags != 0 ? 1 : 0));
    TRELLIS_CALL(device_, CmdEndRendering)(command_buffer_);
    TRELLIS_CALL(device_, EndCommandBuffer)(command_buffer_);
    EXPECT_EQ(driver_.CountOf("CmdPipelineBarrier"), before + 1);
  }
}

TEST_F(CommandTracking, begin_forgets_everything) {
  TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer_, kGraph, Fake<VkPipeline>(2));
  recording_->holds_graph = true;
  recording_->ring_bytes = 5;
  recording_->graphs.need_leaving = true;
  const auto kept = std::make_shared<int>(1);
  recording_->keep_alive.push_back(kept);
  VkCommandBufferBeginInfo begin = {};
  begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  TRELLIS_CALL(device_, BeginCommandBuffer)(command_buffer_, &begin);
  EXPECT_EQ(recording_->execution_graph.pipeline, VkPipeline{VK_NULL_HANDLE});
  EXPECT_FALSE(recording_->holds_graph);
  EXPECT_FALSE(recording_->graphs.need_leaving);
  EXPECT_EQ(recording_->ring_bytes, 0u);
  EXPECT_EQ(kept.use_count(), 1);
  EXPECT_EQ(recording_->usage, static_cast<VkCommandBufferUsageFlags>(begin.flags));
}

TEST_F(CommandTracking, conditional_rendering_is_remembered_until_it_ends) {
  auto info = MakeStruct<VkConditionalRenderingBeginInfoEXT>(this);
  info.buffer = Fake<VkBuffer>(7);
  info.offset = 4;
  TRELLIS_CALL(device_, CmdBeginConditionalRenderingEXT)(command_buffer_, &info);
  EXPECT_EQ(driver_.CallsOf("CmdBeginConditionalRenderingEXT").at(0).object, 7u);
  TRELLIS_CALL(device_, CmdExecuteCommands)(command_buffer_, 0, nullptr);
  ASSERT_TRUE(recording_->conditional_rendering) << "secondaries do not end it";
  EXPECT_EQ(recording_->conditional_rendering->buffer, info.buffer);
  EXPECT_EQ(recording_->conditional_rendering->offset, 4u);
  EXPECT_EQ(recording_->conditional_rendering->pNext, nullptr);
  TRELLIS_CALL(device_, CmdEndConditionalRenderingEXT)(command_buffer_);
  EXPECT_EQ(driver_.CountOf("CmdEndConditionalRenderingEXT"), 1u);
  EXPECT_FALSE(recording_->conditional_rendering);
  TRELLIS_CALL(device_, CmdBeginConditionalRenderingEXT)(command_buffer_, &info);
  const VkCommandBufferBeginInfo begin = {};
  TRELLIS_CALL(device_, BeginCommandBuffer)(command_buffer_, &begin);
  EXPECT_FALSE(recording_->conditional_rendering);
}

TEST_F(CommandTracking, remembered_error_comes_out_of_end_once) {
  const VkDispatchGraphCountInfoAMDX info = {};
  TRELLIS_CALL(device_, CmdDispatchGraphIndirectAMDX)(command_buffer_, 0, 0, &info);
  EXPECT_NE(TRELLIS_CALL(device_, EndCommandBuffer)(command_buffer_), VK_SUCCESS);
  EXPECT_EQ(driver_.CountOf("EndCommandBuffer"), 1u) << "the driver's command buffer has to end all the same";
  VkCommandBufferBeginInfo begin = {};
  TRELLIS_CALL(device_, BeginCommandBuffer)(command_buffer_, &begin);
  EXPECT_EQ(TRELLIS_CALL(device_, EndCommandBuffer)(command_buffer_), VK_SUCCESS);
}

TEST_F(CommandTracking, freed_command_buffers_and_destroyed_pools_are_forgotten) {
  VkCommandPoolCreateInfo pool_info = {};
  VkCommandBufferAllocateInfo info = {};
  info.commandBufferCount = 2;
  TRELLIS_CALL(device_, CreateCommandPool)(device_.handle(), &pool_info, nullptr, &info.commandPool);
  VkCommandBuffer command_buffers[2] = {};
  TRELLIS_CALL(device_, AllocateCommandBuffers)(device_.handle(), &info, command_buffers);
  EXPECT_TRUE(CommandBuffers().Find(command_buffers[1]));
  TRELLIS_CALL(device_, FreeCommandBuffers)(device_.handle(), info.commandPool, 1, command_buffers);
  EXPECT_FALSE(CommandBuffers().Find(command_buffers[0]));
  TRELLIS_CALL(device_, DestroyCommandPool)(device_.handle(), info.commandPool, nullptr);
  EXPECT_FALSE(CommandBuffers().Find(command_buffers[1]));
}

TEST_F(CommandTracking, submission_without_graphs_goes_down_untouched) {
  VkQueue queue = VK_NULL_HANDLE;
  TRELLIS_CALL(device_, GetDeviceQueue)(device_.handle(), 0, 0, &queue);
  VkSubmitInfo submit = {};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &command_buffer_;
  driver_.ForgetCalls();
  EXPECT_EQ(TRELLIS_CALL(device_, QueueSubmit)(queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
  ASSERT_EQ(driver_.calls().size(), 1u);
  VkCommandBufferSubmitInfo buffer_info = {};
  buffer_info.commandBuffer = command_buffer_;
  VkSubmitInfo2 submit2 = {};
  submit2.commandBufferInfoCount = 1;
  submit2.pCommandBufferInfos = &buffer_info;
  EXPECT_EQ(TRELLIS_CALL(device_, QueueSubmit2)(queue, 1, &submit2, VK_NULL_HANDLE), VK_SUCCESS);
  EXPECT_EQ(driver_.CountOf("QueueSubmit2"), 1u);
}

TEST_F(CommandTracking, submission_of_a_graph_makes_rings_before_it_goes_down) {
  VkQueue queue = VK_NULL_HANDLE;
  TRELLIS_CALL(device_, GetDeviceQueue)(device_.handle(), 0, 0, &queue);
  recording_->holds_graph = true;
  recording_->ring_bytes = 4096;
  VkSubmitInfo submit = {};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &command_buffer_;
  driver_.ForgetCalls();
  EXPECT_EQ(TRELLIS_CALL(device_, QueueSubmit)(queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
  EXPECT_GE(driver_.CountOf("CreateBuffer"), 1u);
  EXPECT_EQ(driver_.calls().back().name, "QueueSubmit");
}

}  // namespace
}  // namespace trellis::test
