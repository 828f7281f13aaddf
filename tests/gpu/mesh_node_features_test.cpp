// SPDX-License-Identifier: Apache-2.0
// Mesh nodes with features of devices that not all mesh shaders have: multiview, clip distances, lines, statistics.
#include <algorithm>
#include <vector>

#include "test_nodes/clipped_tiles.h"
#include "test_nodes/lines.h"
#include "test_nodes/relay.h"
#include "test_nodes/tiles.h"
#include "test_nodes/tiles_in_views.h"
#include "tests/gpu/mesh_draws.h"
#include "tests/tiles_frag_spv.h"

namespace trellis::test {
namespace {

// The application asks for mesh shaders of its own, with all that the device has.
class MeshNodeFeatures : public MeshDraws {
 protected:
  void SetUp() override {
    const Context* shared = SharedContext();
    ASSERT_NE(shared, nullptr) << SharedContextError();
    if (!HasExtension(shared->physical_device, VK_EXT_MESH_SHADER_EXTENSION_NAME)) GTEST_SKIP() << "no mesh shaders";
    auto supported = MakeStruct<VkPhysicalDeviceFeatures2>(&mesh_);
    vkGetPhysicalDeviceFeatures2(shared->physical_device, &supported);
    mesh_.primitiveFragmentShadingRateMeshShader = VK_FALSE;  // goes with another feature
    mesh_.multiviewMeshShader &= multiview_.multiview;
    MeshDraws::SetUp();
  }
  [[nodiscard]] ContextOptions Options() const override {
    ContextOptions options = MeshDraws::Options();
    options.extensions.push_back(VK_EXT_MESH_SHADER_EXTENSION_NAME);
    options.feature_chain = const_cast<VkPhysicalDeviceMeshShaderFeaturesEXT*>(&mesh_);
    return options;
  }
  [[nodiscard]] const VkPhysicalDeviceMeshShaderFeaturesEXT& mesh() const { return mesh_; }

