// SPDX-License-Identifier: Apache-2.0
// Dynamic state that the application has set: what mesh nodes overwrite is set again after them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "layer/entry/hook_lists.h"
#include "layer/objects/captured_states.h"
#include "tests/layer/entry/dynamic_state_rows.h"
#include "tests/layer/entry/mesh_graph_fixture.h"

namespace trellis::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DynamicState : public MeshGraph {
 protected:
  VkPipeline GraphOf(const std::vector<VkDynamicState>& dynamic) {
    VkPipeline node = VK_NULL_HANDLE;
    EXPECT_EQ(MakeNode(layout_, node, dynamic), VK_SUCCESS);
    return MakeGraph({node});
  }

  // Through the layer, by any name of the command.
  void Set(VkCommandBuffer command_buffer, const Row& row, uint32_t seed, const std::string& name) {
    row.call(device_.Get<PFN_vkVoidFunction>(name.c_str()), command_buffer, seed);
  }
  void Set(VkCommandBuffer command_buffer, const std::string& name, uint32_t seed) {
    Set(command_buffer, RowOf(name), seed, name);
  }

  // The driver's calls that set dynamic state since ForgetCalls.
  [[nodiscard]] std::vector<DriverCall> SetCalls() const {
    std::vector<DriverCall> calls;
    for (const DriverCall& call : driver_.calls())
      if (call.name.starts_with("CmdSet")) calls.push_back(call);
    return calls;
  }
  [[nodiscard]] std::vector<std::string> SetNames() const {
    std::vector<std::string> names;
    for (const DriverCall& call : SetCalls()) names.push_back(call.name);
    return names;
  }

  // One command of each list of calls, a dispatch, and what the driver is told by it.
  std::vector<DriverCall> SetAgainAfter(VkPipeline graph, const std::vector<std::pair<std::string, uint32_t>>& sets) {
    const VkCommandBuffer command_buffer = device_.Begin();
    for (const auto& [name, seed] : sets) Set(command_buffer, name, seed);
    BeginRendering(command_buffer);
    driver_.ForgetCalls();
    Dispatch(command_buffer, graph, scratch_);
    return SetCalls();
  }

  Scratch scratch_{device_};
};

TEST_F(DynamicState, what_a_node_holds_itself_is_set_again_with_the_same_arguments) {
  const VkPipeline graph = GraphOf({});
  EXPECT_GE(kRows.size(), 60u);
  uint32_t seed = 1;
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    const VkCommandBuffer command_buffer = device_.Begin();
    BeginRendering(command_buffer);
    driver_.ForgetCalls();
    Set(command_buffer, row, ++seed, row.name);
    ASSERT_EQ(SetCalls().size(), 1u);
    const DriverCall first = SetCalls()[0];
    driver_.ForgetCalls();
    Dispatch(command_buffer, graph, scratch_);
    ASSERT_EQ(SetCalls().size(), 1u);
    EXPECT_EQ(SetCalls()[0].name, first.name);
    EXPECT_EQ(SetCalls()[0].bytes, first.bytes);
    EXPECT_FALSE(first.bytes.empty());
  }
}

TEST_F(DynamicState, other_names_of_the_commands_are_the_same) {
  const VkPipeline graph = GraphOf({});
  for (const CommandAlias& alias : kAliases) {
    SCOPED_TRACE(alias.name);
    const VkCommandBuffer command_buffer = device_.Begin();
    BeginRendering(command_buffer);
    driver_.ForgetCalls();
    Set(command_buffer, RowOf(alias.command), 5, std::string(alias.name));
    Dispatch(command_buffer, graph, scratch_);
    ASSERT_EQ(SetCalls().size(), 2u);
    EXPECT_EQ(SetCalls()[0].bytes, SetCalls()[1].bytes);
  }
}

TEST_F(DynamicState, what_a_node_has_dynamically_is_left_alone) {
  for (const VkDynamicState state : kCapturedStates) {
    SCOPED_TRACE(state);
    const VkPipeline graph = GraphOf({state});
    const CapturedStates dynamic = CapturedStates::Of(nullptr) | [state] {
      VkPipelineDynamicStateCreateInfo info = {};
      info.dynamicStateCount = 1;
      info.pDynamicStates = &state;
      return CapturedStates::Of(&info);
    }();
    for (const Row& row : kRows)
      EXPECT_EQ(SetAgainAfter(graph, {{row.name, 9}}).size(), dynamic.Has(row.state) ? 0u : 1u) << row.name;
  }
}

