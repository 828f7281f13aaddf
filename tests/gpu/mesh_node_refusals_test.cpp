// SPDX-License-Identifier: Apache-2.0
// What is refused of mesh nodes, by name.
#include <functional>

#include "test_nodes/tiles.h"
#include "tests/gpu/mesh_nodes.h"
#include "tests/state_vert_spv.h"
#include "tests/tiles_frag_spv.h"

namespace trellis::test {
namespace {

using MeshNodeRefusals = MeshNodeTest;

// Recording ends with an error and one message.
void ExpectRefusal(Context& context, Commands& commands, const char* id, const std::string& words) {
  EXPECT_LT(commands.End(), 0);
  const std::vector<Message> messages = context.messages.Find(id);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].text.find(words), std::string::npos) << messages[0].text;
  context.messages.Clear();
}

TEST_F(MeshNodeRefusals, OutsideOfRenderPasses) {
  constexpr const char* kId = "TRELLIS-graph-dispatch-misuse";
  Link({{kTilesNode, kTilesFragSpv}});
  Commands commands(context());
  context().messages.Expect(kId);
  const VkCommandBuffer command_buffer = commands.Begin();
  BindGraph(command_buffer);
  Dispatch(command_buffer, {InputOf("main", {{{1, 1}, {0, 0}, {1, 1}, {1, 1}, 1, 0}})});
  ExpectRefusal(context(), commands, kId, "VUID-vkCmdDispatchGraphAMDX-None-10195");
}

struct RefusedCreation {
  const char* name;
  const char* message;
  std::function<void(ColorState&)> edit;
};

class MeshNodeCreation : public MeshNodeTest, public testing::WithParamInterface<RefusedCreation> {};

TEST_P(MeshNodeCreation, IsRefused) {
  constexpr const char* kId = "TRELLIS-graph-creation";
  context().messages.Expect(kId);
  const MeshLibrary library(context(), {.mesh = kTilesNode, .fragment = kTilesFragSpv, .edit = GetParam().edit},
                            layout());
  EXPECT_LT(library.result(), 0);
  EXPECT_EQ(library.handle(), VkPipeline{VK_NULL_HANDLE});
  const std::vector<Message> messages = context().messages.Find(kId);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].text.find(GetParam().message), std::string::npos) << messages[0].text;
  context().messages.Clear();
}

// In the flags that ColorState's info points to.
VkPipelineCreateFlags2CreateInfo& FlagsOf(ColorState& state) {
  return *const_cast<VkPipelineCreateFlags2CreateInfo*>(
      static_cast<const VkPipelineCreateFlags2CreateInfo*>(state.info.pNext));
}

VkPipelineShaderStageCreateInfo& StageOf(ColorState& state, uint32_t i) {
  return const_cast<VkPipelineShaderStageCreateInfo&>(state.info.pStages[i]);
}

std::vector<RefusedCreation> RefusedCreations() {
  static auto libraries = MakeStruct<VkPipelineLibraryCreateInfoKHR>();
  static const VkPipeline some_pipeline = VK_NULL_HANDLE;
  libraries.libraryCount = 1;
  libraries.pLibraries = &some_pipeline;
  static auto subsets = MakeStruct<VkGraphicsPipelineLibraryCreateInfoEXT>();
  subsets.flags = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT;
  return {{"NoLibraryFlag", "VUID-VkGraphicsPipelineCreateInfo-pStages-10189",
           [](ColorState& state) { FlagsOf(state).flags &= ~VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR; }},
          {"NoGraphFlag", "VUID-VkGraphicsPipelineCreateInfo-pStages-10189",
           [](ColorState& state) { FlagsOf(state).flags &= ~VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX; }},
          {"VertexShader", "VUID-VkGraphicsPipelineCreateInfo-flags-10190",
           [](ColorState& state) { StageOf(state, 1).stage = VK_SHADER_STAGE_VERTEX_BIT; }},
          {"NoMeshShader", "there is no mesh shader",
           [](ColorState& state) { StageOf(state, 0).stage = VK_SHADER_STAGE_FRAGMENT_BIT; }},
          {"OtherDynamicState", "none of those that a graph dispatch captures",
           [](ColorState& state) { state.dynamic_states[1] = VK_DYNAMIC_STATE_STENCIL_REFERENCE; }},
          {"Libraries", "graphics pipeline libraries are not implemented",
           [](ColorState& state) {
             libraries.pNext = state.info.pNext;
             state.info.pNext = &libraries;
           }},
          {"Subsets", "VUID-VkExecutionGraphPipelineCreateInfoAMDX-pLibraryInfo-10183",
           [](ColorState& state) {
             subsets.pNext = state.info.pNext;
             state.info.pNext = &subsets;
           }},
          {"NoLayout", "there is no pipeline layout", [](ColorState& state) { state.info.layout = VK_NULL_HANDLE; }}};
}

INSTANTIATE_TEST_SUITE_P(Of, MeshNodeCreation, testing::ValuesIn(RefusedCreations()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace trellis::test