 private:
  VkPhysicalDeviceMultiviewFeatures multiview_ = MakeStruct<VkPhysicalDeviceMultiviewFeatures>();
  VkPhysicalDeviceMeshShaderFeaturesEXT mesh_ = MakeStruct<VkPhysicalDeviceMeshShaderFeaturesEXT>(&multiview_);
};

const std::vector<Tiles> kFeatureRecords = {{{3, 2}, {0, 0}, {8, 8}, {6, 7}, 100, 0},
                                            {{1, 1}, {40, 40}, {1, 1}, {8, 3}, 200, 1}};
constexpr uint32_t kWorkgroups = 3 * 2 + 1;

// In place, and behind compute work, for which the instance is split.
TEST_F(MeshNodeFeatures, Multiview) {
  if (mesh().multiviewMeshShader == VK_FALSE) GTEST_SKIP() << "no multiviewMeshShader";
  constexpr uint32_t kViews = 2;
  Link({{.mesh = kTilesInViewsNode,
         .fragment = kTilesFragSpv,
         .name = "tiles",
         .edit = [](ColorState& state) { state.rendering.viewMask = (1u << kViews) - 1; }}},
       {ComputeNode(kRelayNode, "relay")});
  ColorImage views(context(), {kSide, kSide}, kViews);
  const Buffer copied(context(), size_t{kViews} * kSide * kSide * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  std::vector<Order> orders = Columns(8, 2);
  for (Order& order : orders) order.tiles.corner[0] += 24;
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  RecordScratchInitialization(context(), command_buffer, graph(), scratch());
  views.BeginRendering(command_buffer, (1u << kViews) - 1);
  SetViewport(command_buffer);
  BindGraph(command_buffer);
  Dispatch(command_buffer, {InputOf("tiles", kFeatureRecords)});
  Dispatch(command_buffer, {OrdersFor("relay", orders)});
  views.EndRendering(command_buffer);
  views.CopyTo(command_buffer, copied.handle());
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  for (uint32_t view = 0; view < kViews; ++view) {
    Painting painting;
    const uint32_t added = 100'000 * view;
    for (const Tiles& tiles : kFeatureRecords) painting.Paint(tiles, added);
    for (const Order& order : orders)
      for (uint32_t i = 0; i < order.count; ++i) painting.Paint(TilesOf(order, i), added);
    for (uint32_t i = 0; i < kSide * kSide; ++i)
      ASSERT_EQ(copied.words()[view * kSide * kSide + i], painting.pixels()[i])
          << "view " << view << ", pixel " << i % kSide << ", " << i / kSide;
  }
  EXPECT_TRUE(scratch().GuardsIntact());
}

TEST_F(MeshNodeFeatures, ClipDistances) {
  if (!context().features.clip_distance) GTEST_SKIP() << "no shaderClipDistance";
  Link({{kClippedTilesNode, kTilesFragSpv}});
  Draw({InputOf("main", kFeatureRecords)});
  for (Tiles tiles : kFeatureRecords) {
    tiles.size[0] /= 2;
    Add(tiles);
  }
  ExpectAll();
}

// The payload of shaders/lines.mesh.
struct Lines {
  uint32_t corner[2];
  uint32_t length;
  uint32_t value;
};

TEST_F(MeshNodeFeatures, Lines) {
  Link({{kLinesNode, kTilesFragSpv}});
  const std::vector<Lines> lines = {{{0, 0}, 1, 1}, {{2, 5}, 17, 100}, {{30, 20}, 33, 200}};
  Draw({InputOfRecords("main", lines)});
  for (const Lines& each : lines) {
    painting_.PaintRectangle(each.corner[0], each.corner[1], each.length, 1, each.value);
    painting_.PaintRectangle(each.corner[0], each.corner[1] + 1, 1, each.length, each.value + 1);
  }
  ExpectAll();
}

// What the queries count is what the workgroups are that the payloads ask for, and no more.
TEST_F(MeshNodeFeatures, Statistics) {
  if (mesh().meshShaderQueries == VK_FALSE) GTEST_SKIP() << "no meshShaderQueries";
  if (!context().features.pipeline_statistics) GTEST_SKIP() << "no pipelineStatisticsQuery";
  Link({{kTilesNode, kTilesFragSpv}});
  struct Counted {
    VkQueryType type;
    VkQueryPipelineStatisticFlags statistics;
    uint32_t a_workgroup;
  };
  for (const Counted& counted :
       {Counted{VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT, 0, 2},
        Counted{VK_QUERY_TYPE_PIPELINE_STATISTICS, VK_QUERY_PIPELINE_STATISTIC_MESH_SHADER_INVOCATIONS_BIT_EXT, 4}}) {
    auto info = MakeStruct<VkQueryPoolCreateInfo>();
    info.queryType = counted.type;
    info.queryCount = 1;
    info.pipelineStatistics = counted.statistics;
    VkQueryPool pool = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateQueryPool(context().device, &info, nullptr, &pool), VK_SUCCESS);
    Commands commands(context());
    const VkCommandBuffer command_buffer = commands.Begin();
    vkCmdResetQueryPool(command_buffer, pool, 0, 1);
    image().BeginRendering(command_buffer);
    SetViewport(command_buffer);
    vkCmdBeginQuery(command_buffer, pool, 0, 0);
    BindGraph(command_buffer);
    Dispatch(command_buffer, {InputOf("main", kFeatureRecords)});
    vkCmdEndQuery(command_buffer, pool, 0);
    image().EndRendering(command_buffer);
    ASSERT_EQ(commands.End(), VK_SUCCESS);
    ASSERT_EQ(commands.Submit(), VK_SUCCESS);
    uint32_t count = 0;
    EXPECT_EQ(vkGetQueryPoolResults(context().device, pool, 0, 1, sizeof(count), &count, sizeof(count),
                                    VK_QUERY_RESULT_WAIT_BIT),
              VK_SUCCESS);
    EXPECT_EQ(count, kWorkgroups * counted.a_workgroup) << "query type " << counted.type;
    vkDestroyQueryPool(context().device, pool, nullptr);
  }
}

}  // namespace
}  // namespace trellis::test