// The application's pipeline may hold some of it too: that overwrites what was set before, and what was set after its
// binding overwrites that.
TEST_F(DynamicState, keeps_its_order_with_the_pipeline) {
  const VkPipeline graph = GraphOf({VK_DYNAMIC_STATE_VIEWPORT});
  const VkCommandBuffer command_buffer = device_.Begin();
  Set(command_buffer, "vkCmdSetCullMode", 1);
  TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer, kGraphics, HandleFromU64<VkPipeline>(0x777));
  Set(command_buffer, "vkCmdSetLineWidth", 2);
  Set(command_buffer, "vkCmdSetViewport", 3);  // which the node does not touch, but perhaps the pipeline
  BeginRendering(command_buffer);
  Dispatch(command_buffer, graph, scratch_);  // makes plan memory
  driver_.ForgetCalls();
  Dispatch(command_buffer, graph, scratch_);
  EXPECT_THAT(NamesOfCalls(),
              ElementsAre("CmdBeginDebugUtilsLabelEXT", "CmdBeginDebugUtilsLabelEXT", "CmdBindPipeline",
                          "CmdPushConstants", "CmdDrawMeshTasksEXT", "CmdEndDebugUtilsLabelEXT", "CmdSetCullMode",
                          "CmdBindPipeline", "CmdSetLineWidth", "CmdSetViewport", "CmdEndDebugUtilsLabelEXT"));
}

VkViewport ViewportOf(float x) { return {x, 0, 1, 1, 0, 1}; }

TEST_F(DynamicState, viewports_are_kept_by_index) {
  const VkPipeline graph = GraphOf({});
  const VkCommandBuffer command_buffer = device_.Begin();
  const auto set = TRELLIS_CALL(device_, CmdSetViewport);
  const VkViewport viewports[] = {ViewportOf(0), ViewportOf(1), ViewportOf(4), ViewportOf(10)};
  set(command_buffer, 0, 2, viewports);
  set(command_buffer, 4, 1, &viewports[2]);
  set(command_buffer, 1, 1, &viewports[3]);
  driver_.ForgetCalls();
  const VkViewport together[] = {viewports[0], viewports[3]};
  const auto set_below = reinterpret_cast<PFN_vkCmdSetViewport>(driver_.DeviceFunction("vkCmdSetViewport"));
  set_below(command_buffer, 0, 2, together);
  set_below(command_buffer, 4, 1, &viewports[2]);
  const std::vector<DriverCall> expected = SetCalls();
  BeginRendering(command_buffer);
  driver_.ForgetCalls();
  Dispatch(command_buffer, graph, scratch_);
  ASSERT_EQ(SetCalls().size(), 2u);
  EXPECT_EQ(SetCalls()[0].bytes, expected[0].bytes);
  EXPECT_EQ(SetCalls()[1].bytes, expected[1].bytes);
}

TEST_F(DynamicState, stencil_faces_are_kept_apart) {
  const VkPipeline graph = GraphOf({});
  const VkCommandBuffer command_buffer = device_.Begin();
  const auto set = TRELLIS_CALL(device_, CmdSetStencilReference);
  set(command_buffer, VK_STENCIL_FACE_FRONT_AND_BACK, 7);
  set(command_buffer, VK_STENCIL_FACE_BACK_BIT, 8);
  BeginRendering(command_buffer);
  driver_.ForgetCalls();
  Dispatch(command_buffer, graph, scratch_);
  ASSERT_EQ(SetCalls().size(), 2u);
  EXPECT_THAT(SetCalls()[0].bytes, ElementsAre(VK_STENCIL_FACE_FRONT_BIT, 0, 0, 0, 7, 0, 0, 0));
  EXPECT_THAT(SetCalls()[1].bytes, ElementsAre(VK_STENCIL_FACE_BACK_BIT, 0, 0, 0, 8, 0, 0, 0));
}

TEST_F(DynamicState, commands_that_set_the_same_state_keep_their_order) {
  const VkPipeline graph = GraphOf({});
  const auto names = [&](const std::vector<std::pair<std::string, uint32_t>>& sets) {
    std::vector<std::string> again;
    for (const DriverCall& call : SetAgainAfter(graph, sets)) again.push_back(call.name);
    return again;
  };
  EXPECT_THAT(names({{"vkCmdSetDepthBias", 1}, {"vkCmdSetDepthBias2EXT", 2}}), ElementsAre("CmdSetDepthBias2EXT"));
  EXPECT_THAT(names({{"vkCmdSetDepthBias2EXT", 1}, {"vkCmdSetDepthBias", 2}}), ElementsAre("CmdSetDepthBias"));
  EXPECT_THAT(names({{"vkCmdSetViewportWithCount", 1}, {"vkCmdSetViewport", 2}}),
              ElementsAre("CmdSetViewportWithCount", "CmdSetViewport"));
  EXPECT_THAT(names({{"vkCmdSetCullMode", 1}, {"vkCmdSetFrontFace", 2}, {"vkCmdSetCullMode", 3}}),
              ElementsAre("CmdSetFrontFace", "CmdSetCullMode"));
}

