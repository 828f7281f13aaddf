// Draws of what other nodes enqueue: in render pass objects, with small rings, and of infos on the device.
#include "test_nodes/recursive_relay.h"
#include "test_nodes/relay.h"
#include "test_nodes/static_tiles.h"
#include "test_nodes/tiles.h"
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
    auto info = Struct<VkRenderPassCreateInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO);
    info.attachmentCount = 1;
    info.pAttachments = &attachment;
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    EXPECT_EQ(vkCreateRenderPass(context.device, &info, nullptr, &handle_), VK_SUCCESS);
    const VkImageView view = image.view();
    auto framebuffer = Struct<VkFramebufferCreateInfo>(VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO);
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
    auto info = Struct<VkRenderPassBeginInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO);
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

// Rings of 1 MiB.
class MeshDrawsInSmallRings : public MeshDraws {
 protected:
  [[nodiscard]] std::vector<EnvironmentSetting> Settings() const override {
    std::vector<EnvironmentSetting> settings = MeshDraws::Settings();
    settings.push_back({"TRELLIS_RING_BUDGET", "1"});
    return settings;
  }
  // `payloads` of one pixel each; the node `node` gets them.
  static std::vector<Order> Pixels(uint32_t payloads, uint32_t node) {
    std::vector<Order> orders;
    for (uint32_t i = 0; i < payloads; i += kSide)
      orders.push_back(
          {.node = node,
           .count = std::min(payloads - i, kSide),
           .move = {1, 0},
           .raise = 1,
           .tiles = {{1, 1}, {0, i / kSide % kSide}, {1, 1}, {1, 1}, 1 + i % (kSide * kSide), i / kSide % 256}});
    return orders;
  }
};

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

// What does not fit is reported, with the node and the setting that would help.
TEST_F(MeshDrawsInSmallRings, LossesAreReported) {
  constexpr uint32_t kPayloads = 100'000;
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}}, {ComputeNode(kRelayNode, "relay")});
  context().messages.Expect(kRecordsLost);
  Draw({OrdersFor("relay", Pixels(kPayloads, 0))});
  uint32_t drawn = 0;
  for (const uint32_t word : words().words()) drawn += word;
  EXPECT_GE(drawn, 20'000u) << "a ring of 1 MiB holds more than that";
  EXPECT_EQ(drawn + LostRecords(context()), kPayloads);
  const std::vector<Message> messages = context().messages.Find(kRecordsLost);
  ASSERT_FALSE(messages.empty());
  EXPECT_NE(messages[0].text.find("node tiles[0]"), std::string::npos) << messages[0].text;
  EXPECT_NE(messages[0].text.find("ring_budget="), std::string::npos) << messages[0].text;
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

INSTANTIATE_TEST_SUITE_P(Of, MeshDrawsOfDeviceInfos,
                         testing::Values(DispatchCommand::kIndirect, DispatchCommand::kIndirectCount),
                         [](const auto& info) {
                           return info.param == DispatchCommand::kIndirect ? "Indirect" : "IndirectCount";
                         });

}  // namespace
}  // namespace trellis::test
