// SPDX-License-Identifier: Apache-2.0
// What goes down when a graph is dispatched inside a render pass instance: the instance in two parts, and the graph
// between them.
#include "layer/objects/handle_table.h"
#include "tests/layer/entry/split_fixture.h"

namespace trellis::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Split = SplitTest;

TEST_F(Split, dynamic_instances_are_stored_ended_and_loaded) {
  Start();
  DynamicInstance instance;
  instance.info.flags = VK_RENDERING_ENABLE_LEGACY_DITHERING_BIT_EXT;
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  EXPECT_EQ(Last("CmdBeginRendering").text,
            " color clear/store in 2 depth clear/store in 1000241000"
            " stencil clear/store in 1000241002");
  instance.info = {};  // nothing of the application's is read later
  instance.color = instance.depth = instance.stencil = {};
  Dispatch();
  EXPECT_EQ(Last("CmdBeginRendering").text,
            " color load/store in 2 depth load/store in 1000241000"
            " stencil load/store in 1000241002");
  EXPECT_EQ(Last("CmdBeginRendering").flags, VK_RENDERING_ENABLE_LEGACY_DITHERING_BIT_EXT);
  TRELLIS_CALL(*device_, CmdEndRendering)(command_buffer_);
  EXPECT_THAT(TakeCommands(), ElementsAre("CmdBeginRendering", "CmdEndRendering", "graph", "CmdPipelineBarrier",
                                          "CmdBeginRendering", "CmdEndRendering"));
  EXPECT_EQ(EndRecording(), VK_SUCCESS);
  EXPECT_THAT(messages_, IsEmpty());
}

// Stages in which attachments are accessed, and fragment shaders: barriers inside the first part do not reach the
// second.
TEST_F(Split, the_parts_of_a_dynamic_instance_are_ordered) {
  Start();
  DynamicInstance instance;
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  Dispatch();
  constexpr uint32_t kStages = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                               VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT |
                               VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  constexpr uint32_t kWrites =
      VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
  constexpr uint32_t kReads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_INPUT_ATTACHMENT_READ_BIT |
                              VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT;
  EXPECT_THAT(Last("CmdPipelineBarrier").dynamic_offsets, ElementsAre(kStages, kStages, kWrites, kWrites | kReads));
}

// Read-only attachments that are neither loaded nor stored stay what they are, unless they are cleared.
TEST_F(Split, read_only_attachments_keep_their_operations) {
  Start();
  DynamicInstance instance;
  instance.depth.imageLayout = instance.stencil.imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL;
  instance.depth.storeOp = instance.stencil.storeOp = VK_ATTACHMENT_STORE_OP_NONE;
  instance.depth.loadOp = VK_ATTACHMENT_LOAD_OP_NONE;
  instance.stencil.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  instance.color.storeOp = VK_ATTACHMENT_STORE_OP_NONE;
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  EXPECT_EQ(Last("CmdBeginRendering").text, " color clear/store in 2 depth none/none in 4 stencil load/none in 4");
  Dispatch();
  EXPECT_EQ(Last("CmdBeginRendering").text, " color load/store in 2 depth none/none in 4 stencil load/none in 4");
  TRELLIS_CALL(*device_, CmdEndRendering)(command_buffer_);
  instance.stencil.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  EXPECT_EQ(Last("CmdBeginRendering").text, " color clear/store in 2 depth none/none in 4 stencil clear/store in 4");
}

// What is neither loaded nor stored may hold something that the application wants to keep.
TEST_F(Split, what_must_not_be_stored_is_not) {
  for (const VkAttachmentLoadOp load : {VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_LOAD_OP_NONE}) {
    Start();
    DynamicInstance instance;
    instance.color.storeOp = VK_ATTACHMENT_STORE_OP_NONE;
    instance.color.loadOp = load;
    TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
    EXPECT_NE(Last("CmdBeginRendering").text.find("/none"), std::string::npos);
    EXPECT_EQ(Last("CmdBeginRendering").text.find("/store"), std::string::npos) << "nothing is edited";
    Dispatch();
    TRELLIS_CALL(*device_, CmdEndRendering)(command_buffer_);
    EXPECT_LT(EndRecording(), 0);
    EXPECT_THAT(messages_, ElementsAre(::testing::HasSubstr("VK_ATTACHMENT_STORE_OP_NONE")));
    messages_.clear();
    TearDown();
  }
}

