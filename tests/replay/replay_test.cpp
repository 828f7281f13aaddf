// SPDX-License-Identifier: Apache-2.0
// What a graph dispatch becomes: commands, labels, restored state, refusals.
#include "layer/replay/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include "layer/dispatch/struct_type.h"
#include "layer/memory/ring_pool.h"
#include "tests/replay/test_pipeline.h"

namespace trellis::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using Kind = Command::Kind;

class ReplayTest : public ::testing::Test {
 protected:
  ReplayTest() { device_.Begin(); }

  void Use(std::initializer_list<NodeBuilder> nodes) {
    pipeline_ = MakePipeline(device_, nodes);
    scratch_ = device_.MakeScratch(ScratchBytes(*pipeline_));
  }
  static std::vector<std::string> Labels(const RecordingDevice& device) {
    std::vector<std::string> labels;
    for (const Command& command : device.stream())
      if (command.kind == Kind::kBeginLabel) labels.push_back(command.label);
    return labels;
  }
  std::vector<std::string> Labels() const { return Labels(device_); }
  static size_t HostBarriers(const RecordingDevice& device) {
    return static_cast<size_t>(
        std::count_if(device.stream().begin(), device.stream().end(), [](const Command& command) {
          return command.kind == Kind::kBarrier && (command.destination_stages & VK_PIPELINE_STAGE_HOST_BIT) != 0;
        }));
  }
  size_t Count(Kind kind) const { return PositionsOf(device_.stream(), kind).size(); }
  VkResult Error() { return device_.command_buffer().recorded_error; }

  // With a begin kernel.
  static Settings Quiet() {
    Settings settings;
    settings.log_file = "/dev/null";
    settings.prepare_regions = false;
    return settings;
  }

  RecordingDevice device_{Quiet()};
  std::shared_ptr<ExecutionGraphPipeline> pipeline_;
  VkDeviceAddress scratch_ = 0;
};

TEST_F(ReplayTest, EveryPhaseAndNodeHasALabel) {
  Use({NodeBuilder("a").To("b"), NodeBuilder("b", 3)});
  Dispatch(device_, pipeline_, scratch_, {{"a", 1}});
  EXPECT_THAT(Labels(), Contains("trellis begin"));
  EXPECT_THAT(Labels(), Contains("node a[0] level 0"));
  EXPECT_EQ(Count(Kind::kBeginLabel), Count(Kind::kEndLabel));
}

TEST_F(ReplayTest, SharersHaveDispatchesAndLabelsOfTheirOwn) {
  Use({NodeBuilder("a").To("b"), NodeBuilder("b").Recursion(1).To("b"), NodeBuilder("s").SharesInput("b"),
       NodeBuilder("t", 3).SharesInput("a")});
  Dispatch(device_, pipeline_, scratch_, {{"a", 2}});
  EXPECT_THAT(Labels(),
              ElementsAre("execution graph from a[0]", "trellis begin", "node a[0] level 0",
                          "node t[3] with the input of a[0] level 0", "level 1 sizing", "node b[0] (1 left) level 1",
                          "node s[0] with the input of b[0] (1 left) level 1", "level 2 sizing", "trellis losses",
                          "node b[0] (0 left) level 2", "node s[0] with the input of b[0] (0 left) level 2"));
}

TEST_F(ReplayTest, NodesThatShareAShaderShareADispatchAndItsLabel) {
  std::vector<NodeSource> sources = {NodeBuilder("a").To("b").To("c").source, NodeBuilder("c").source};
  for (uint32_t i = 0; i < 20; ++i) sources.push_back(NodeBuilder("b", i).source);
  pipeline_ = MakePipeline(device_, sources);
  Dispatch(device_, pipeline_, device_.MakeScratch(ScratchBytes(*pipeline_)), {{"a", 2}});
  EXPECT_THAT(Labels(), ElementsAre("execution graph from a[0]", "trellis begin", "node a[0] level 0", "level 1 sizing",
                                    "trellis losses", "node c[0] level 1", "node b[0] to b[19] (20 launches) level 1"));
  EXPECT_EQ(Count(Kind::kDispatchIndirect), 2u);
}

