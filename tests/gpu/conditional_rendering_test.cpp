// SPDX-License-Identifier: Apache-2.0
// VK_EXT_conditional_rendering around graphs: the nodes run or do not, and nothing else changes.
#include <gtest/gtest.h>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/basic_modules.h"
#include "tests/support/gpu_test.h"
#include "tests/support/pipelines.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr VkDeviceSize kPredicateOffset = 8;

class ConditionalRendering : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (context().optional.CmdBeginConditionalRendering == nullptr) GTEST_SKIP() << "no VK_EXT_conditional_rendering";
    predicate_ =
        Buffer(context(), 64, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  }
  void TearDown() override {
    predicate_ = {};
    GpuTest::TearDown();
  }

  uint32_t& Predicate() { return predicate_.words()[kPredicateOffset / 4]; }
  void Begin(VkCommandBuffer command_buffer, bool inverted = false) {
    auto info = MakeStruct<VkConditionalRenderingBeginInfoEXT>();
    info.buffer = predicate_.handle();
    info.offset = kPredicateOffset;
    info.flags = inverted ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : 0;
    context().optional.CmdBeginConditionalRendering(command_buffer, &info);
  }
  void End(VkCommandBuffer command_buffer) { context().optional.CmdEndConditionalRendering(command_buffer); }

  Buffer predicate_;
};

struct Case {
  uint32_t value;
  bool inverted;
  bool runs;
};

// The same scratch and the same ring serve a graph under a condition and one without, several times.
TEST_F(ConditionalRendering, DecidesOverTheNodes) {
  for (const Case& one : {Case{1, false, true}, Case{0, false, false}, Case{0x80000000u, false, true},
                          Case{1, true, false}, Case{0, true, true}}) {
    SCOPED_TRACE(testing::Message() << "predicate " << one.value << (one.inverted ? ", inverted" : ""));
    Predicate() = one.value;
    GraphRun run(context(), {.submits = 3,
                             .before = [&](VkCommandBuffer command_buffer) { Begin(command_buffer, one.inverted); },
                             .after =
                                 [&](VkCommandBuffer command_buffer) {
                                   End(command_buffer);
                                   run.DispatchGraph(command_buffer);
                                 }});
    run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
    run.Input({.node = "Source", .count = 1});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches(ChainResult(one.runs ? 6 : 3)));
  }
}

// The condition still holds for what follows the graph.
TEST_F(ConditionalRendering, GoesOnBehindTheGraph) {
  NodeAsm module(Shape::kDxc, false);
  const Id words = module.StorageBuffer(0);
  module.BeginNode({.name = "main", .local_size = {1, 1, 1}});
  module.AddWord(words, 7, 1);
  module.EndNode();
  const Layout layout(context(), {});
  Pipeline pipeline(context());
  pipeline.MakeCompute(module.Text(), layout.handle());
  for (const bool runs : {false, true}) {
    Predicate() = runs ? 1 : 0;
    std::vector<GuardedBuffer> buffers;
    buffers.emplace_back(context(), 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    const DescriptorSets sets(context(), layout, {}, buffers);
    GraphRun run(context(), {.before =
                                 [&](VkCommandBuffer command_buffer) {
                                   vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
                                   vkCmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE,
                                                           layout.handle(), 0, 1, sets.sets().data(), 0, nullptr);
                                   Begin(command_buffer);
                                 },
                             .after =
                                 [&](VkCommandBuffer command_buffer) {
                                   vkCmdDispatch(command_buffer, 1, 1, 1);
                                   End(command_buffer);
                                 }});
    run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
    run.Input({.node = "Source", .count = 1});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches(runs ? ChainResult() : std::vector<uint32_t>()));
    EXPECT_EQ(buffers[0].words()[7], runs ? 1u : 0u);
  }
}

// Scratch that was initialised under a condition that did not hold is initialised all the same.
TEST_F(ConditionalRendering, DoesNotApplyToScratch) {
  Predicate() = 0;
  GraphRun run(context(), {.dispatches = 0,
                           .before = [&](VkCommandBuffer command_buffer) { Begin(command_buffer); },
                           .after =
                               [&](VkCommandBuffer command_buffer) {
                                 End(command_buffer);
                                 run.DispatchGraph(command_buffer);
                               }});
  run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
  run.Input({.node = "Source", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(ChainResult()));
}

// A node takes the condition away from its own graph. What still runs of that graph is up to the driver, but the ring
// has to come back: a graph that finds none loses all its records.
TEST_F(ConditionalRendering, ANodeThatEndsItsOwnGraph) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0, 0);
  const Id predicate = m.StorageBuffer(1, 0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record, {.max_payloads = 1});
  m.BeginNode({.name = "Stop", .launch = Launch::kCoalescing, .shader_index = 0});
  m.StoreWord(predicate, static_cast<uint32_t>(kPredicateOffset) / 4, 0);
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  SetLeaf(m, records, 0, 3, 1);
  m.Enqueue(records);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  GraphRun stopping(context(), {.words = 16, .layout = {.buffers_per_set = 2}, .dispatches = 0});
  stopping.Nodes(m.Text(), {"Stop", "Leaf"});
  stopping.Input({.node = "Stop", .count = 1});
  ASSERT_TRUE(stopping.Prepare());
  const VkDescriptorBufferInfo info = {predicate_.handle(), 0, VK_WHOLE_SIZE};
  auto write = MakeStruct<VkWriteDescriptorSet>();
  write.dstSet = stopping.descriptor_sets().sets()[0];
  write.dstBinding = 1;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = &info;
  vkUpdateDescriptorSets(context().device, 1, &write, 0, nullptr);
  for (int round = 0; round < 4; ++round) {
    Predicate() = 1;
    Commands commands(context());
    const VkCommandBuffer command_buffer = commands.Begin();
    stopping.RecordGraph(command_buffer);
    Begin(command_buffer);
    stopping.DispatchGraph(command_buffer);
    End(command_buffer);
    ASSERT_EQ(commands.End(), VK_SUCCESS);
    ASSERT_EQ(commands.Submit(), VK_SUCCESS);
    EXPECT_EQ(Predicate(), 0u);
    EXPECT_LE(stopping.Words()[3], static_cast<uint32_t>(round) + 1);

    GraphRun after(context());
    after.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
    after.Input({.node = "Source", .count = 1});
    ASSERT_TRUE(after.Execute());
    EXPECT_TRUE(after.Matches(ChainResult()));
  }
  EXPECT_TRUE(stopping.GuardsIntact());
}

}  // namespace
}  // namespace trellis::test
