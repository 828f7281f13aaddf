// SPDX-License-Identifier: Apache-2.0
// Mesh nodes under conditional rendering and in occlusion queries, and without attachments.
#include <algorithm>

#include "test_nodes/tiles.h"
#include "tests/gpu/mesh_nodes.h"
#include "tests/tiles_frag_spv.h"

namespace trellis::test {
namespace {

const std::vector<Tiles> kQueriedRecords = {{{3, 2}, {0, 0}, {8, 8}, {5, 7}, 100, 0},
                                            {{1, 1}, {40, 40}, {1, 1}, {9, 3}, 200, 1}};
const std::vector<uint32_t> kCounts = {6, 1};
constexpr uint32_t kPixels = 6 * 5 * 7 + 9 * 3;

class MeshNodeQueries : public MeshNodeTest {
 protected:
  Painting Painted() {
    Painting painting;
    for (const Tiles& tiles : kQueriedRecords) painting.Paint(tiles);
    return painting;
  }
  void DispatchRecords(VkCommandBuffer command_buffer) {
    BindGraph(command_buffer);
    Dispatch(command_buffer, {InputOf("main", kQueriedRecords)});
  }
};

enum class Place { kInside, kOutside };

// The predicate decides over the draws of mesh nodes, wherever it begins.
TEST_F(MeshNodeQueries, ConditionalRendering) {
  if (!context().optional.CmdBeginConditionalRendering) GTEST_SKIP() << "no VK_EXT_conditional_rendering";
  Link({{kTilesNode, kTilesFragSpv}});
  const Buffer predicate(context(), 64, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
  auto info = MakeStruct<VkConditionalRenderingBeginInfoEXT>();
  info.buffer = predicate.handle();
  const Buffer copied(context(), size_t{kSide} * kSide * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  for (const Place place : {Place::kInside, Place::kOutside})
    for (const uint32_t value : {0u, 1u}) {
      SCOPED_TRACE(testing::Message() << (place == Place::kInside ? "inside, " : "outside, ") << value);
      predicate.words()[0] = value;
      words().words()[0] = words().words()[1] = 0;
      Commands commands(context());
      const VkCommandBuffer command_buffer = commands.Begin();
      if (place == Place::kOutside) context().optional.CmdBeginConditionalRendering(command_buffer, &info);
      image().BeginRendering(command_buffer);
      SetViewport(command_buffer);
      if (place == Place::kInside) context().optional.CmdBeginConditionalRendering(command_buffer, &info);
      DispatchRecords(command_buffer);
      if (place == Place::kInside) context().optional.CmdEndConditionalRendering(command_buffer);
      image().EndRendering(command_buffer);
      if (place == Place::kOutside) context().optional.CmdEndConditionalRendering(command_buffer);
      image().CopyTo(command_buffer, copied.handle());
      ASSERT_EQ(commands.End(), VK_SUCCESS);
      ASSERT_EQ(commands.Submit(), VK_SUCCESS);
      const Painting expected = value ? Painted() : Painting();
      EXPECT_TRUE(std::equal(expected.pixels().begin(), expected.pixels().end(), copied.words().begin()));
      EXPECT_EQ(words().words()[0], value ? kCounts[0] : 0);
      EXPECT_EQ(words().words()[1], value ? kCounts[1] : 0);
    }
}

// Samples that pass, with the query around the instance, and around the dispatch inside of it.
TEST_F(MeshNodeQueries, Occlusion) {
  if (!context().features.precise_occlusion_queries) GTEST_SKIP() << "occlusion queries are not precise";
  Link({{kTilesNode, kTilesFragSpv}});
  auto info = MakeStruct<VkQueryPoolCreateInfo>();
  info.queryType = VK_QUERY_TYPE_OCCLUSION;
  info.queryCount = 1;
  for (const Place place : {Place::kInside, Place::kOutside}) {
    VkQueryPool pool = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateQueryPool(context().device, &info, nullptr, &pool), VK_SUCCESS);
    Commands commands(context());
    const VkCommandBuffer command_buffer = commands.Begin();
    vkCmdResetQueryPool(command_buffer, pool, 0, 1);
    if (place == Place::kOutside) vkCmdBeginQuery(command_buffer, pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    image().BeginRendering(command_buffer);
    SetViewport(command_buffer);
    if (place == Place::kInside) vkCmdBeginQuery(command_buffer, pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    DispatchRecords(command_buffer);
    if (place == Place::kInside) vkCmdEndQuery(command_buffer, pool, 0);
    image().EndRendering(command_buffer);
    if (place == Place::kOutside) vkCmdEndQuery(command_buffer, pool, 0);
    ASSERT_EQ(commands.End(), VK_SUCCESS);
    ASSERT_EQ(commands.Submit(), VK_SUCCESS);
    uint32_t passed = 0;
    EXPECT_EQ(vkGetQueryPoolResults(context().device, pool, 0, 1, sizeof(passed), &passed, sizeof(passed),
                                    VK_QUERY_RESULT_WAIT_BIT),
              VK_SUCCESS);
    EXPECT_EQ(passed, kPixels);
    vkDestroyQueryPool(context().device, pool, nullptr);
  }
}

// Without a fragment shader too: workgroups run all the same, and are counted.
TEST_F(MeshNodeQueries, NoAttachments) {
  Link({{.mesh = kTilesNode, .fragment = {}, .edit = [](ColorState& state) {
           state.rendering.colorAttachmentCount = 0;
           state.blend.attachmentCount = 0;
         }}});
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  auto info = MakeStruct<VkRenderingInfo>();
  info.renderArea.extent = {kSide, kSide};
  info.layerCount = 1;
  vkCmdBeginRendering(command_buffer, &info);
  SetViewport(command_buffer);
  DispatchRecords(command_buffer);
  vkCmdEndRendering(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_EQ(words().words()[0], kCounts[0]);
  EXPECT_EQ(words().words()[1], kCounts[1]);
}

}  // namespace
}  // namespace trellis::test