// Two viewports are set with their number, three from the fourth on before that.
TEST_F(DynamicState, a_number_of_viewports_overwrites_the_first_ones) {
  const VkPipeline graph = GraphOf({});
  const VkCommandBuffer command_buffer = device_.Begin();
  const VkViewport viewports[] = {ViewportOf(0), ViewportOf(1), ViewportOf(2)};
  TRELLIS_CALL(device_, CmdSetViewport)(command_buffer, 0, 3, viewports);
  TRELLIS_CALL(device_, CmdSetViewportWithCount)(command_buffer, 2, viewports);
  BeginRendering(command_buffer);
  driver_.ForgetCalls();
  Dispatch(command_buffer, graph, scratch_);
  ASSERT_THAT(SetNames(), ElementsAre("CmdSetViewport", "CmdSetViewportWithCount"));
  ASSERT_EQ(SetCalls()[0].bytes.size(), 8 + 1 + sizeof(VkViewport)) << "the third alone";
  EXPECT_EQ(SetCalls()[0].bytes[0], 2u);
}

// The number of viewports was overwritten, they were not; setting the one sets the others.
TEST_F(DynamicState, what_overlaps_with_a_state_that_is_set_again_is_set_again) {
  const VkPipeline graph = GraphOf({VK_DYNAMIC_STATE_VIEWPORT});
  SetAgainAfter(graph, {{"vkCmdSetViewportWithCount", 1}, {"vkCmdSetViewport", 2}});
  EXPECT_THAT(SetNames(), ElementsAre("CmdSetViewportWithCount", "CmdSetViewport"));
  SetAgainAfter(graph, {{"vkCmdSetViewport", 2}});
  EXPECT_THAT(SetNames(), IsEmpty());
}

TEST_F(DynamicState, secondary_command_buffers_and_new_recordings_make_it_forgotten) {
  const VkPipeline graph = GraphOf({});
  const VkCommandBuffer command_buffer = device_.Begin();
  Set(command_buffer, "vkCmdSetCullMode", 1);
  TRELLIS_CALL(device_, CmdExecuteCommands)(command_buffer, 0, nullptr);
  Set(command_buffer, "vkCmdSetFrontFace", 1);
  BeginRendering(command_buffer);
  driver_.ForgetCalls();
  Dispatch(command_buffer, graph, scratch_);
  EXPECT_THAT(SetNames(), ElementsAre("CmdSetFrontFace"));
  auto begin = MakeStruct<VkCommandBufferBeginInfo>();
  ASSERT_EQ(TRELLIS_CALL(device_, BeginCommandBuffer)(command_buffer, &begin), VK_SUCCESS);
  BeginRendering(command_buffer);
  driver_.ForgetCalls();
  Dispatch(command_buffer, graph, scratch_);
  EXPECT_THAT(SetNames(), IsEmpty());
}

// A node that has a state dynamically finds what the application set, whatever was drawn before it.
TEST_F(DynamicState, nodes_with_different_states_follow_each_other) {
  VkPipeline nodes[2] = {};
  ASSERT_EQ(MakeNode(layout_, nodes[0], {}, "static"), VK_SUCCESS);
  ASSERT_EQ(MakeNode(layout_, nodes[1], {VK_DYNAMIC_STATE_LINE_WIDTH}, "wide"), VK_SUCCESS);
  const VkPipeline graph = MakeGraph({nodes[0], nodes[1]});
  const VkCommandBuffer command_buffer = device_.Begin();
  Set(command_buffer, "vkCmdSetLineWidth", 4);
  Set(command_buffer, "vkCmdSetCullMode", 1);
  BeginRendering(command_buffer);
  Dispatch(command_buffer, graph, scratch_, 2);
  driver_.ForgetCalls();
  Dispatch(command_buffer, graph, scratch_, 2);
  std::vector<std::string> names;
  for (const std::string& name : NamesOfCalls())
    if (!name.ends_with("LabelEXT") && name != "CmdPushConstants") names.push_back(name);
  EXPECT_THAT(names, ElementsAre("CmdBindPipeline", "CmdDrawMeshTasksEXT", "CmdSetLineWidth", "CmdBindPipeline",
                                 "CmdDrawMeshTasksEXT", "CmdSetCullMode"));
}