// A queue of its own, and shaders that cannot send more than was planned for: there is nothing to give back or to tell.
TEST_F(ReplayTest, NothingFollowsTheLastLevelWhereNothingCanBeLost) {
  Use({NodeBuilder("a").To("b", 4).LimitHolds(), NodeBuilder("b").To("c").LimitHolds(), NodeBuilder("c")});
  Dispatch(device_, pipeline_, scratch_, {{"a", 1}});
  device_.End();
  EXPECT_THAT(Labels(), ElementsAre("execution graph from a[0]", "trellis begin", "node a[0] level 0",
                                    "node b[0] level 1", "node c[0] level 2"));
  EXPECT_EQ(HostBarriers(device_), 0u);
}

// Who breaks a limit takes room from others.
TEST_F(ReplayTest, OneOutputWhoseLimitMayBeBrokenIsEnoughToLookForLosses) {
  Use({NodeBuilder("a").To("b", 4).To("c"), NodeBuilder("b").To("c").LimitHolds(), NodeBuilder("c")});
  Dispatch(device_, pipeline_, scratch_, {{"a", 1}});
  device_.End();
  EXPECT_THAT(Labels(), ElementsAre("execution graph from a[0]", "trellis begin", "node a[0] level 0",
                                    "node b[0] level 1", "trellis losses", "node c[0] level 2"));
  EXPECT_EQ(HostBarriers(device_), 1u);
}

TEST_F(ReplayTest, WhatFitsInPartOnlyIsLookedAt) {
  Use({NodeBuilder("a").To("b", 4).LimitHolds(), NodeBuilder("b", 0).Dynamic().To("c").LimitHolds(), NodeBuilder("c")});
  Dispatch(device_, pipeline_, scratch_, {{"a", 100}});
  EXPECT_THAT(Labels(), Contains("trellis losses")) << "grids without a bound";
}

// What nodes tell with the setting `validate` has to arrive all the same.
TEST_F(ReplayTest, NodesThatReportAreWaitedFor) {
  Settings settings = Quiet();
  settings.validate = true;
  for (const bool prepares : {false, true}) {
    settings.prepare_regions = prepares;
    RecordingDevice device(settings);
    device.Begin();
    const auto pipeline = MakePipeline(device, {NodeBuilder("a").To("b").LimitHolds(), NodeBuilder("b")});
    Dispatch(device, pipeline, device.MakeScratch(ScratchBytes(*pipeline)), {{"a", 1}});
    device.End();
    EXPECT_EQ(HostBarriers(device), 1u);
  }
}

TEST_F(ReplayTest, QueuesOfOneFamilyGiveTheirRingsBack) {
  Settings settings;
  settings.log_file = "/dev/null";
  RecordingDevice device(settings, /*queues=*/2);
  device.Begin();
  const auto pipeline = MakePipeline(device, {NodeBuilder("a").To("b").LimitHolds(), NodeBuilder("b")});
  Dispatch(device, pipeline, device.MakeScratch(ScratchBytes(*pipeline)), {{"a", 1}});
  device.End();
  EXPECT_THAT(Labels(device), ElementsAre("execution graph from a[0]", "trellis begin", "node a[0] level 0",
                                          "trellis losses", "node b[0] level 1", "trellis end"));
  EXPECT_EQ(HostBarriers(device), 1u);
}

// Executions prepare regions for one another: a kernel concurrent with level 0, and a dispatch of level 1 for each of
// two sets.
TEST_F(ReplayTest, PreparedRegionsTakeTheBeginKernelsPlace) {
  Settings settings = Quiet();
  settings.prepare_regions = true;
  RecordingDevice device(settings);
  device.Begin();
  const auto pipeline = MakePipeline(device, {NodeBuilder("a").To("b"), NodeBuilder("b").To("c"), NodeBuilder("c")});
  Dispatch(device, pipeline, device.MakeScratch(ScratchBytes(*pipeline)), {{"a", 1}});
  device.End();
  EXPECT_THAT(Labels(device),
              ElementsAre("execution graph from a[0]", "trellis regions", "node a[0] level 0", "node b[0] level 1",
                          "node b[0] level 1", "trellis losses", "node c[0] level 2"));
  std::set<std::pair<VkBuffer, VkDeviceSize>> arguments;
  for (size_t position : PositionsOf(device.stream(), Kind::kDispatchIndirect))
    arguments.insert({device.stream()[position].buffer, device.stream()[position].offset});
  EXPECT_EQ(arguments.size(), 3u);
  EXPECT_GT(device.command_buffer().ring_bytes, 0u);
}

