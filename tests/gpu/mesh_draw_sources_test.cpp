// SPDX-License-Identifier: Apache-2.0
// Draws of what other nodes enqueue: in render pass objects, with small rings, and of infos on the device.
#include "test_nodes/count_tiles_sharer.h"
#include "test_nodes/recursive_relay.h"
#include "test_nodes/relay.h"
#include "test_nodes/static_tiles.h"
#include "test_nodes/tiles.h"
#include "test_nodes/tiles_second.h"
#include "test_nodes/writing_tiles.h"
#include "tests/gpu/mesh_draws.h"
#include "tests/gpu/small_ring.h"
#include "tests/tiles_frag_spv.h"

namespace trellis::test {
namespace {

// A render pass with the image alone, and a framebuffer.
class ImagePass {
 public:
  ImagePass(const Context& context, const ColorImage& image) : context_(context) {
    VkAttachmentDescription attachment = {};
    attachment.format = VK_FORMAT_R32_UINT;
    attachment.samples = VK_SAMPLE_COUNT_1_BIT;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    attachment.finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass = {};
    subpass.colorAttachmentCount = 1;
    subpass.pColorAttachments = &reference;
    auto info = MakeStruct<VkRenderPassCreateInfo>();
    info.attachmentCount = 1;
    info.pAttachments = &attachment;
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    EXPECT_EQ(vkCreateRenderPass(context.device, &info, nullptr, &handle_), VK_SUCCESS);
    const VkImageView view = image.view();
    auto framebuffer = MakeStruct<VkFramebufferCreateInfo>();
    framebuffer.renderPass = handle_;
    framebuffer.attachmentCount = 1;
    framebuffer.pAttachments = &view;
    framebuffer.width = framebuffer.height = kSide;
    framebuffer.layers = 1;
    EXPECT_EQ(vkCreateFramebuffer(context.device, &framebuffer, nullptr, &framebuffer_), VK_SUCCESS);
  }
  ~ImagePass() {
    vkDestroyFramebuffer(context_.device, framebuffer_, nullptr);
    vkDestroyRenderPass(context_.device, handle_, nullptr);
  }
  ImagePass(const ImagePass&) = delete;
  ImagePass& operator=(const ImagePass&) = delete;

  [[nodiscard]] VkRenderPass handle() const { return handle_; }
  void Begin(VkCommandBuffer command_buffer) const {
    const VkClearValue clear = {};
    auto info = MakeStruct<VkRenderPassBeginInfo>();
    info.renderPass = handle_;
    info.framebuffer = framebuffer_;
    info.renderArea.extent = {kSide, kSide};
    info.clearValueCount = 1;
    info.pClearValues = &clear;
    vkCmdBeginRenderPass(command_buffer, &info, VK_SUBPASS_CONTENTS_INLINE);
  }

 private:
  const Context& context_;
  VkRenderPass handle_ = VK_NULL_HANDLE;
  VkFramebuffer framebuffer_ = VK_NULL_HANDLE;
};

TEST_F(MeshDraws, RenderPassObjects) {
  const ImagePass pass(context(), image());
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0, pass.handle()}}, {ComputeNode(kRelayNode, "relay")});
  const std::vector<Order> first = Columns(8, 5);
  std::vector<Order> second = first;
  for (Order& order : second) order.tiles.corner[0] += 32;
  const std::vector<Tiles> in_place = {{{2, 2}, {2, 40}, {4, 4}, {3, 3}, 9, 30}};
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  pass.Begin(command_buffer);
  SetViewport(command_buffer);
  BindGraph(command_buffer);
  Dispatch(command_buffer, {InputOf("tiles", in_place)});
  Dispatch(command_buffer, {OrdersFor("relay", first)});
  Dispatch(command_buffer, {OrdersFor("relay", second)});
  vkCmdEndRenderPass(command_buffer);
  CopyPixels(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  Add(in_place[0]);
  Add(first);
  Add(second);
  ExpectAll();
}

// What fits into the ring is drawn, though all of it goes to one node of many, whichever.
TEST_F(MeshDrawsInSmallRings, SkewedPayloadsThatFit) {
  std::vector<MeshNode> nodes;
  for (uint32_t i = 0; i < 128; ++i) nodes.push_back({kTilesNode, kTilesFragSpv, "tiles", i});
  Link(nodes, {ComputeNode(kRelayNode, "relay")});
  const std::vector<Order> orders = Pixels(12'000, 77);
  Draw({OrdersFor("relay", orders)});
  Add(orders);
  ExpectAll();
}

// Many levels, each with a part of the ring.
TEST_F(MeshDrawsInSmallRings, ManyLevels) {
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}}, {ComputeNode(kRecursiveRelayNode, "relay")});
  std::vector<Order> orders;
  for (uint32_t i = 0; i < 64; ++i)
    orders.push_back({.grid = {1 + i % 32, 1},
                      .move = {0, 2},
                      .raise = 1,
                      .tiles = {{1, 1}, {i, 0}, {1, 1}, {1, 1}, 1 + i * 100, i}});
  Draw({OrdersFor("relay", orders)});
  Add(orders);
  ExpectAll();
}

