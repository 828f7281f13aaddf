// SPDX-License-Identifier: Apache-2.0
// Dynamic state of the application around mesh nodes, against pictures that the CPU paints.
#include <algorithm>
#include <cstring>

#include "test_nodes/tiles.h"
#include "tests/gpu/mesh_nodes.h"
#include "tests/plain_frag_spv.h"
#include "tests/plain_vert_spv.h"
#include "tests/tiles_frag_spv.h"

namespace trellis::test {
namespace {

// The rectangle of a viewport's coordinates, as two triangles.
std::vector<Vertex> Rectangle(float x, float y, float width, float height, uint32_t value, bool clockwise) {
  const Vertex a = {x, y, value}, b = {x + width, y, value}, c = {x, y + height, value},
               d = {x + width, y + height, value};
  return clockwise ? std::vector<Vertex>{a, b, c, b, d, c} : std::vector<Vertex>{a, c, b, b, c, d};
}

class MeshNodeState : public MeshNodeTest {
 protected:
  // The application's pipeline. It adds what lies in its buffer to the value of each vertex.
  void MakeOwn(const std::function<void(ColorState&)>& edit) {
    own_ = std::make_unique<Pipeline>(context());
    own_->MakeGraphics(kPlainVertSpv, kPlainFragSpv, layout().handle(), edit);
    vertices_ = GuardedBuffer(context(), 4096, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  }
  void BindOwn(VkCommandBuffer command_buffer, const std::vector<Vertex>& vertices) {
    std::memcpy(vertices_.words().data(), vertices.data(), vertices.size() * sizeof(Vertex));
    const VkBuffer buffer = vertices_.handle();
    const VkDeviceSize offset = vertices_.offset();
    vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_GRAPHICS, own_->handle());
    vkCmdBindVertexBuffers(command_buffer, 0, 1, &buffer, &offset);
    vkCmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_GRAPHICS, layout().handle(), 0, 1,
                            sets().sets().data(), 0, nullptr);
  }
  void TearDown() override {
    own_.reset();
    vertices_ = {};
    MeshNodeTest::TearDown();
  }

  // All that a mesh node may have statically, different from what the application sets below.
  static void AllStatic(ColorState& state) {
    static const VkViewport viewport = {0, 0, kSide, kSide, 0, 1};
    static const VkRect2D scissor = {{0, 0}, {kSide, kSide}};
    state.viewport.pViewports = &viewport;
    state.viewport.pScissors = &scissor;
    state.raster.cullMode = VK_CULL_MODE_NONE;
    state.SetDynamic({});
  }