// A grid of 0 is the node's own; its sharer has another one.
TEST_F(ReplayTest, ASharerRunsWhereItsNodeHasNoWorkgroups) {
  Use({NodeBuilder("a").Dynamic(), NodeBuilder("s").Static(2).SharesInput("a")});
  Dispatch(device_, pipeline_, scratch_, {{"a", 5, 0, /*word=*/0}});
  ASSERT_EQ(Count(Kind::kDispatch), 1u);
  EXPECT_EQ(device_.stream()[PositionsOf(device_.stream(), Kind::kDispatch).at(0)].x, 10u);
  EXPECT_THAT(Labels(), ElementsAre("execution graph from a[0]", "node s[0] with the input of a[0] level 0"));
}

TEST_F(ReplayTest, LabelsCanBeTurnedOff) {
  Settings settings;
  settings.labels = false;
  RecordingDevice device(settings);
  device.Begin();
  const auto pipeline = MakePipeline(device, {NodeBuilder("a").To("b"), NodeBuilder("b")});
  Dispatch(device, pipeline, device.MakeScratch(ScratchBytes(*pipeline)), {{"a", 1}});
  EXPECT_TRUE(PositionsOf(device.stream(), Kind::kBeginLabel).empty());
  EXPECT_FALSE(PositionsOf(device.stream(), Kind::kDispatchIndirect).empty());
}

TEST_F(ReplayTest, OneIndirectDispatchForEachLaunch) {
  Use({NodeBuilder("a").To("b").To("c"), NodeBuilder("b").To("c"), NodeBuilder("c")});
  Dispatch(device_, pipeline_, scratch_, {{"a", 1}});
  EXPECT_EQ(Count(Kind::kDispatchIndirect), 2u);  // b in level 1; c in level 2, behind all that send to it
  EXPECT_EQ(Count(Kind::kDispatch), 1u + 2u);     // a; begin, losses
}

// What a level costs: a barrier; what a launch costs: a pipeline, an address, a dispatch.
TEST_F(ReplayTest, FewCommandsForEachLaunchAndLevel) {
  Settings settings = Quiet();
  settings.labels = false;
  RecordingDevice device(settings);
  device.Begin();
  std::vector<NodeSource> sources;
  constexpr uint32_t kLevels = 20;
  for (uint32_t i = 0; i + 1 < kLevels; ++i)
    sources.push_back(NodeBuilder("n" + std::to_string(i)).To("n" + std::to_string(i + 1)).To("all").source);
  sources.push_back(NodeBuilder("n" + std::to_string(kLevels - 1)).source);
  sources.push_back(NodeBuilder("all").Coalescing(8).source);
  const auto pipeline = MakePipeline(device, sources);
  Dispatch(device, pipeline, device.MakeScratch(ScratchBytes(*pipeline)), {{"n0", 1}});
  constexpr uint32_t kLaunches = kLevels + 1;
  EXPECT_EQ(PositionsOf(device.stream(), Kind::kDispatchIndirect).size(), kLaunches - 1);
  EXPECT_LE(device.stream().size(), 3 * kLaunches + kLevels + 16);
}

// Dynamic grids keep state of every record, and sharers need arguments of their own.
TEST_F(ReplayTest, ASizingKernelTakesCareOfThoseThatNeedItAlone) {
  Use({NodeBuilder("a").To("fixed").To("dynamic").To("shared"), NodeBuilder("fixed"), NodeBuilder("dynamic").Dynamic(),
       NodeBuilder("shared"), NodeBuilder("sharer").SharesInput("shared")});
  Dispatch(device_, pipeline_, scratch_, {{"a", 1}});
  EXPECT_EQ(Count(Kind::kDispatch), 1u + 3u);
  std::set<VkDeviceSize> arguments;
  for (size_t position : PositionsOf(device_.stream(), Kind::kDispatchIndirect))
    arguments.insert(device_.stream()[position].offset);
  EXPECT_EQ(arguments.size(), 4u);
}

TEST_F(ReplayTest, MoreRecordsThanOneRowOfWorkgroupsAreSized) {
  Use({NodeBuilder("a").To("b"), NodeBuilder("b")});
  Dispatch(device_, pipeline_, scratch_, {{"a", 65534}});
  EXPECT_EQ(Count(Kind::kDispatch), 1u + 2u);
  Dispatch(device_, pipeline_, scratch_, {{"a", 65535}});
  EXPECT_EQ(Count(Kind::kDispatch), 1u + 2u + 1u + 3u);
}