// Those of compute alone overwrite nothing; nobody hears of hooks that do not hold anything.
TEST_F(DynamicState, is_hooked_with_the_feature_alone) {
  features_.shaderMeshEnqueue = VK_FALSE;
  const TestDevice without(instance_, kGraphExtensions, &features_);
  const auto expect_hooked = [&](const std::string& name) {
    const PFN_vkVoidFunction below = driver_.DeviceFunction(name.c_str());
    ASSERT_NE(below, nullptr) << name;
    EXPECT_EQ(without.Get<PFN_vkVoidFunction>(name.c_str()), below) << name;
    EXPECT_NE(device_.Get<PFN_vkVoidFunction>(name.c_str()), below) << name;
  };
  for (const Row& row : kRows) expect_hooked(row.name);
  for (const CommandAlias& alias : kAliases) expect_hooked(std::string(alias.name));
}

// A driver that has the commands of an extension, and not those of Vulkan 1.3.
TEST(DynamicStateNames, of_extensions_serve_where_there_are_no_others) {
  DriverOptions options = WithMeshShaders();
  options.missing_commands = {"vkCmdSetCullMode"};
  FakeDriver driver(options);
  const MeshSettingsChain chain;
  const TestInstance instance(driver, {}, &chain.info);
  const VkPhysicalDeviceShaderEnqueueFeaturesAMDX features = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX, nullptr, VK_TRUE, VK_TRUE};
  const TestDevice device(instance, kGraphExtensions, &features);
  EXPECT_EQ(device.Get<PFN_vkVoidFunction>("vkCmdSetCullMode"), nullptr);
  TRELLIS_CALL(device, CmdSetCullModeEXT)(device.Begin(), VK_CULL_MODE_BACK_BIT);
  EXPECT_EQ(driver.CountOf("CmdSetCullMode"), 1u);
}

// Of the registry that this was built with: each vkCmdSet* is a row, or known to set nothing that mesh nodes overwrite.
TEST(DynamicStateNames, the_table_has_all_of_the_registry) {
  const std::vector<std::string> others = {
      "vkCmdSetCheckpointNV",
      "vkCmdSetComputeOccupancyPriorityNV",
      "vkCmdSetDescriptorBufferOffsets2EXT",
      "vkCmdSetDescriptorBufferOffsetsEXT",
      "vkCmdSetDeviceMask",
      "vkCmdSetDeviceMaskKHR",
      "vkCmdSetEvent",
      "vkCmdSetEvent2",
      "vkCmdSetEvent2KHR",
      "vkCmdSetPatchControlPointsEXT",
      "vkCmdSetPerformanceMarkerINTEL",
      "vkCmdSetPerformanceOverrideINTEL",
      "vkCmdSetPerformanceStreamMarkerINTEL",
      "vkCmdSetPrimitiveRestartEnable",
      "vkCmdSetPrimitiveRestartEnableEXT",
      "vkCmdSetPrimitiveRestartIndexEXT",
      "vkCmdSetPrimitiveTopology",
      "vkCmdSetPrimitiveTopologyEXT",
      "vkCmdSetRayTracingPipelineStackSizeKHR",
      "vkCmdSetRenderingAttachmentLocations",
      "vkCmdSetRenderingAttachmentLocationsKHR",
      "vkCmdSetRenderingInputAttachmentIndices",
      "vkCmdSetRenderingInputAttachmentIndicesKHR",
      "vkCmdSetTessellationDomainOriginEXT",
      "vkCmdSetVertexInputEXT",
  };
  std::vector<std::string> undecided;
  for (const std::string name : {
#define COMMAND(name) name,
#include "layer/dispatch/registry_names.inc"
#undef COMMAND
       }) {
    const CommandAlias* alias = FindAlias(name);
    const bool in_table = FindRow(alias ? alias->command : name) != nullptr;
    const bool is_other = std::find(others.begin(), others.end(), name) != others.end();
    if (name.starts_with("vkCmdSet") && in_table == is_other) undecided.push_back(name);
  }
  EXPECT_THAT(undecided, IsEmpty());
}

}  // namespace
}  // namespace trellis::test