// Each dispatch splits the instance; the graphs are ordered as they are outside of one.
TEST_F(Split, every_dispatch_splits_and_the_recording_leaves_once) {
  Start();
  DynamicInstance instance;
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  Dispatch();
  Dispatch();
  TRELLIS_CALL(*device_, CmdEndRendering)(command_buffer_);
  EXPECT_THAT(TakeCommands(),
              ElementsAre("CmdBeginRendering", "CmdEndRendering", "graph", "CmdPipelineBarrier", "CmdBeginRendering",
                          "CmdEndRendering", "graph", "CmdPipelineBarrier", "CmdBeginRendering", "CmdEndRendering"));
  EXPECT_EQ(EndRecording(), VK_SUCCESS);
  EXPECT_THAT(TakeCommands(), ElementsAre("graph")) << "the barrier that leaves the graphs";
}

// A resuming instance ends for good where it is split; its infos have to match those of the part before, so nothing of
// it is edited.
TEST_F(Split, resuming_instances_resume_once) {
  Start();
  DynamicInstance instance;
  instance.StoreAll();
  instance.info.flags = VK_RENDERING_RESUMING_BIT;
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  EXPECT_EQ(Last("CmdBeginRendering").flags, uint64_t{VK_RENDERING_RESUMING_BIT});
  Dispatch();
  EXPECT_EQ(Last("CmdBeginRendering").flags, 0u);
  TRELLIS_CALL(*device_, CmdEndRendering)(command_buffer_);
  EXPECT_EQ(EndRecording(), VK_SUCCESS);
}

TEST_F(Split, locations_and_indices_are_kept_by_value_and_end_with_the_instance) {
  Start();
  DynamicInstance instance;
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  uint32_t values[] = {5, 6, 7};
  VkRenderingAttachmentLocationInfo locations = {};
  locations.colorAttachmentCount = 1;
  locations.pColorAttachmentLocations = &values[0];
  VkRenderingInputAttachmentIndexInfo indices = {};
  indices.colorAttachmentCount = 1;
  indices.pColorAttachmentInputIndices = &values[1];
  indices.pDepthInputAttachmentIndex = &values[2];
  Get<PFN_vkCmdSetRenderingAttachmentLocations>("vkCmdSetRenderingAttachmentLocations")(command_buffer_, &locations);
  Get<PFN_vkCmdSetRenderingInputAttachmentIndices>("vkCmdSetRenderingInputAttachmentIndices")(command_buffer_,
                                                                                              &indices);
  std::fill(std::begin(values), std::end(values), 0u);
  Dispatch();
  EXPECT_EQ(driver_.calls().back().name, "CmdSetRenderingInputAttachmentIndices");
  EXPECT_EQ(driver_.CountOf("CmdSetRenderingInputAttachmentIndices"), 2u);
  EXPECT_THAT(Last("CmdSetRenderingAttachmentLocations").dynamic_offsets, ElementsAre(5u));
  EXPECT_THAT(Last("CmdSetRenderingInputAttachmentIndices").dynamic_offsets, ElementsAre(6u, 7u));
  TRELLIS_CALL(*device_, CmdEndRendering)(command_buffer_);
  driver_.ForgetCalls();
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  Dispatch();
  EXPECT_EQ(driver_.CountOf("CmdSetRenderingAttachmentLocations"), 0u);
  EXPECT_EQ(driver_.CountOf("CmdSetRenderingInputAttachmentIndices"), 0u);
}

// Whether conditional rendering is active when commands of these names go down, in order.
std::vector<std::string> Conditions(const FakeDriver& driver, const std::vector<std::string>& names) {
  std::vector<std::string> seen;
  bool active = false;
  for (const DriverCall& call : driver.calls()) {
    if (call.name == "CmdBeginConditionalRenderingEXT") active = true;
    if (call.name == "CmdEndConditionalRenderingEXT") active = false;
    if (std::find(names.begin(), names.end(), call.name) != names.end())
      seen.push_back(call.name + (active ? " conditional" : ""));
  }
  if (active) seen.emplace_back("end conditional");
  return seen;
}