TEST_F(ReplayTest, NothingToLaunchRecordsNothing) {
  Use({NodeBuilder("a").Dynamic(), NodeBuilder("b")});
  Dispatch(device_, pipeline_, scratch_, {});
  Dispatch(device_, pipeline_, scratch_, {{"b", 0}});
  Dispatch(device_, pipeline_, scratch_, {{"a", 5, 0, /*word=*/0}});  // grids of 0 x 0 x 0
  EXPECT_TRUE(device_.stream().empty()) << Describe(device_.stream());
  EXPECT_EQ(Error(), VK_SUCCESS);
  EXPECT_EQ(device_.command_buffer().ring_bytes, 0u);
}

TEST_F(ReplayTest, MoreWorkgroupsThanOneRowGoIntoTwoDimensions) {
  Use({NodeBuilder("a")});
  Dispatch(device_, pipeline_, scratch_, {{"a", 65536}});
  const Command& dispatch = device_.stream()[PositionsOf(device_.stream(), Kind::kDispatch).at(0)];
  EXPECT_EQ(dispatch.x, 32768u);
  EXPECT_EQ(dispatch.y, 2u);
}

TEST_F(ReplayTest, ComputeStateComesBackInItsOrder) {
  Use({NodeBuilder("a").To("b"), NodeBuilder("b")});
  CommandBuffer& recording = device_.command_buffer();
  const auto layout = [](uintptr_t number) { return (VkPipelineLayout)(number * 16); };
  const auto set = [](uintptr_t number) { return (VkDescriptorSet)(number * 16); };
  const VkPipeline compute = device_.MakePipeline();
  recording.compute.pipeline = compute;
  const VkDescriptorSet later = set(2);
  const VkDescriptorSet earlier = set(1);
  const uint32_t offsets[] = {256, 512};
  recording.compute.BindSets({layout(1), nullptr}, 3, 1, &earlier, offsets, recording.bind_sequence);
  recording.compute.BindSets({layout(2), nullptr}, 0, 1, &later, {}, recording.bind_sequence);
  std::vector<uint8_t> bytes(40);
  std::iota(bytes.begin(), bytes.end(), uint8_t{1});
  recording.push_constants.Push(layout(2), VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 4, bytes);
  Dispatch(device_, pipeline_, scratch_, {{"a", 1}});

  const CommandStream& stream = device_.stream();
  const Command& bound = stream[PositionsOf(stream, Kind::kBindPipeline).back()];
  EXPECT_EQ(bound.pipeline, compute);
  const std::vector<size_t> binds = PositionsOf(stream, Kind::kBindSets);
  ASSERT_EQ(binds.size(), 2u);
  EXPECT_EQ(stream[binds[0]].first, 3u);
  EXPECT_EQ(stream[binds[0]].layout, layout(1));
  EXPECT_THAT(stream[binds[0]].sets, ElementsAre(earlier));
  EXPECT_THAT(stream[binds[0]].dynamic_offsets, ElementsAre(256, 512));
  EXPECT_EQ(stream[binds[1]].first, 0u);
  EXPECT_EQ(stream[binds[1]].layout, layout(2));
  const Command& push = stream[PositionsOf(stream, Kind::kPushConstants).back()];
  EXPECT_EQ(push.layout, layout(2));
  EXPECT_EQ(push.stages, VkShaderStageFlags{VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT});
  EXPECT_EQ(push.first, 4u);
  EXPECT_EQ(push.bytes, bytes);
  EXPECT_GT(binds[0], PositionsOf(stream, Kind::kDispatch).back());
}

TEST_F(ReplayTest, LaunchesAfterTheFirstPushEightBytes) {
  Use({NodeBuilder("a").To("b").To("c").To("d"), NodeBuilder("b"), NodeBuilder("c"), NodeBuilder("d")});
  const std::vector<uint8_t> bytes(kApplicationPushBytes, 7);
  device_.command_buffer().push_constants.Push(VK_NULL_HANDLE, VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes);
  Dispatch(device_, pipeline_, scratch_, {{"a", 1}});
  std::vector<size_t> sizes;
  for (const Command& command : device_.stream())
    if (command.kind == Kind::kPushConstants) sizes.push_back(command.bytes.size());
  // begin | a with the application's | losses | b with them again, c, d | restored
  EXPECT_THAT(sizes, ElementsAre(8, 32, 8, 32, 8, 8, 20));
}