// What does not fit at once is drawn in rounds: each draws what its step enqueues.
TEST_F(MeshDrawsInSmallRings, MorePayloadsThanFit) {
  std::vector<MeshNode> nodes;
  for (uint32_t i = 0; i < 128; ++i) nodes.push_back({kTilesNode, kTilesFragSpv, "tiles", i});
  Link(nodes, {ComputeNode(kRelayNode, "relay")});
  for (const uint32_t node : {0u, 77u}) {
    const std::vector<Order> orders = Pixels(100'000, node);
    Draw({OrdersFor("relay", orders)}, 3);
    painting_ = {};
    counts_.clear();
    Add(orders, 3);
    ExpectAll();
    std::fill(words().words().begin(), words().words().end(), 0);
  }
}

// Grids differ, and many payloads draw nothing.
TEST_F(MeshDrawsInSmallRings, UnevenGridsInRounds) {
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}}, {ComputeNode(kRelayNode, "relay")});
  std::vector<Order> orders = Pixels(64'000, 0);
  // By the row: in which order orders of one row are drawn is open.
  for (Order& order : orders) {
    order.tiles.grid[0] = order.tiles.corner[1] % 3;
    order.tiles.grid[1] = 1 + order.tiles.corner[1] % 2;
  }
  Draw({OrdersFor("relay", orders)});
  Add(orders);
  ExpectAll();
}

// Mesh nodes share the input of one another, compute nodes that of mesh nodes; roots are drawn once.
TEST_F(MeshDrawsInSmallRings, SharersAndRootsInRounds) {
  Link({{kTilesSecondNode, kTilesFragSpv, "below", 0},
        {kTilesNode, kTilesFragSpv, "tiles", 0},
        {kStaticTilesNode, kTilesFragSpv, "static", 0}},
       {ComputeNode(kRelayNode, "relay"), ComputeNode(kCountTilesSharerNode, "sharer")});
  const std::vector<Order> orders = Pixels(50'000, 0, 16);
  const std::vector<Tiles> fixed = {{{3, 2}, {40, 16}, {4, 4}, {3, 3}, 5000, 100}};
  Draw({OrdersFor("relay", orders), InputOf("static", fixed)});
  for (const Order& order : orders)
    for (uint32_t i = 0; i < order.count; ++i) {
      Tiles tiles = TilesOf(order, i);
      Add(tiles);
      Count(tiles.counter + 128, 1);
      tiles.grid[0] = 3;
      tiles.grid[1] = 2;
      tiles.corner[1] += 32;
      Add(tiles);
    }
  Add(fixed[0]);
  ExpectAll();
}

// Each execution, and each dispatch of an execution, begins anew.
TEST_F(MeshDrawsInSmallRings, RoundsOfSeveralDispatchesAgainAndAgain) {
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}, {kWritingTilesNode, kTilesFragSpv, "own", 0}},
       {ComputeNode(kRelayNode, "relay")});
  const std::vector<Order> orders = Pixels(40'000, 0, 32);
  const std::vector<Tiles> own = {{{1, 1}, {40, 33}, {1, 1}, {1, 2}, 5000, 100}};
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  image().BeginRendering(command_buffer);
  SetViewport(command_buffer);
  BindGraph(command_buffer);
  for (int i = 0; i < 2; ++i) Dispatch(command_buffer, {OrdersFor("relay", orders), InputOf("own", own)});
  image().EndRendering(command_buffer);
  CopyPixels(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(commands.Submit(), VK_SUCCESS);
    painting_ = {};
    for (int dispatch = 0; dispatch < 2; ++dispatch) {
      Add(orders);
      Add(own[0]);
    }
    ExpectAll();
  }
}

class MeshDrawsInOneRound : public MeshDrawsInSmallRings {
 protected:
  MeshDrawsInOneRound() : MeshDrawsInSmallRings("1") {}
};