 private:
  std::unique_ptr<Pipeline> own_;
  GuardedBuffer vertices_;
};

constexpr VkViewport kRightHalf = {32, 0, 32, 64, 0, 1};
constexpr VkRect2D kTopScissor = {{0, 0}, {64, 48}};
constexpr VkRect2D kRightScissor = {{32, 0}, {32, 64}};

// Viewport, scissor and culling are the application's again after a node that holds them all.
TEST_F(MeshNodeState, StaticNodesLeaveItAsItWas) {
  Link({{.mesh = kTilesNode, .fragment = kTilesFragSpv, .edit = AllStatic}});
  MakeOwn([](ColorState& state) {
    state.SetDynamic(
        {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR, VK_DYNAMIC_STATE_CULL_MODE, VK_DYNAMIC_STATE_FRONT_FACE});
  });
  // Of each pair the second one is culled.
  std::vector<Vertex> vertices;
  for (const auto& [y, value] : {std::pair(-1.0f, 100u), std::pair(0.0f, 200u)})
    for (const bool clockwise : {true, false}) {
      const std::vector<Vertex> rectangle = Rectangle(clockwise ? -1.0f : 0.0f, y, 1, 1, value, clockwise);
      vertices.insert(vertices.end(), rectangle.begin(), rectangle.end());
    }
  const std::vector<Tiles> records = {{{2, 2}, {28, 28}, {4, 4}, {4, 4}, 70, 0}};
  Render([&](VkCommandBuffer command_buffer) {
    BindOwn(command_buffer, vertices);
    BindGraph(command_buffer, 1000);
    vkCmdSetViewport(command_buffer, 0, 1, &kRightHalf);
    vkCmdSetScissor(command_buffer, 0, 1, &kTopScissor);
    vkCmdSetCullMode(command_buffer, VK_CULL_MODE_BACK_BIT);
    vkCmdSetFrontFace(command_buffer, VK_FRONT_FACE_CLOCKWISE);
    vkCmdDraw(command_buffer, 12, 1, 0, 0);
    Dispatch(command_buffer, {InputOf("main", records)});
    vkCmdDraw(command_buffer, 12, 1, 12, 0);
  });
  Painting painting;
  painting.PaintRectangle(32, 0, 16, 32, 100 + 1000);
  painting.Paint(records[0], 1000);
  painting.PaintRectangle(32, 32, 16, 16, 200 + 1000);
  Expect(painting, {4});
}

// Nodes with the number of viewports in the application's hands are drawn with it, whatever node came before.
TEST_F(MeshNodeState, DynamicNodesFollowStaticOnes) {
  context().messages.Expect("TRELLIS-mesh-node-states");  // with the setting `validate`
  constexpr auto kDynamic = [](ColorState& state) {
    state.viewport.viewportCount = state.viewport.scissorCount = 0;
    state.SetDynamic({VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT});
  };
  Link({{.mesh = kTilesNode, .fragment = kTilesFragSpv, .name = "static", .edit = AllStatic},
        {.mesh = kTilesNode, .fragment = kTilesFragSpv, .name = "dynamic", .edit = kDynamic}});
  const std::vector<Tiles> first = {{{1, 1}, {0, 0}, {1, 1}, {20, 20}, 5, 0}};
  const std::vector<Tiles> second = {{{1, 1}, {16, 16}, {1, 1}, {16, 40}, 6, 1}};
  MakeOwn(kDynamic);
  Render([&](VkCommandBuffer command_buffer) {
    BindOwn(command_buffer, Rectangle(0, 0.5, 1, 0.5, 300, true));
    BindGraph(command_buffer);
    vkCmdSetViewportWithCount(command_buffer, 1, &kRightHalf);
    vkCmdSetScissorWithCount(command_buffer, 1, &kTopScissor);
    Dispatch(command_buffer, {InputOf("static", first), InputOf("dynamic", second), InputOf("static", first)});
    vkCmdSetScissorWithCount(command_buffer, 1, &kRightScissor);
    vkCmdDraw(command_buffer, 6, 1, 0, 0);
  });
  Painting painting;
  painting.Paint(first[0]);
  painting.PaintRectangle(40, 16, 8, 32, 6);  // half as wide, and cut at row 48
  painting.PaintRectangle(48, 48, 16, 16, 300);
  Expect(painting, {2, 1});
}

// Each dispatch is drawn with the state of its place in the recording: four of them on one scratch buffer, one behind
// the other, and a second time.
TEST_F(MeshNodeState, EachDispatchTakesTheStateOfItsPlace) {
  Link({{.mesh = kTilesNode, .fragment = kTilesFragSpv}});
  const std::vector<Tiles> records = {{{2, 1}, {0, 0}, {32, 0}, {32, 64}, 10, 0}};
  Painting painting;
  Render([&](VkCommandBuffer command_buffer) {
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t x = i % 4 * 16, y = i / 4 * 32;
      const VkViewport viewport = {float(x), float(y), 16, 32, 0, 1};
      const VkRect2D scissor = {{int32_t(x), int32_t(y)}, {8 + 2 * i, 32 - i}};
      vkCmdSetViewport(command_buffer, 0, 1, &viewport);
      vkCmdSetScissor(command_buffer, 0, 1, &scissor);
      if (i % 4 == 0) BindGraph(command_buffer, 100 * (i + 1));
      Dispatch(command_buffer, {InputOf("main", records)});
      const uint32_t value = 10 + 100 * (i / 4 * 4 + 1);
      painting.PaintRectangle(x, y, 8, 32 - i, value);
      painting.PaintRectangle(x + 8, y, std::min(2 * i, 8u), 32 - i, value + 1);
    }
  });
  Expect(painting, {16});
}

}  // namespace
}  // namespace trellis::test