// The device has as many bytes as the application uses.
TEST_F(ReplayTest, PushConstantsThatDoNotFitAreCopied) {
  device_.device().traits.limits.maxPushConstantsSize = kApplicationPushBytes;
  Use({NodeBuilder("a").To("b").To("c"), NodeBuilder("b").Dynamic(), NodeBuilder("c")});
  std::vector<uint8_t> bytes(kApplicationPushBytes - 4);
  std::iota(bytes.begin(), bytes.end(), uint8_t{1});
  device_.command_buffer().push_constants.Push(VK_NULL_HANDLE, VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes);
  Dispatch(device_, pipeline_, scratch_, {{"a", 1}});
  std::vector<size_t> sizes;
  std::vector<uint64_t> copies;
  for (const Command& command : device_.stream()) {
    if (command.kind != Kind::kPushConstants) continue;
    sizes.push_back(command.bytes.size());
    if (command.layout != pipeline_->layout->node_layout || command.bytes.size() != 16) continue;
    std::memcpy(&copies.emplace_back(), command.bytes.data() + 8, 8);
  }
  // begin | a | sizing | losses | b, c | restored
  EXPECT_THAT(sizes, ElementsAre(8, 16, 8, 8, 16, 8, 16));
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0], copies[1]);
  std::vector<uint8_t> expected = bytes;
  expected.resize(24);  // never pushed, and what the alignment adds: 0
  EXPECT_EQ(std::memcmp(reinterpret_cast<const void*>(copies[0]), expected.data(), expected.size()), 0);
  EXPECT_EQ(copies[0] % 16, 0u);
}

TEST_F(ReplayTest, EveryDispatchHasTheBytesOfItsRecording) {
  device_.device().traits.limits.maxPushConstantsSize = kApplicationPushBytes;
  Use({NodeBuilder("a")});
  std::vector<uint8_t> seen;
  for (const uint8_t value : {uint8_t{5}, uint8_t{6}}) {
    device_.command_buffer().push_constants.Push(VK_NULL_HANDLE, VK_SHADER_STAGE_COMPUTE_BIT, 0, {&value, 1});
    Dispatch(device_, pipeline_, scratch_, {{"a", 1}});
  }
  for (const Command& command : device_.stream()) {
    if (command.kind != Kind::kPushConstants || command.layout != pipeline_->layout->node_layout) continue;
    uint64_t copy = 0;
    std::memcpy(&copy, command.bytes.data() + 8, 8);
    seen.push_back(*reinterpret_cast<const uint8_t*>(copy));
  }
  EXPECT_THAT(seen, ElementsAre(5, 6));
}

TEST_F(ReplayTest, ConditionalRenderingAppliesToTheNodesAlone) {
  Use({NodeBuilder("a").To("b"), NodeBuilder("b").Dynamic()});
  auto condition = MakeStruct<VkConditionalRenderingBeginInfoEXT>();
  condition.buffer = (VkBuffer)48;
  condition.offset = 12;
  condition.flags = VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT;
  device_.command_buffer().conditional_rendering = condition;
  InitializeGraphScratch(device_.command_buffer(), TestHandle(*pipeline_), scratch_, ScratchBytes(*pipeline_));
  Dispatch(device_, pipeline_, scratch_, {{"a", 1}});
  bool conditional = true;
  VkPipeline bound = VK_NULL_HANDLE;
  size_t nodes = 0;
  size_t kernels = 0;
  for (const Command& command : device_.stream()) {
    if (command.kind == Kind::kEndConditional) conditional = false;
    if (command.kind == Kind::kBindPipeline) bound = command.pipeline;
    if (command.kind == Kind::kBeginConditional) {
      conditional = true;
      EXPECT_EQ(command.buffer, condition.buffer);
      EXPECT_EQ(command.offset, 12u);
      EXPECT_EQ(command.flags, VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT);
    }
    if (command.kind != Kind::kDispatch && command.kind != Kind::kDispatchIndirect) continue;
    const bool is_node =
        bound == pipeline_->nodes[0].pipeline->handle() || bound == pipeline_->nodes[1].pipeline->handle();
    EXPECT_EQ(conditional, is_node) << Describe(device_.stream());
    ++(is_node ? nodes : kernels);
  }
  EXPECT_TRUE(conditional);
  EXPECT_EQ(nodes, 2u);
  EXPECT_EQ(kernels, 3u);
}