// The nodes are under the condition in both cases.
TEST_F(Split, conditional_rendering_begun_inside_ends_inside) {
  Start();
  DynamicInstance instance;
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  BeginConditionalRendering();
  Dispatch();
  EXPECT_THAT(Conditions(driver_, {"CmdBeginRendering", "CmdEndRendering"}),
              ElementsAre("CmdBeginRendering", "CmdEndRendering", "CmdBeginRendering", "end conditional"));
  EXPECT_THAT(Conditions(driver_, {"CmdDispatch", "CmdDispatchIndirect"}),
              AllOf(Contains("CmdDispatch"), Contains("CmdDispatchIndirect conditional")));
  driver_.ForgetCalls();
  TRELLIS_CALL(*device_, CmdEndConditionalRenderingEXT)(command_buffer_);
  Dispatch();
  EXPECT_EQ(driver_.CountOf("CmdBeginConditionalRenderingEXT"), 0u);
}

TEST_F(Split, conditional_rendering_begun_outside_lasts) {
  Start();
  DynamicInstance instance;
  BeginConditionalRendering();
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  Dispatch();
  EXPECT_THAT(Conditions(driver_, {"CmdBeginRendering", "CmdEndRendering"}),
              ElementsAre("CmdBeginRendering conditional", "CmdEndRendering conditional",
                          "CmdBeginRendering conditional", "end conditional"));
  EXPECT_THAT(Conditions(driver_, {"CmdDispatch", "CmdDispatchIndirect"}),
              AllOf(Contains("CmdDispatch"), Contains("CmdDispatchIndirect conditional")));
}

// Queries around the whole instance contain its parts.
TEST_F(Split, queries_around_the_instance_do_not_matter) {
  Start();
  DynamicInstance instance;
  const auto pool = HandleFromU64<VkQueryPool>(16);
  TRELLIS_CALL(*device_, CmdBeginQuery)(command_buffer_, pool, 0, 0);
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  TRELLIS_CALL(*device_, CmdBeginQuery)(command_buffer_, pool, 1, 0);
  TRELLIS_CALL(*device_, CmdEndQuery)(command_buffer_, pool, 1);
  Get<PFN_vkCmdBeginQueryIndexedEXT>("vkCmdBeginQueryIndexedEXT")(command_buffer_, pool, 2, 0, 0);
  Get<PFN_vkCmdEndQueryIndexedEXT>("vkCmdEndQueryIndexedEXT")(command_buffer_, pool, 2, 0);
  Get<PFN_vkCmdBeginTransformFeedbackEXT>("vkCmdBeginTransformFeedbackEXT")(command_buffer_, 0, 0, nullptr, nullptr);
  Get<PFN_vkCmdEndTransformFeedbackEXT>("vkCmdEndTransformFeedbackEXT")(command_buffer_, 0, 0, nullptr, nullptr);
  Dispatch();
  TRELLIS_CALL(*device_, CmdEndRendering)(command_buffer_);
  TRELLIS_CALL(*device_, CmdEndQuery)(command_buffer_, pool, 0);
  EXPECT_EQ(EndRecording(), VK_SUCCESS);
  EXPECT_EQ(driver_.CountOf("CmdBeginRendering"), 2u);
}

TEST_F(Split, chains_of_dynamic_instances_are_copied_with_their_arrays) {
  Start();
  DynamicInstance instance;
  std::vector<VkRect2D> areas(3);
  auto group = MakeStruct<VkDeviceGroupRenderPassBeginInfo>();
  group.deviceRenderAreaCount = 3;
  group.pDeviceRenderAreas = areas.data();
  auto rate = MakeStruct<VkRenderingFragmentShadingRateAttachmentInfoKHR>(&group);
  instance.info.pNext = &rate;
  TRELLIS_CALL(*device_, CmdBeginRendering)(command_buffer_, &instance.info);
  group = {};
  rate = {};
  areas = {};
  Dispatch();
  EXPECT_THAT(Last("CmdBeginRendering").chain,
              ElementsAre(VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR,
                          VK_STRUCTURE_TYPE_DEVICE_GROUP_RENDER_PASS_BEGIN_INFO));
}

}  // namespace
}  // namespace trellis::test
