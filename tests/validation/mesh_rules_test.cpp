// SPDX-License-Identifier: Apache-2.0
// Rules about mesh nodes.
#include <gmock/gmock.h>

#include "tests/layer/entry/mesh_graph_fixture.h"
#include "tests/layer/fake_driver/messenger.h"
#include "tests/validation/world.h"

namespace trellis::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MeshRules : public MeshGraph {
 protected:
  MeshRules() : MeshGraph({.validate = true}) {}

  // The names of the rules that were broken since the last call.
  std::vector<std::string> TakeRules() { return std::exchange(rules_, {}); }

  // A graph of one node for dynamic rendering.
  VkPipeline GraphFor(uint32_t view_mask, uint32_t color_attachments) {
    auto rendering = MakeStruct<VkPipelineRenderingCreateInfo>();
    rendering.viewMask = view_mask;
    rendering.colorAttachmentCount = color_attachments;
    VkPipeline node = VK_NULL_HANDLE;
    EXPECT_EQ(MakeNode(layout_, node, {}, nullptr,
                       [&](VkGraphicsPipelineCreateInfo& info) {
                         rendering.pNext = info.pNext;
                         info.pNext = &rendering;
                       }),
              VK_SUCCESS);
    return MakeGraph({node});
  }

  // What `begin` and a dispatch in its instance break.
  template <typename BeginInstance>
  std::vector<std::string> RulesOfDispatch(VkPipeline graph, BeginInstance&& begin) {
    const Scratch scratch(device_);
    const VkCommandBuffer command_buffer = device_.Begin();
    begin(command_buffer);
    TakeRules();
    Dispatch(command_buffer, graph, scratch);
    return TakeRules();
  }

 private:
  std::vector<std::string> rules_;
  Messenger messenger_{instance_,
                       [this](const HeardMessage& message) { rules_.emplace_back(message.data.pMessageIdName); },
                       VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT};
};

constexpr const char* kCompatible = "VUID-vkCmdDispatchGraphAMDX-None-10195";

TEST_F(MeshRules, TheInstanceFitsTheNodes) {
  const VkPipeline graph = GraphFor(0, 2);
  const auto rules = [&](uint32_t view_mask, uint32_t color_attachments) {
    return RulesOfDispatch(
        graph, [&](VkCommandBuffer command_buffer) { BeginRendering(command_buffer, view_mask, color_attachments); });
  };
  EXPECT_THAT(rules(0, 2), IsEmpty());
  EXPECT_THAT(rules(1, 2), ElementsAre(kCompatible));
  EXPECT_THAT(rules(0, 1), ElementsAre(kCompatible));
  const auto begin_render_pass = [&](VkCommandBuffer command_buffer) {
    const auto begin = MakeStruct<VkRenderPassBeginInfo>();
    TRELLIS_CALL(device_, CmdBeginRenderPass)(command_buffer, &begin, VK_SUBPASS_CONTENTS_INLINE);
  };
  EXPECT_THAT(RulesOfDispatch(graph, begin_render_pass), ElementsAre(kCompatible));

  VkPipeline node = VK_NULL_HANDLE;
  ASSERT_EQ(MakeNode(layout_, node, {}, nullptr,
                     [](VkGraphicsPipelineCreateInfo& info) { info.renderPass = HandleFromU64<VkRenderPass>(0x10); }),
            VK_SUCCESS);
  const VkPipeline of_object = MakeGraph({node});
  EXPECT_THAT(RulesOfDispatch(of_object, begin_render_pass), IsEmpty());
  EXPECT_THAT(RulesOfDispatch(of_object, [this](VkCommandBuffer command_buffer) { BeginRendering(command_buffer); }),
              ElementsAre(kCompatible));
}

// The node's block ends at byte 16, with launch data behind it.
TEST_F(MeshRules, PushConstantBlocksLieInTheRangeOfTheirStage) {
  VkPipeline nodes[2] = {};
  ASSERT_EQ(MakeNode(MakeLayout(16), nodes[0]), VK_SUCCESS);
  ASSERT_EQ(MakeNode(MakeLayout(12), nodes[1]), VK_SUCCESS);
  layout_ = MakeLayout(16);
  MakeGraph({nodes[0]});
  EXPECT_THAT(TakeRules(), IsEmpty());
  layout_ = MakeLayout(12);
  MakeGraph({nodes[1]});
  EXPECT_THAT(TakeRules(), ElementsAre("VUID-VkExecutionGraphPipelineCreateInfoAMDX-layout-10069"));
}

TEST_F(MeshRules, NodesOfAGraphHaveTheSameDynamicStates) {
  constexpr const char* kStates = "TRELLIS-mesh-node-states";
  VkPipeline nodes[4] = {};
  const std::vector<VkDynamicState> both = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  ASSERT_EQ(MakeNode(layout_, nodes[0], both, "first"), VK_SUCCESS);
  ASSERT_EQ(MakeNode(layout_, nodes[1], {both[1], both[0]}, "second"), VK_SUCCESS);
  ASSERT_EQ(MakeNode(layout_, nodes[2], {both[0]}, "third"), VK_SUCCESS);
  ASSERT_EQ(MakeNode(layout_, nodes[3], {}, "fourth"), VK_SUCCESS);
  MakeGraph({nodes[0], nodes[1]});
  EXPECT_THAT(TakeRules(), IsEmpty());
  MakeGraph({nodes[0], nodes[2]});
  EXPECT_THAT(TakeRules(), ElementsAre(kStates));
  MakeGraph({nodes[0], nodes[1], nodes[2], nodes[3]});
  EXPECT_THAT(TakeRules(), ElementsAre(kStates)) << "once for a graph";
}

}  // namespace
}  // namespace trellis::test