TEST_F(ReplayTest, RefusalsAreRememberedAndRecordNothing) {
  Use({NodeBuilder("a").To("b"), NodeBuilder("b")});
  const auto expect_refused = [this](VkDeviceAddress scratch, VkDeviceSize size) {
    device_.Begin();
    device_.command_buffer().execution_graph.pipeline = TestHandle(*pipeline_);
    const VkDispatchGraphCountInfoAMDX none = {};
    DispatchGraph(device_.command_buffer(), scratch, size, none);
    EXPECT_EQ(Error(), VK_ERROR_VALIDATION_FAILED_EXT);
    EXPECT_TRUE(device_.stream().empty());
  };
  const VkDeviceSize size = ScratchBytes(*pipeline_);
  expect_refused(scratch_, size - 1);
  expect_refused(scratch_ + 128, size);
  expect_refused(0x40, size);
  device_.command_buffer().level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
  expect_refused(scratch_, size);
  device_.command_buffer().level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  device_.Begin();
  DispatchGraph(device_.command_buffer(), scratch_, size, {});
  EXPECT_EQ(Error(), VK_ERROR_VALIDATION_FAILED_EXT);
}

TEST_F(ReplayTest, RunningOutOfPlanMemoryIsRemembered) {
  Use({NodeBuilder("a").To("b"), NodeBuilder("b")});
  device_.FailAllocations(true);
  Dispatch(device_, pipeline_, scratch_, {{"a", 1}});
  EXPECT_EQ(Error(), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_TRUE(device_.stream().empty());
}

// A page fault would end the device.
TEST_F(ReplayTest, NoInfosOnTheDeviceRecordNothing) {
  Use({NodeBuilder("a").To("b"), NodeBuilder("b")});
  CommandBuffer& recording = device_.command_buffer();
  recording.execution_graph.pipeline = TestHandle(*pipeline_);
  VkDispatchGraphCountInfoAMDX count_info = {};
  count_info.count = 3;
  count_info.stride = sizeof(VkDispatchGraphInfoAMDX);
  DispatchGraphIndirect(recording, scratch_, ScratchBytes(*pipeline_), count_info);
  EXPECT_EQ(Error(), VK_SUCCESS);
  EXPECT_TRUE(device_.stream().empty());
  DispatchGraphIndirectCount(recording, scratch_, ScratchBytes(*pipeline_), 0);
  EXPECT_EQ(Error(), VK_ERROR_VALIDATION_FAILED_EXT);
  EXPECT_TRUE(device_.stream().empty());
}

TEST_F(ReplayTest, InitialisingScratchRecordsNothing) {
  Use({NodeBuilder("a").To("b"), NodeBuilder("b")});
  InitializeGraphScratch(device_.command_buffer(), TestHandle(*pipeline_), scratch_, ScratchBytes(*pipeline_));
  EXPECT_EQ(Error(), VK_SUCCESS);
  EXPECT_TRUE(device_.stream().empty());
  InitializeGraphScratch(device_.command_buffer(), TestHandle(*pipeline_), scratch_, 64);
  EXPECT_EQ(Error(), VK_ERROR_VALIDATION_FAILED_EXT);
}

TEST_F(ReplayTest, ASubmissionGetsItsRing) {
  Use({NodeBuilder("a").To("b", 100), NodeBuilder("b")});
  Dispatch(device_, pipeline_, scratch_, {{"a", 1000}});
  EXPECT_TRUE(device_.command_buffer().holds_graph);
  const VkDeviceSize ring = device_.command_buffer().ring_bytes;
  EXPECT_GE(ring, 1000u * 100u * 16u);
  Queue queue;
  queue.device = &device_.device();
  queue.handle = (VkQueue)64;
  ASSERT_EQ(PrepareGraphSubmission(queue, ring), VK_SUCCESS);
  EXPECT_GE((*RingPoolOf(device_.device(), 0))->TotalBytes(), ring);
  device_.FailAllocations(true);
  EXPECT_EQ(PrepareGraphSubmission(queue, 0), VK_SUCCESS);
  EXPECT_EQ(PrepareGraphSubmission(queue, 100 * ring), VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

TEST_F(ReplayTest, TheRecordingKeepsTheGraphAlive) {
  Use({NodeBuilder("a").To("b"), NodeBuilder("b")});
  Dispatch(device_, pipeline_, scratch_, {{"a", 1}});
  const std::weak_ptr<ExecutionGraphPipeline> graph = pipeline_;
  device_.device().execution_graphs.Take(TestHandle(*pipeline_));
  pipeline_.reset();
  EXPECT_FALSE(graph.expired());
  device_.Begin();
  EXPECT_TRUE(graph.expired());
}

}  // namespace
}  // namespace trellis::test
