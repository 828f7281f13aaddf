// SPDX-License-Identifier: Apache-2.0
// vkCmdDispatchGraphAMDX: infos, strides, counts, resubmission, several dispatches and graphs on one scratch.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/basic_modules.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using HostDispatch = GpuTest;

// "Thread", "Grid" and "Coalesce" take {index, value} (Grid: and a grid), words[index] += value; a Grid record of grid
// g adds it g times.
std::string ThreeRootsModule() {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  AddThreadLeaf(m, "Thread", words, record);
  AddCoalescingLeaf(m, "Coalesce", words, record, 8);
  const Id grid_record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}, {m.Uint(), 8, true}});
  m.BeginNode({.name = "Grid", .grid = {64, 1, 1}, .shader_index = 0, .input = m.Input(grid_record)});
  const Id index = m.Get(m.NodeInput(), 0, 0);
  m.AddWord(words, index, m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  return m.Text();
}

TEST_F(HostDispatch, SeveralInfosOfDifferentNodes) {
  GraphRun run(context(), {.info_stride = 40});
  run.Nodes(ThreeRootsModule(), {"Thread", "Coalesce", "Grid"});
  run.Input({.node = "Grid", .count = 2, .payloads = Bytes({0, 1, 3, 1, 1, 5}), .stride = 12});
  run.Input({.node = "Thread", .count = 3, .payloads = Bytes({2, 7, 3, 8, 4, 9}), .stride = 8});
  run.Input({.node = "Coalesce", .count = 1, .payloads = Bytes({5, 50}), .stride = 8});
  run.Input({.node = "Thread", .count = 1, .payloads = Bytes({4, 100}), .stride = 8});
  run.Input({.node = "Coalesce", .count = 0, .payloads = Bytes({5, 50}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({3, 5, 7, 8, 109, 50}));
}

TEST_F(HostDispatch, OddInfoStride) {
  GraphRun run(context(), {.info_stride = 29});
  run.Nodes(ThreeRootsModule(), {"Thread", "Coalesce", "Grid"});
  for (uint32_t i = 0; i < 5; ++i)
    run.Input({.node = i % 2 ? "Coalesce" : "Thread", .count = 1, .payloads = Bytes({i, i + 1}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({1, 2, 3, 4, 5}));
}

TEST_F(HostDispatch, NoInfos) {
  GraphRun run(context(), {.info_count = 0});
  run.Nodes(ThreeRootsModule(), {"Thread", "Coalesce", "Grid"});
  run.Input({.node = "Thread", .count = 3, .payloads = Bytes({2, 7, 3, 8, 4, 9}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({}));
}

TEST_F(HostDispatch, StrideAboveTheRecordSize) {
  GraphRun run(context());
  run.Nodes(ThreeRootsModule(), {"Thread", "Coalesce", "Grid"});
  std::vector<uint32_t> payloads(100 * 25, 0xEEEEEEEE), expected(100);
  for (uint32_t i = 0; i < 100; ++i) {
    payloads[i * 25] = i;
    payloads[i * 25 + 1] = expected[i] = i * 3;
  }
  run.Input({.node = "Coalesce", .count = 100, .payloads = Bytes(payloads), .stride = 100});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

TEST_F(HostDispatch, CommandBufferSubmittedAgain) {
  GraphRun run(context(), {.submits = 5});
  run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
  run.Input({.node = "Source", .count = 2});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(ChainResult(10)));
}

// Without barriers in between: the layer serialises what shares a scratch.
TEST_F(HostDispatch, ManyDispatchesOnOneScratch) {
  GraphRun run(context(), {.dispatches = 100});
  run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
  run.Input({.node = "Source", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(ChainResult(100)));
}

TEST_F(HostDispatch, LargestScratch) {
  GraphRun run(context(), {.max_scratch = true});
  run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
  run.Input({.node = "Source", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(ChainResult()));
  EXPECT_EQ(run.scratch().size(), run.graph().ScratchSize().maxSize);
}

// Two graphs one after the other on one scratch, initialised anew for the second.
TEST_F(HostDispatch, TwoGraphsOnOneScratch) {
  GraphRun first(context(), {.max_scratch = true});
  first.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
  first.Input({.node = "Source", .count = 1});
  ASSERT_TRUE(first.Prepare());
  const Graph second(context(), {{.text = ThreeRootsModule(), .entry = "Thread"}});
  ASSERT_EQ(second.result(), VK_SUCCESS);
  const VkDeviceSize size = std::max(first.graph().ScratchSize().maxSize, second.ScratchSize().maxSize);
  const GuardedBuffer scratch(context(), size, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
  const auto& graph = context().graph;
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  first.RecordGraph(command_buffer);
  const std::vector<uint32_t> record = {1000, 17};
  VkDispatchGraphInfoAMDX info = {second.NodeIndex("Thread"), 1, {}, 8};
  info.payloads.hostAddress = record.data();
  VkDispatchGraphCountInfoAMDX counts = {1, {}, sizeof(info)};
  counts.infos.hostAddress = &info;
  for (int i = 0; i < 3; ++i) {
    vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, second.handle());
    OrderComputeWork(command_buffer);
    graph.CmdInitializeGraphScratchMemory(command_buffer, second.handle(), scratch.address(), scratch.size());
    OrderComputeWork(command_buffer);
    graph.CmdDispatchGraph(command_buffer, scratch.address(), scratch.size(), &counts);
    // Initialised with the other graph while this one is bound: the graph is an argument.
    OrderComputeWork(command_buffer);
    graph.CmdInitializeGraphScratchMemory(command_buffer, first.graph().handle(), scratch.address(), scratch.size());
    OrderComputeWork(command_buffer);
    vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, first.graph().handle());
    first.DispatchGraph(command_buffer);
  }
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(scratch.GuardsIntact());
  EXPECT_TRUE(first.GuardsIntact());
  std::vector<uint32_t> expected = ChainResult(4);
  expected.resize(1001);
  expected[1000] = 3 * 17;
  EXPECT_TRUE(first.Matches(expected));
}

// A second command buffer with the scratch that the first initialised.
TEST_F(HostDispatch, ScratchStaysInitialisedAcrossCommandBuffers) {
  GraphRun run(context());
  run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
  run.Input({.node = "Source", .count = 1});
  ASSERT_TRUE(run.Prepare());
  Commands first(context());
  run.RecordGraph(first.Begin());
  ASSERT_EQ(first.End(), VK_SUCCESS);
  ASSERT_EQ(first.Submit(), VK_SUCCESS);
  Commands second(context());
  const VkCommandBuffer command_buffer = second.Begin(VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, run.graph().handle());
  vkCmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, run.layout().handle(), 0, 1,
                          run.descriptor_sets().sets().data(), 0, nullptr);
  run.DispatchGraph(command_buffer);
  ASSERT_EQ(second.End(), VK_SUCCESS);
  ASSERT_EQ(second.Submit(), VK_SUCCESS);
  EXPECT_TRUE(run.GuardsIntact());
  EXPECT_TRUE(run.Matches(ChainResult(2)));
}

// All that the application knows is that nodes are compute shaders.
TEST_F(HostDispatch, ABarrierBehindTheGraphCoversAllOfIt) {
  GraphRun run(context(), {.dispatches = 0});
  run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
  run.Input({.node = "Source", .count = 1});
  ASSERT_TRUE(run.Prepare());
  const GuardedBuffer words(context(), 4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  const GuardedBuffer copies(context(), 2 * 4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const VkDescriptorBufferInfo info = {words.handle(), words.offset(), words.size()};
  auto write = MakeStruct<VkWriteDescriptorSet>();
  write.dstSet = run.descriptor_sets().sets()[0];
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = &info;
  vkUpdateDescriptorSets(context().device, 1, &write, 0, nullptr);

  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  run.RecordGraph(command_buffer);
  const auto barrier = [&](VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
                           VkAccessFlags used) {
    auto memory = MakeStruct<VkMemoryBarrier>();
    memory.srcAccessMask = written;
    memory.dstAccessMask = used;
    vkCmdPipelineBarrier(command_buffer, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
  };
  for (VkDeviceSize copy = 0; copy < 2; ++copy) {
    run.DispatchGraph(command_buffer);
    barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_TRANSFER_READ_BIT);
    const VkBufferCopy region = {words.offset(), copies.offset() + copy * words.size(), words.size()};
    vkCmdCopyBuffer(command_buffer, words.handle(), copies.handle(), 1, &region);
    barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT,
            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT);
  }
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  std::vector<uint32_t> expected = ChainResult(1);
  expected.resize(1024);
  const std::vector<uint32_t> second = ChainResult(2);
  expected.insert(expected.end(), second.begin(), second.end());
  expected.resize(2 * 1024);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), copies.words().begin(), copies.words().end()));
  EXPECT_TRUE(words.GuardsIntact() && copies.GuardsIntact());
}

// The layer says what a dispatch became.
TEST_F(HostDispatch, ReportsWhatItBecame) {
  GraphRun run(context());
  run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
  run.Input({.node = "Source", .count = 1});
  ASSERT_TRUE(run.Execute());
  const auto messages = context().messages.Find("TRELLIS-dispatch-graph");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].text.find("dispatches"), std::string::npos) << messages[0].text;
  EXPECT_NE(messages[0].text.find("3 levels"), std::string::npos) << messages[0].text;
}

}  // namespace
}  // namespace trellis::test