// What is left is reported, with the node and the setting that would help.
TEST_F(MeshDrawsInOneRound, LossesAreReported) {
  constexpr uint32_t kOrders = 2'000;
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}}, {ComputeNode(kRelayNode, "relay")});
  context().messages.Expect(kRecordsLost);
  Draw({OrdersFor("relay", Pixels(kOrders * kSide, 0))});
  uint32_t drawn = 0;
  for (const uint32_t word : words().words()) drawn += word;
  EXPECT_GE(drawn, 10'000u) << "the ring holds more than that";
  // Of the relay, and of what it enqueued in the last step.
  vkDeviceWaitIdle(context().device);
  uint32_t lost = 0;
  for (const Message& message : context().messages.Find(kRecordsLost)) {
    const bool is_relay = message.text.find("for node relay[0] in level 0 ") != std::string::npos;
    EXPECT_TRUE(is_relay || message.text.find("for node tiles[0] in level 1 ") != std::string::npos) << message.text;
    EXPECT_NE(message.text.find("max_rounds"), std::string::npos) << message.text;
    lost += static_cast<uint32_t>(std::stoul(message.text)) * (is_relay ? kSide : 1);
  }
  EXPECT_GT(lost, 0u);
  EXPECT_EQ(drawn + lost, kOrders * kSide);
  context().messages.Clear();
}

class MeshDrawsOfDeviceInfos : public MeshDraws, public testing::WithParamInterface<DispatchCommand> {};

// Mesh nodes are roots, and get records from others.
TEST_P(MeshDrawsOfDeviceInfos, Everything) {
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}, {kStaticTilesNode, kTilesFragSpv, "static", 0}},
       {ComputeNode(kRelayNode, "relay"), ComputeNode(kRecursiveRelayNode, "recursive")});
  const std::vector<Order> orders = Columns(8, 10);
  const std::vector<Tiles> own = {{{3, 3}, {40, 2}, {4, 4}, {3, 3}, 5, 20}, {{2, 1}, {40, 30}, {4, 4}, {3, 3}, 50, 21}};
  const std::vector<Tiles> fixed = {{{3, 2}, {40, 40}, {4, 4}, {3, 3}, 500, 22}};
  const std::vector<GraphInput> inputs = {OrdersFor("relay", orders), InputOf("tiles", own), InputOf("static", fixed)};
  DeviceInputs kept;
  Render([&](VkCommandBuffer command_buffer) {
    BindGraph(command_buffer, 4);
    kept = RecordIndirectDispatch(context(), command_buffer, graph(), scratch(), inputs, GetParam(),
                                  sizeof(VkDispatchGraphInfoAMDX), static_cast<uint32_t>(inputs.size()));
  });
  Add(orders, 4);
  for (const Tiles& tiles : own) Add(tiles, 4);
  Add(fixed[0], 4);
  ExpectAll();
}

std::string NameOfCommand(const testing::TestParamInfo<DispatchCommand>& info) {
  return info.param == DispatchCommand::kIndirect ? "Indirect" : "IndirectCount";
}

INSTANTIATE_TEST_SUITE_P(Of, MeshDrawsOfDeviceInfos,
                         testing::Values(DispatchCommand::kIndirect, DispatchCommand::kIndirectCount), NameOfCommand);

// Nobody knows how many payloads infos on the device have, so the application says how many rounds there may be.
class MeshDrawsOfDeviceInfosInSmallRings : public MeshDrawsInSmallRings,
                                           public testing::WithParamInterface<DispatchCommand> {
 protected:
  MeshDrawsOfDeviceInfosInSmallRings() : MeshDrawsInSmallRings("2000") {}
};

TEST_P(MeshDrawsOfDeviceInfosInSmallRings, MorePayloadsThanFit) {
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}}, {ComputeNode(kRelayNode, "relay")});
  const std::vector<Order> orders = Pixels(30'000, 0, 32);
  const std::vector<Tiles> own = {{{3, 3}, {40, 34}, {4, 4}, {3, 3}, 5000, 100}};
  const std::vector<GraphInput> inputs = {OrdersFor("relay", orders), InputOf("tiles", own)};
  DeviceInputs kept;
  Render([&](VkCommandBuffer command_buffer) {
    BindGraph(command_buffer, 4);
    kept = RecordIndirectDispatch(context(), command_buffer, graph(), scratch(), inputs, GetParam(),
                                  sizeof(VkDispatchGraphInfoAMDX), static_cast<uint32_t>(inputs.size()));
  });
  Add(orders, 4);
  Add(own[0], 4);
  ExpectAll();
}

INSTANTIATE_TEST_SUITE_P(Of, MeshDrawsOfDeviceInfosInSmallRings,
                         testing::Values(DispatchCommand::kIndirect, DispatchCommand::kIndirectCount), NameOfCommand);

}  // namespace
}  // namespace trellis::test
