// SPDX-License-Identifier: Apache-2.0
// Mesh nodes that other nodes enqueue to: what the driver gets for a dispatch of those.
#include <gmock/gmock.h>

#include <algorithm>

#include "test_nodes/relay.h"
#include "test_nodes/static_tiles.h"
#include "tests/layer/entry/mesh_graph_fixture.h"

namespace trellis::test {
namespace {

using ::testing::ElementsAre;

class MeshDrawCommands : public MeshGraph {
 protected:
  // A graph of the mesh node of `words`, and of a compute node that enqueues to it.
  VkPipeline MakeRelayGraph(std::span<const uint32_t> words) {
    module_ = MakeModule(words);
    VkPipeline node = VK_NULL_HANDLE;
    EXPECT_EQ(MakeNode(layout_, node, {}, "tiles"), VK_SUCCESS);
    auto name = MakeStruct<VkPipelineShaderStageNodeCreateInfoAMDX>();
    name.pName = "relay";
    const VkPipelineShaderStageCreateInfo stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                   &name,
                                                   0,
                                                   VK_SHADER_STAGE_COMPUTE_BIT,
                                                   MakeModule(kRelayNode),
                                                   "main",
                                                   nullptr};
    const VkPipeline graph = MakeGraph({node}, std::span(&stage, 1));
    EXPECT_EQ(TRELLIS_CALL(device_, GetExecutionGraphPipelineNodeIndexAMDX)(device_.handle(), graph, &name, &relay_),
              VK_SUCCESS);
    return graph;
  }

  // What a second dispatch of an instance becomes, without labels.
  std::vector<DriverCall> CallsOfDispatch(VkPipeline graph, const Scratch& scratch) {
    const VkCommandBuffer command_buffer = device_.Begin();
    BeginRendering(command_buffer);
    Dispatch(command_buffer, graph, scratch, 1, relay_);  // makes plan memory
    driver_.ForgetCalls();
    Dispatch(command_buffer, graph, scratch, 1, relay_);
    std::vector<DriverCall> calls(driver_.calls().begin(), driver_.calls().end());
    std::erase_if(calls, [](const DriverCall& call) { return call.name.find("Label") != std::string::npos; });
    TRELLIS_CALL(device_, CmdEndRendering)(command_buffer);
    EXPECT_EQ(TRELLIS_CALL(device_, EndCommandBuffer)(command_buffer), VK_SUCCESS);
    return calls;
  }
  static std::vector<std::string> NamesOf(const std::vector<DriverCall>& calls) {
    std::vector<std::string> names;
    for (const DriverCall& call : calls) names.push_back(call.name);
    return names;
  }

  uint32_t relay_ = 0;
};

constexpr VkPipelineStageFlags kComputeWork = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
constexpr VkPipelineStageFlags kMesh = VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT;
constexpr VkPipelineStageFlags kFramebuffer =
    VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
    VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;

// The region's counters are the draw's arguments, and executions prepare regions for one another: the relay is all that
// is between the instance's parts. Of the two draws, one is empty.
TEST_F(MeshDrawCommands, static_grids_are_drawn_from_their_region) {
  const VkPipeline graph = MakeRelayGraph(kStaticTilesNode);
  const Scratch scratch(device_);
  const std::vector<DriverCall> calls = CallsOfDispatch(graph, scratch);
  ASSERT_THAT(NamesOf(calls), ElementsAre("CmdEndRendering", "CmdPipelineBarrier",  // behind the dispatch before
                                          "CmdBindPipeline", "CmdPushConstants", "CmdDispatch",  // regions
                                          "CmdBindPipeline", "CmdPushConstants", "CmdDispatch",  // the relay
                                          "CmdPipelineBarrier",                                  //
                                          "CmdBindPipeline", "CmdPushConstants", "CmdDispatch",  // losses
                                          "CmdBeginRendering", "CmdBindPipeline",                //
                                          "CmdPushConstants", "CmdDrawMeshTasksIndirectEXT",     //
                                          "CmdPushConstants", "CmdDrawMeshTasksIndirectEXT"));
  EXPECT_EQ(calls[1].dynamic_offsets[0], kComputeWork | kMesh) << "draws have read scratch and the ring";
  EXPECT_EQ(calls[1].dynamic_offsets[1], kComputeWork);
  EXPECT_EQ(calls[8].dynamic_offsets[0], kComputeWork | kFramebuffer);
  EXPECT_EQ(calls[8].dynamic_offsets[1], VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | kMesh | kComputeWork | kFramebuffer);
  EXPECT_EQ(calls[8].dynamic_offsets[3] & VK_ACCESS_INDIRECT_COMMAND_READ_BIT, VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
  EXPECT_EQ(calls[13].bind_point, kGraphics);
  for (const size_t draw : {14, 16}) {
    EXPECT_EQ(calls[draw].stages, kDrawn);
    EXPECT_THAT(calls[draw + 1].dynamic_offsets, ElementsAre(1u)) << "one draw";
  }
}

// Grids from records need a kernel. A draw behind the last level waits for no other launches.
TEST_F(MeshDrawCommands, grids_of_records_are_sized_before_the_draws) {
  const VkPipeline graph = MakeRelayGraph(kTilesNode);
  const Scratch scratch(device_);
  const std::vector<DriverCall> calls = CallsOfDispatch(graph, scratch);
  std::vector<std::string> names = NamesOf(calls);
  const auto second_part = std::find(names.begin(), names.end(), "CmdBeginRendering");
  EXPECT_THAT(std::vector<std::string>(names.begin(), second_part),
              ElementsAre("CmdEndRendering", "CmdPipelineBarrier",                 // behind the dispatch before
                          "CmdBindPipeline", "CmdPushConstants", "CmdDispatch",    // regions
                          "CmdBindPipeline", "CmdPushConstants", "CmdDispatch",    // the relay
                          "CmdPipelineBarrier",                                    //
                          "CmdBindPipeline", "CmdPushConstants", "CmdDispatch",    // close
                          "CmdPipelineBarrier",                                    //
                          "CmdBindPipeline", "CmdPushConstants", "CmdDispatch"));  // losses
  ASSERT_GE(names.end() - second_part, 4);
  EXPECT_EQ(second_part[1], "CmdBindPipeline") << "once for all draws of the launch";
  const auto draws = std::count(second_part, names.end(), "CmdDrawMeshTasksIndirectEXT");
  EXPECT_EQ(std::count(second_part, names.end(), "CmdPushConstants"), draws);
  EXPECT_EQ(names.end() - second_part, 2 + 2 * draws);
}

}  // namespace
}  // namespace trellis::test
