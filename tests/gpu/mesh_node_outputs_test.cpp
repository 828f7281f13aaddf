// SPDX-License-Identifier: Apache-2.0
// What mesh nodes give to rasterisation and to fragment shaders: interface, built-ins, as many vertices as may be.
#include "test_nodes/column_1_4.h"
#include "test_nodes/column_2_3.h"
#include "test_nodes/column_4_1.h"
#include "test_nodes/panels.h"
#include "test_nodes/points.h"
#include "tests/gpu/mesh_nodes.h"
#include "tests/panels_frag_spv.h"
#include "tests/panels_in_viewports_frag_spv.h"
#include "tests/tiles_frag_spv.h"

namespace trellis::test {
namespace {

// The payload of shaders/panels.mesh.
struct Panel {
  uint32_t corner[2];
  uint32_t size[2];
  uint32_t value;
  uint32_t layer;
  uint32_t viewport;
  uint32_t culled;
};

// The rectangles of a panel that are not culled. Coordinates are halved for `viewport`s of half the size.
void PaintPanel(const Panel& panel, Painting& painting, uint32_t scale = 1, uint32_t left = 0, uint32_t top = 0) {
  for (uint32_t side = 0; side < 2; ++side)
    if (!(panel.culled & 1u << side))
      painting.PaintRectangle(left + (panel.corner[0] + side * panel.size[0]) / scale, top + panel.corner[1] / scale,
                              panel.size[0] / scale, panel.size[1] / scale, panel.value + 1000 * side);
}

class MeshNodeOutputs : public MeshNodeTest {
 protected:
  void SetUp() override {
    MeshNodeTest::SetUp();
    if (!HasFatalFailure() && !IsSkipped() && !context().features.geometry)
      GTEST_SKIP() << "no PrimitiveId in fragment shaders";
  }
};

// Outputs of vertices, flat and interpolated, and of primitives; PrimitiveId.
TEST_F(MeshNodeOutputs, OfVerticesAndPrimitives) {
  Link({{kPanelsNode, kPanelsFragSpv}});
  const std::vector<Panel> panels = {
      {{0, 0}, {5, 20}, 7, 0, 0, 0}, {{16, 3}, {24, 10}, 8, 0, 0, 0}, {{1, 30}, {31, 34}, 9, 0, 0, 0}};
  Render([&](VkCommandBuffer command_buffer) {
    BindGraph(command_buffer);
    Dispatch(command_buffer, {InputOfRecords("main", panels)});
  });
  Painting painting;
  for (const Panel& panel : panels) PaintPanel(panel, painting);
  Expect(painting, {});
}

TEST_F(MeshNodeOutputs, CulledPrimitives) {
  Link({{kPanelsNode, kPanelsFragSpv}});
  std::vector<Panel> panels;
  Painting painting;
  for (uint32_t culled = 0; culled < 4; ++culled) {
    panels.push_back({{culled * 16, culled * 8}, {8, 8}, 50 + culled, 0, 0, culled});
    PaintPanel(panels.back(), painting);
  }
  Render([&](VkCommandBuffer command_buffer) {
    BindGraph(command_buffer);
    Dispatch(command_buffer, {InputOfRecords("main", panels)});
  });
  Expect(painting, {});
}

TEST_F(MeshNodeOutputs, Viewports) {
  if (!context().features.multi_viewport) GTEST_SKIP() << "no second viewport";
  Link({{.mesh = kPanelsNode, .fragment = kPanelsInViewportsFragSpv, .edit = [](ColorState& state) {
           state.viewport.viewportCount = state.viewport.scissorCount = 2;
         }}});
  const std::vector<Panel> panels = {{{0, 0}, {32, 32}, 1, 0, 0, 0}, {{16, 8}, {16, 40}, 2, 0, 1, 0}};
  Render([&](VkCommandBuffer command_buffer) {
    const VkViewport viewports[] = {{0, 0, 32, 32, 0, 1}, {32, 32, 32, 32, 0, 1}};
    const VkRect2D scissors[] = {{{0, 0}, {kSide, kSide}}, {{0, 0}, {kSide, kSide}}};
    vkCmdSetViewport(command_buffer, 0, 2, viewports);
    vkCmdSetScissor(command_buffer, 0, 2, scissors);
    BindGraph(command_buffer);
    Dispatch(command_buffer, {InputOfRecords("main", panels)});
  });
  Painting painting;
  PaintPanel(panels[0], painting, 2);
  PaintPanel(panels[1], painting, 2, 32, 32);
  Expect(painting, {});
}

TEST_F(MeshNodeOutputs, Layers) {
  constexpr uint32_t kLayers = 3;
  Link({{kPanelsNode, kPanelsFragSpv}});
  ColorImage layers(context(), {kSide, kSide}, kLayers);
  const Buffer copied(context(), size_t{kLayers} * kSide * kSide * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  std::vector<Panel> panels;
  Painting paintings[kLayers];
  for (uint32_t i = 0; i < 6; ++i) {
    panels.push_back({{i * 3, i * 9}, {6 + i, 9}, 20 + i, i % kLayers, 0, 0});
    PaintPanel(panels.back(), paintings[i % kLayers]);
  }
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  layers.BeginRendering(command_buffer);
  SetViewport(command_buffer);
  BindGraph(command_buffer);
  Dispatch(command_buffer, {InputOfRecords("main", panels)});
  layers.EndRendering(command_buffer);
  layers.CopyTo(command_buffer, copied.handle());
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  for (uint32_t layer = 0; layer < kLayers; ++layer)
    for (uint32_t i = 0; i < kSide * kSide; ++i)
      ASSERT_EQ(copied.words()[layer * kSide * kSide + i], paintings[layer].pixels()[i])
          << "layer " << layer << ", pixel " << i % kSide << ", " << i / kSide;
}

// The payload of shaders/points.mesh and column.mesh.
struct Square {
  uint32_t corner[2];
  uint32_t value;
};

// 256 vertices and 256 primitives of a workgroup, whose values go through its shared memory.
TEST_F(MeshNodeOutputs, AsManyAsEveryImplementationAllows) {
  Link({{kPointsNode, kTilesFragSpv}});
  const std::vector<Square> squares = {{{0, 0}, 1000}, {{17, 5}, 2000}, {{48, 48}, 3000}};
  Render([&](VkCommandBuffer command_buffer) {
    BindGraph(command_buffer);
    Dispatch(command_buffer, {InputOfRecords("main", squares)});
  });
  Painting painting;
  for (const Square& square : squares)
    for (uint32_t i = 0; i < 256; ++i)
      painting.PaintRectangle(square.corner[0] + i % 16, square.corner[1] + i / 16, 1, 1,
                              square.value + 255 - 8 * (i % 32) - i / 32);
  Expect(painting, {});
}

// Workgroups of a single column, whose ids a driver may have wrong (NodeInfo::DistrustsLocalId).
TEST_F(MeshNodeOutputs, IdsInAColumn) {
  struct Column {
    std::span<const uint32_t> node;
    uint32_t y, z;
  };
  for (const Column& column : {Column{kColumnOf1By4Node, 1, 4}, {kColumnOf4By1Node, 4, 1}, {kColumnOf2By3Node, 2, 3}}) {
    SCOPED_TRACE("1 x " + std::to_string(column.y) + " x " + std::to_string(column.z));
    Link({{column.node, kTilesFragSpv}});
    const std::vector<Square> squares = {{{0, 0}, 1}, {{23, 37}, 5'000'000}};
    Render([&](VkCommandBuffer command_buffer) {
      BindGraph(command_buffer);
      Dispatch(command_buffer, {InputOfRecords("main", squares)});
    });
    Painting painting;
    for (const Square& square : squares)
      for (uint32_t group = 0; group < 2 * 3; ++group)
        for (uint32_t point = 0; point < column.y * column.z; ++point) {
          const uint32_t y = point % column.y, z = point / column.y;
          const uint32_t group_x = group % 2, group_z = group / 2;
          painting.PaintRectangle(square.corner[0] + y + group_x * 8, square.corner[1] + z + group_z * 8, 1, 1,
                                  square.value + group_x * 10'000 + y * 100 + group_z * column.z + z);
        }
    Expect(painting, {});
  }
}

}  // namespace
}  // namespace trellis::test
