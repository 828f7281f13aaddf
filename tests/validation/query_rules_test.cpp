// SPDX-License-Identifier: Apache-2.0
// The two queries about graphs.
#include <gtest/gtest.h>

#include "tests/validation/world.h"

namespace trellis::test {
namespace {

TEST(QueryRules, TypeOfTheScratchSize) {
  const auto program = [](VkStructureType type) {
    return [type](World& world) {
      const VkPipeline graph = world.Create(world.ChainInfo());
      VkExecutionGraphPipelineScratchSizeAMDX size = {};
      size.sType = type;
      EXPECT_EQ(
          TRELLIS_CALL(world.device(), GetExecutionGraphPipelineScratchSizeAMDX)(world.device().handle(), graph, &size),
          VK_SUCCESS);
    };
  };
  ExpectFinding("VUID-VkExecutionGraphPipelineScratchSizeAMDX-sType-sType",
                program(VK_STRUCTURE_TYPE_APPLICATION_INFO));
  ExpectNoFinding(program(VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX));
}

VkResult Ask(World& world, VkPipeline graph, VkPipelineShaderStageNodeCreateInfoAMDX node) {
  uint32_t index = 0;
  return TRELLIS_CALL(world.device(), GetExecutionGraphPipelineNodeIndexAMDX)(world.device().handle(), graph, &node,
                                                                              &index);
}

TEST(QueryRules, TypeOfTheNode) {
  const auto program = [](VkStructureType type) {
    return [type](World& world) {
      const VkPipelineShaderStageNodeCreateInfoAMDX node = {type, nullptr, "Grid", 0};
      EXPECT_EQ(Ask(world, world.Create(world.ChainInfo()), node), VK_SUCCESS);
    };
  };
  ExpectFinding("VUID-VkPipelineShaderStageNodeCreateInfoAMDX-sType-sType",
                program(VK_STRUCTURE_TYPE_APPLICATION_INFO));
  ExpectNoFinding(program(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX));
}

// Whatever the setting.
TEST(QueryRules, NodesThatCannotBeAreErrorsAlways) {
  for (const bool validate : {false, true}) {
    World world(validate, {});
    const VkPipeline graph = world.Create(world.ChainInfo());
    auto node = MakeStruct<VkPipelineShaderStageNodeCreateInfoAMDX>();
    EXPECT_NE(Ask(world, graph, node), VK_SUCCESS) << "no name";
    node.pName = "Grid";
    EXPECT_EQ(Ask(world, graph, node), VK_SUCCESS);
    EXPECT_NE(Ask(world, HandleFromU64<VkPipeline>(0x777), node), VK_SUCCESS) << "not a graph";
    node.index = VK_SHADER_INDEX_UNUSED_AMDX;
    EXPECT_NE(Ask(world, graph, node), VK_SUCCESS) << "no index";
    node.index = 1;
    EXPECT_NE(Ask(world, graph, node), VK_SUCCESS) << "no such node";
    EXPECT_TRUE(world.vuids.empty());
  }
}

}  // namespace
}  // namespace trellis::test
