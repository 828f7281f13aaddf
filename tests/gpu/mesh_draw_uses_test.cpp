// SPDX-License-Identifier: Apache-2.0
// Recordings whose draws come after compute, under conditional rendering and pending several times at once.
#include "test_nodes/relay.h"
#include "test_nodes/tiles.h"
#include "tests/gpu/mesh_draws.h"
#include "tests/tiles_frag_spv.h"

namespace trellis::test {
namespace {

enum class Condition { kInside, kOutside };

// With conditional rendering that begins inside or outside of the render pass instance, and with a ring of 1 MiB or a
// large one.
class MeshDrawsUnderCondition : public MeshDrawsInSmallRings,
                                public testing::WithParamInterface<std::tuple<Condition, bool>> {
 protected:
  [[nodiscard]] std::vector<EnvironmentSetting> Settings() const override {
    return std::get<1>(GetParam()) ? MeshDrawsInSmallRings::Settings() : MeshDraws::Settings();
  }
};

// The predicate decides whether nodes run. Dispatches before and after it run always.
TEST_P(MeshDrawsUnderCondition, RunOrDoNot) {
  if (!context().optional.CmdBeginConditionalRendering) GTEST_SKIP() << "no VK_EXT_conditional_rendering";
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}}, {ComputeNode(kRelayNode, "relay")});
  const auto [condition, small_ring] = GetParam();
  const std::vector<Order> orders = small_ring ? Pixels(40'000, 0, 32) : Columns(8, 5);
  const std::vector<Order> always = {{.tiles = {{1, 1}, {60, 60}, {1, 1}, {3, 3}, 9000, 120}}};
  const Buffer predicate(context(), 64, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
  auto info = MakeStruct<VkConditionalRenderingBeginInfoEXT>();
  info.buffer = predicate.handle();
  const bool inside = condition == Condition::kInside;
  for (const uint32_t value : {0u, 1u}) {
    SCOPED_TRACE(value);
    predicate.words()[0] = value;
    Commands commands(context());
    const VkCommandBuffer command_buffer = commands.Begin();
    if (!inside) context().optional.CmdBeginConditionalRendering(command_buffer, &info);
    image().BeginRendering(command_buffer);
    SetViewport(command_buffer);
    BindGraph(command_buffer);
    if (inside) {
      Dispatch(command_buffer, {OrdersFor("relay", always)});
      context().optional.CmdBeginConditionalRendering(command_buffer, &info);
    }
    Dispatch(command_buffer, {OrdersFor("relay", orders)});
    if (inside) {
      context().optional.CmdEndConditionalRendering(command_buffer);
      Dispatch(command_buffer, {OrdersFor("relay", always)});
    }
    image().EndRendering(command_buffer);
    if (!inside) context().optional.CmdEndConditionalRendering(command_buffer);
    CopyPixels(command_buffer);
    ASSERT_EQ(commands.End(), VK_SUCCESS);
    ASSERT_EQ(commands.Submit(), VK_SUCCESS);
    painting_ = {};
    if (inside) Add(always);
    if (value != 0) Add(orders);
    if (inside) Add(always);
    ExpectAll();
  }
}

INSTANTIATE_TEST_SUITE_P(Places, MeshDrawsUnderCondition,
                         testing::Combine(testing::Values(Condition::kInside, Condition::kOutside), testing::Bool()),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param) == Condition::kInside ? "Inside" : "Outside") +
                                  (std::get<1>(info.param) ? "InRounds" : "AtOnce");
                         });

// One recording is pending three times, and a second one between two of them.
TEST_F(MeshDrawsInSmallRings, RecordingsThatArePendingTogether) {
  Link({{kTilesNode, kTilesFragSpv, "tiles", 0}}, {ComputeNode(kRelayNode, "relay")});
  const std::vector<Order> few = Columns(8, 5), many = Pixels(40'000, 0, 32);
  const auto record = [&](Commands& commands, const std::vector<Order>& orders) {
    const VkCommandBuffer command_buffer = commands.Begin(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
    image().BeginRendering(command_buffer);
    SetViewport(command_buffer);
    BindGraph(command_buffer);
    Dispatch(command_buffer, {OrdersFor("relay", orders)});
    image().EndRendering(command_buffer);
    EXPECT_EQ(commands.End(), VK_SUCCESS);
    return command_buffer;
  };
  Commands first(context()), second(context());
  const VkCommandBuffer of_few = record(first, few), of_many = record(second, many);
  const std::vector<VkCommandBuffer> order = {of_many, of_few, of_many, of_many, of_few};
  for (const VkCommandBuffer& each : order) {
    auto submit = MakeStruct<VkSubmitInfo>();
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &each;
    ASSERT_EQ(vkQueueSubmit(context().queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
    Add(each == of_few ? few : many);
  }
  ASSERT_EQ(vkQueueWaitIdle(context().queue), VK_SUCCESS);
  for (size_t i = 0; i < words().words().size(); ++i)
    EXPECT_EQ(words().words()[i], i < counts_.size() ? counts_[i] : 0) << "word " << i;
}

}  // namespace
}  // namespace trellis::test
