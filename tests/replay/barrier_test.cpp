// The barriers of recorded graphs are enough, and none is there for nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "layer/replay/replay.h"
#include "tests/graph/random_graph.h"
#include "tests/replay/barrier_checker.h"
#include "tests/replay/test_pipeline.h"

namespace trellis::test {
namespace {

struct Variant {
  bool close_every_level = false;
  uint32_t ring_budget = 0;
  uint32_t max_rounds = 0;
  LaunchBatches launch_batches = LaunchBatches::kAuto;
};

Settings Quiet(const Variant& variant) {
  Settings settings;
  settings.close_every_level = variant.close_every_level;
  settings.ring_budget = variant.ring_budget;
  settings.max_rounds = variant.max_rounds;
  settings.launch_batches = variant.launch_batches;
  settings.log_file = "/dev/null";
  return settings;
}

class BarrierTest : public ::testing::Test {
 protected:
  explicit BarrierTest(const Variant& variant = {}) : device_(Quiet(variant)) {
    device_.Begin();
    std::vector<uint8_t> bytes(kApplicationPushBytes);
    std::iota(bytes.begin(), bytes.end(), uint8_t{100});
    device_.command_buffer().push_constants.Push(VK_NULL_HANDLE, VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes);
    world_.device = &device_;
    world_.expected_push_constants = bytes;
  }

  void Record(std::initializer_list<NodeBuilder> nodes, const std::vector<Input>& inputs) {
    Use(MakePipeline(device_, nodes));
    Dispatch(device_, pipeline_, scratch_, inputs);
  }
  void Use(const std::shared_ptr<ExecutionGraphPipeline>& pipeline) {
    pipeline_ = pipeline;
    scratch_ = device_.MakeScratch(ScratchBytes(*pipeline));
    world_.pipelines.push_back(pipeline);
    world_.scratches.push_back({scratch_, ScratchBytes(*pipeline)});
  }

  // Accepted as it is, rejected without any one barrier, and rejected with any stage taken out of it, or any access but
  // the shaders'.
  void ExpectExact(size_t barriers) {
    const CommandStream& stream = device_.stream();
    const std::vector<std::string> complaints = CheckStream(world_, stream);
    EXPECT_TRUE(complaints.empty()) << complaints.front() << " (" << complaints.size() << " complaints)\n"
                                    << Describe(stream);
    EXPECT_EQ(device_.command_buffer().recorded_error, VK_SUCCESS);
    const std::vector<size_t> positions = PositionsOf(stream, Command::Kind::kBarrier);
    EXPECT_EQ(positions.size(), barriers) << Describe(stream);
    for (size_t position : positions) {
      EXPECT_FALSE(CheckStream(world_, Without(stream, position)).empty())
          << "barrier at " << position << " is not needed\n"
          << Describe(stream);
      ExpectEveryBitNeeded(position);
    }
  }
  // Shader accesses stay as wide as they are: one kind of barrier serves several places, and the application's memory
  // too.
  void ExpectEveryBitNeeded(size_t position) {
    const auto expect_needed = [&](const char* mask, uint32_t Command::*member, uint32_t bits) {
      for (uint32_t bit = 1; bit != 0; bit <<= 1) {
        if (!(device_.stream()[position].*member & bits & bit)) continue;
        CommandStream weaker = device_.stream();
        weaker[position].*member &= ~bit;
        EXPECT_FALSE(CheckStream(world_, weaker).empty())
            << mask << " bit " << bit << " of the barrier at " << position << " is not needed\n"
            << Describe(device_.stream());
      }
    };
    expect_needed("source stage", &Command::source_stages, ~0u);
    expect_needed("destination stage", &Command::destination_stages, ~0u);
    expect_needed("destination access", &Command::destination_access,
                  ~uint32_t{VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT});
  }

  RecordingDevice device_;
  CheckedWorld world_;
  std::shared_ptr<ExecutionGraphPipeline> pipeline_;
  VkDeviceAddress scratch_ = 0;
};

// One barrier to enter, one after begin, one for each level after the first and one more where it is closed, one before
// end, one for the host.
constexpr size_t BarriersFor(size_t levels, size_t closed = 0) { return 2 + (levels - 1) + closed + 2; }

NodeBuilder Writing(NodeBuilder node) {
  node.source.info.writes_input = true;
  return node;
}

TEST_F(BarrierTest, ALeafAloneNeedsNone) {
  Record({NodeBuilder("leaf")}, {{"leaf", 7}});
  EXPECT_EQ(PositionsOf(device_.stream(), Command::Kind::kDispatch).size(), 1u);
  ExpectExact(0);
}

TEST_F(BarrierTest, OutputsWithoutATargetNeedOnlyTheControlBlock) {
  Record({NodeBuilder("a").To("nobody")}, {{"a", 1}});
  ExpectExact(2);
}

TEST_F(BarrierTest, Chain) {
  Record({NodeBuilder("a").To("b", 4), NodeBuilder("b").To("c", 2), NodeBuilder("c").To("d"), NodeBuilder("d")},
         {{"a", 3}});
  ExpectExact(BarriersFor(4));
}

// Five more than a dispatch from the host: count, place, append, copy, and the close of level 0.
class DeviceInfoBarrierTest : public BarrierTest, public ::testing::WithParamInterface<std::optional<uint32_t>> {};

TEST_P(DeviceInfoBarrierTest, FiveMore) {
  Use(MakePipeline(device_, {NodeBuilder("a").To("b", 4).Payload(8), Writing(NodeBuilder("b").Dynamic().Payload(16)),
                             NodeBuilder("d").Dynamic().Payload(12), NodeBuilder("s").Payload(12).SharesInput("d")}));
  DispatchFromDevice(device_, pipeline_, scratch_, GetParam());
  // And the sums of both levels' grids.
  ExpectExact(BarriersFor(2, 1) + 5 + 2);
}

INSTANTIATE_TEST_SUITE_P(Counts, DeviceInfoBarrierTest, ::testing::Values(std::optional<uint32_t>(3), std::nullopt));

TEST_F(BarrierTest, NoInfosForTheDeviceToRead) {
  Use(MakePipeline(device_, {NodeBuilder("a").To("b", 4).Payload(8), NodeBuilder("b").Payload(16)}));
  DispatchFromDevice(device_, pipeline_, scratch_, 0);
  ExpectExact(0);
}

TEST_F(BarrierTest, FanOut) {
  Record({NodeBuilder("a").To("b").To("c").To("d"), NodeBuilder("b"), NodeBuilder("c").Coalescing(8), NodeBuilder("d")},
         {{"a", 2}});
  ExpectExact(BarriersFor(2));
}

TEST_F(BarrierTest, DiamondWithArmsOfDifferentLength) {
  Record({NodeBuilder("top").To("left").To("right"), NodeBuilder("left").To("bottom"),
          NodeBuilder("right").To("middle"), NodeBuilder("middle").To("bottom"), NodeBuilder("bottom")},
         {{"top", 1}});
  ExpectExact(BarriersFor(4));
}

TEST_F(BarrierTest, DynamicGrids) {
  Record(
      {NodeBuilder("a").Dynamic(8, 8, 8).To("b", 16), NodeBuilder("b").Dynamic().To("c"), NodeBuilder("c").Dynamic(4)},
      {{"a", 5, 0, 2}});
  // What b's grids multiply to has no bound, so c's are added up first.
  ExpectExact(BarriersFor(3, 2) + 1);
}

TEST_F(BarrierTest, ManyDynamicGridsAreAddedUpFirst) {
  NodeBuilder finishing = Writing(NodeBuilder("c")).Static(5);
  finishing.source.info.finishes_writing = true;
  Record({NodeBuilder("a").To("b", 4000).To("c", 4000), NodeBuilder("b").Dynamic(4).To("d"), finishing,
          NodeBuilder("d").Dynamic()},
         {{"a", 10}});
  ExpectExact(BarriersFor(3, 2) + 2);
}

TEST_F(BarrierTest, Coalescing) {
  Record({NodeBuilder("a").To("b", 16), NodeBuilder("b").Coalescing(32).To("c", 8), NodeBuilder("c").Coalescing(1)},
         {{"a", 5}});
  ExpectExact(BarriersFor(3));
}

TEST_F(BarrierTest, Recursion) {
  Record({NodeBuilder("a").Recursion(3).To("a", 2).To("b"), NodeBuilder("b")}, {{"a", 1}});
  ExpectExact(BarriersFor(5));
}

TEST_F(BarrierTest, EmptyPayloads) {
  Record({NodeBuilder("a").Payload(0, 1).To("b", 4, 0), NodeBuilder("b").Payload(0, 1)}, {{"a", 4}});
  ExpectExact(BarriersFor(2));
}

TEST_F(BarrierTest, AnEntryThatWritesItsInputGetsACopy) {
  Record({Writing(NodeBuilder("a")).To("b"), NodeBuilder("b")}, {{"a", 40}});
  EXPECT_EQ(PositionsOf(device_.stream(), Command::Kind::kDispatch).size(), 4u);  // begin, copy, a, end
  ExpectExact(BarriersFor(2) + 1);
}

TEST_F(BarrierTest, ALeafThatWritesItsInputGetsACopyToo) {
  Record({Writing(NodeBuilder("a")), NodeBuilder("b")}, {{"a", 40}, {"b", 1}});
  ExpectExact(BarriersFor(1) + 1);
  EXPECT_GT(device_.command_buffer().ring_bytes, 0u);
}

TEST_F(BarrierTest, ANodeThatWritesItsInputInALaterLevel) {
  Record({NodeBuilder("a").To("b"), Writing(NodeBuilder("b")).To("c"), Writing(NodeBuilder("c"))}, {{"a", 1}});
  ExpectExact(BarriersFor(3));
}

// The counters stand beside the records, in the ring, for entries too.
TEST_F(BarrierTest, NodesThatFinishWriting) {
  NodeBuilder a = Writing(NodeBuilder("a")).Static(4).To("b");
  NodeBuilder b = Writing(NodeBuilder("b")).Dynamic().To("c");
  NodeBuilder c = Writing(NodeBuilder("c")).Static(5);
  for (NodeBuilder* node : {&a, &b, &c}) node->source.info.finishes_writing = true;
  Record({a, b, c}, {{"a", 40}});
  ExpectExact(BarriersFor(3, 2) + 1);
}

TEST_F(BarrierTest, AnEntryWithoutBytesThatFinishesWriting) {
  NodeBuilder a = Writing(NodeBuilder("a").Payload(0, 1)).Static(4);
  a.source.info.finishes_writing = true;
  Record({a}, {{"a", 40}});
  ExpectExact(BarriersFor(1) + 1);
  EXPECT_GE(device_.command_buffer().ring_bytes, 160u);
}

TEST_F(BarrierTest, AllocationsFromTheHeap) {
  NodeBuilder a = NodeBuilder("a").To("b", 4);
  a.LastOutput().uses_heap = true;
  NodeBuilder b = NodeBuilder("b").To("c", 4);
  b.LastOutput().uses_heap = true;
  Record({a, b, NodeBuilder("c")}, {{"a", 9}});
  ExpectExact(BarriersFor(3));
}

TEST_F(BarrierTest, SharedInputs) {
  Record({NodeBuilder("a").To("b", 8), NodeBuilder("b").Recursion(1).To("b"),
          NodeBuilder("s").Dynamic().SharesInput("b").To("c"), NodeBuilder("t").Coalescing(8).SharesInput("b"),
          NodeBuilder("c").Dynamic()},
         {{"a", 9}});
  EXPECT_EQ(PositionsOf(device_.stream(), Command::Kind::kDispatchIndirect).size(), 3 + 4u + 1);
  // The sums of c's grids in two levels.
  ExpectExact(BarriersFor(4, 3) + 2);
}

TEST_F(BarrierTest, SharedInputsOfAnEntryThatWritesThem) {
  Record({Writing(NodeBuilder("a")), NodeBuilder("s").Dynamic().SharesInput("a").To("b"),
          NodeBuilder("t").Coalescing(8).SharesInput("a"), NodeBuilder("b")},
         {{"a", 40}});
  // begin, copy, a, s, t, end
  EXPECT_EQ(PositionsOf(device_.stream(), Command::Kind::kDispatch).size(), 6u);
  ExpectExact(BarriersFor(2) + 1);
}

TEST_F(BarrierTest, SeveralRoots) {
  Record({NodeBuilder("a").To("c"), NodeBuilder("b"), Writing(NodeBuilder("c")).Dynamic().To("d"),
          NodeBuilder("d").Coalescing(4)},
         {{"a", 1}, {"b", 2}, {"c", 3}});
  // What c's grids multiply to has no bound: a row may be too short for d.
  ExpectExact(BarriersFor(3, 2) + 1);
}

TEST_F(BarrierTest, BackToBackOnOneScratchWithoutTheApplicationsBarriers) {
  Record({NodeBuilder("a").To("b"), NodeBuilder("b").Dynamic()}, {{"a", 1}});
  Dispatch(device_, pipeline_, scratch_, {{"a", 5}});
  Dispatch(device_, pipeline_, scratch_, {{"b", 5}});
  Dispatch(device_, pipeline_, scratch_, {{"a", 2}, {"b", 2}});
  ExpectExact(3 * BarriersFor(2, 1));
}

TEST_F(BarrierTest, TwoGraphsWithScratchesOfTheirOwn) {
  Record({NodeBuilder("a").To("b"), NodeBuilder("b")}, {{"a", 1}});
  Record({NodeBuilder("x").To("y", 3), NodeBuilder("y").To("z"), NodeBuilder("z")}, {{"x", 1}, {"y", 1}});
  ExpectExact(BarriersFor(2) + BarriersFor(3));
}

TEST_F(BarrierTest, ManyRegionsAreOpenedByAKernelOfTheirOwn) {
  std::vector<NodeSource> sources;
  NodeBuilder top("top");
  std::vector<uint32_t> indices;
  for (uint32_t i = 0; i < 300; ++i) indices.push_back(i);
  top.ToIndices("wide", indices, 300);
  sources.push_back(top.source);
  for (uint32_t i = 0; i < 300; ++i) {
    NodeBuilder wide("wide", i);
    wide.ToIndices("last", {i});
    sources.push_back(wide.source);
    sources.push_back(NodeBuilder("last", i).source);
  }
  Use(MakePipeline(device_, sources));
  Dispatch(device_, pipeline_, scratch_, {{"top", 1}});
  const std::vector<std::string> complaints = CheckStream(world_, device_.stream());
  EXPECT_TRUE(complaints.empty()) << complaints.front();
  EXPECT_EQ(PositionsOf(device_.stream(), Command::Kind::kBarrier).size(), BarriersFor(3, 2) + 1);
}

// Every level is closed, and regions are opened anew for each.
class ClosedBarrierTest : public BarrierTest {
 protected:
  ClosedBarrierTest() : BarrierTest({.close_every_level = true}) {}
};

TEST_F(ClosedBarrierTest, Chain) {
  Record({NodeBuilder("a").To("b", 4), NodeBuilder("b").To("c", 2), NodeBuilder("c").To("d"), NodeBuilder("d")},
         {{"a", 3}});
  EXPECT_EQ(PositionsOf(device_.stream(), Command::Kind::kDispatch).size(), 1u + 2 + 3);
  ExpectExact(BarriersFor(4, 3));
}

TEST_F(ClosedBarrierTest, AllocationsFromTheHeap) {
  NodeBuilder a = NodeBuilder("a").Recursion(2).To("a", 4);
  a.LastOutput().uses_heap = true;
  Record({a}, {{"a", 9}});
  ExpectExact(BarriersFor(3, 2));
}

TEST_F(ClosedBarrierTest, InfosOnTheDevice) {
  Use(MakePipeline(device_,
                   {NodeBuilder("a").To("b", 4).Payload(8), NodeBuilder("b").Dynamic().To("c"), NodeBuilder("c")}));
  DispatchFromDevice(device_, pipeline_, scratch_, 3);
  // And the sums of levels 0 and 1, whose records nothing bounds.
  ExpectExact(BarriersFor(3, 2) + 5 + 2);
}

// Launches that share a pipeline run in batches, however few they are.
class BatchedBarrierTest : public BarrierTest {
 protected:
  BatchedBarrierTest() : BarrierTest({.launch_batches = LaunchBatches::kAlways}) {}

  void ExpectDispatches(size_t batches, size_t nodes) {
    EXPECT_EQ(PositionsOf(device_.stream(), Command::Kind::kDispatchIndirect).size(), batches + nodes);
  }
};

// Two barriers before a level with batches, as before one that is closed.
TEST_F(BatchedBarrierTest, TwoLevelsOfBatches) {
  Record({NodeBuilder("a").ToIndices("b", {0, 1, 2}), NodeBuilder("b", 0).ToIndices("c", {0, 1}),
          NodeBuilder("b", 1).ToIndices("c", {0, 1}), NodeBuilder("b", 2).ToIndices("c", {0, 1}),
          NodeBuilder("c", 0).Coalescing(8), NodeBuilder("c", 1).Coalescing(8)},
         {{"a", 3}});
  ExpectDispatches(2, 0);
  ExpectExact(BarriersFor(3, 2));
}

// The close kernel and the one for batches need no barrier between them.
TEST_F(BatchedBarrierTest, BesideLaunchesOfTheirOwn) {
  Record({NodeBuilder("a").ToIndices("b", {0, 1}).To("c").To("d"), NodeBuilder("b", 0).Static(2, 3),
          NodeBuilder("b", 1).Static(2, 3), NodeBuilder("c").Dynamic(4, 4, 4), NodeBuilder("d").Coalescing(4)},
         {{"a", 2}});
  ExpectDispatches(1, 2);
  ExpectExact(BarriersFor(2, 1));
}

// "b" is reached after one level and after two.
TEST_F(BatchedBarrierTest, LevelsOfARecursion) {
  Record({NodeBuilder("a").To("b").To("c"), NodeBuilder("b").Recursion(2).To("b"), NodeBuilder("c").To("b")},
         {{"a", 2}});
  ExpectDispatches(2, 3);
  ExpectExact(BarriersFor(5, 2));
}

TEST_F(BatchedBarrierTest, InfosOnTheDevice) {
  Use(MakePipeline(
      device_, {NodeBuilder("a").Dynamic().ToIndices("b", {0, 1}).Payload(8),
                NodeBuilder("b", 0).Coalescing(1024).Payload(16), NodeBuilder("b", 1).Coalescing(1024).Payload(16)}));
  DispatchFromDevice(device_, pipeline_, scratch_, 3);
  // And the sums of level 0's grids.
  ExpectExact(BarriersFor(2, 1) + 5 + 1);
}

// A ring of 1 MiB, so that graphs run in steps.
class SteppedBarrierTest : public BarrierTest {
 protected:
  explicit SteppedBarrierTest(bool close_every_level = false)
      : BarrierTest({.close_every_level = close_every_level, .ring_budget = 1}) {}

  // One barrier to enter and one after begin, two for each step but the first, which lacks one of them, one before what
  // is left is counted, one before end, one for the host.
  void ExpectExactSteps(size_t more = 0) {
    const size_t levels = pipeline_->graph.depth;
    const size_t barriers = PositionsOf(device_.stream(), Command::Kind::kBarrier).size();
    ASSERT_GT(barriers, more + 4 + 2 * levels) << "more steps than levels";
    ASSERT_EQ((barriers - more) % 2, 0u);
    ExpectExact(barriers);
  }
};

constexpr uint32_t kLarge = 16384;
NodeBuilder Large(NodeBuilder node) { return node.Payload(kLarge); }

// Each workgroup of "a" sends 640 KiB.
TEST_F(SteppedBarrierTest, Chain) {
  Record({NodeBuilder("a").To("b", 40, kLarge), Large(NodeBuilder("b")).To("c"), NodeBuilder("c")}, {{"a", 2}});
  ExpectExactSteps();
}

TEST_F(SteppedBarrierTest, EveryKindOfLaunch) {
  NodeBuilder finishing = Writing(Large(NodeBuilder("f"))).Static(3);
  finishing.source.info.finishes_writing = true;
  NodeBuilder heap = Large(NodeBuilder("h")).Coalescing(8).To("leaf", 4);
  heap.LastOutput().uses_heap = true;
  Record({NodeBuilder("a").To("d", 10, kLarge).To("f", 10, kLarge).To("h", 10, kLarge),
          Large(NodeBuilder("d")).Dynamic(4, 1, 1).To("leaf", 4), finishing, heap,
          Large(NodeBuilder("s")).Coalescing(4).SharesInput("d").To("leaf"), NodeBuilder("leaf")},
         {{"a", 3}});
  ExpectExactSteps();
}

TEST_F(SteppedBarrierTest, AnEntryThatWritesItsInputGetsACopy) {
  Record({Writing(NodeBuilder("a")).To("b", 40, kLarge), Large(NodeBuilder("b"))}, {{"a", 3}});
  ExpectExactSteps(1);
}

TEST_F(SteppedBarrierTest, BackToBackOnOneScratchWithoutTheApplicationsBarriers) {
  Record({NodeBuilder("a").To("b", 40, kLarge), Large(NodeBuilder("b")).Dynamic(2)}, {{"a", 2}});
  Dispatch(device_, pipeline_, scratch_, {{"a", 3}});
  ExpectExactSteps();
}

class SteppedClosedBarrierTest : public SteppedBarrierTest {
 protected:
  SteppedClosedBarrierTest() : SteppedBarrierTest(true) {}
};

TEST_F(SteppedClosedBarrierTest, StepsHaveRegionsOfTheirOwnInEachLevelAllTheSame) {
  Record({NodeBuilder("a").To("b", 40, kLarge), Large(NodeBuilder("b")).To("c"), NodeBuilder("c")}, {{"a", 2}});
  ExpectExactSteps();
}

// One recording a seed: two dispatches of a random graph from random roots, some of whose nodes write their inputs.
class RandomBarrierTest : public BarrierTest, public ::testing::WithParamInterface<uint32_t> {
 protected:
  explicit RandomBarrierTest(uint32_t ring_budget = 0, uint32_t max_rounds = 0)
      : BarrierTest({.close_every_level = GetParam() % 4 == 3,
                     .ring_budget = ring_budget,
                     .max_rounds = max_rounds,
                     .launch_batches = GetParam() % 2 == 0 ? LaunchBatches::kAlways : LaunchBatches::kAuto}) {}

  void CheckSeed();
};

void RandomBarrierTest::CheckSeed() {
  Random random(GetParam());
  std::vector<NodeSource> sources = MakeRandomNodes(random);
  for (NodeSource& source : sources) source.info.writes_input = source.info.input.size != 0 && Below(random, 4) == 0;
  Use(MakePipeline(device_, sources));
  for (uint32_t dispatch = 0; dispatch < 2; ++dispatch) {
    std::vector<Input> inputs;
    for (uint32_t i = 0; i < 1 + Below(random, 3); ++i) {
      const Node& node = pipeline_->graph.nodes[Below(random, static_cast<uint32_t>(pipeline_->graph.nodes.size()))];
      inputs.push_back({node.name, 1 + Below(random, 50), node.index, 1 + Below(random, 3)});
    }
    Dispatch(device_, pipeline_, scratch_, inputs);
  }
  const CommandStream& stream = device_.stream();
  const std::vector<std::string> complaints = CheckStream(world_, stream);
  ASSERT_TRUE(complaints.empty()) << complaints.front() << '\n' << Describe(stream);
  // Deep graphs have hundreds: a dozen of each, always other ones.
  std::vector<size_t> positions = PositionsOf(stream, Command::Kind::kBarrier);
  std::shuffle(positions.begin(), positions.end(), random);
  positions.resize(std::min<size_t>(positions.size(), 12));
  for (size_t position : positions)
    EXPECT_FALSE(CheckStream(world_, Without(stream, position)).empty())
        << "barrier at " << position << " is not needed\n"
        << Describe(stream);
}

TEST_P(RandomBarrierTest, AcceptedAndNoBarrierIsThereForNothing) { CheckSeed(); }

// Most of these graphs do not fit into 1 MiB, and run in a few steps.
class SteppedRandomBarrierTest : public RandomBarrierTest {
 protected:
  SteppedRandomBarrierTest() : RandomBarrierTest(1, 2) {}
};

TEST_P(SteppedRandomBarrierTest, AcceptedAndNoBarrierIsThereForNothing) { CheckSeed(); }

INSTANTIATE_TEST_SUITE_P(Seeds, RandomBarrierTest, ::testing::Range(0u, 40u));
INSTANTIATE_TEST_SUITE_P(Seeds, SteppedRandomBarrierTest, ::testing::Range(0u, 20u));

TEST_F(BarrierTest, ACopyOfThePushConstantsNeedsNoneOfItsOwn) {
  device_.device().traits.limits.maxPushConstantsSize = kApplicationPushBytes;
  Record({NodeBuilder("a").To("b").To("c"), NodeBuilder("b").To("c"), NodeBuilder("c")}, {{"a", 3}});
  ExpectExact(BarriersFor(3));
}

// The checker itself: a stream that is wrong in another way than by barriers.
TEST_F(BarrierTest, TheCheckerSeesMissingPushConstantsAndKernels) {
  Record({NodeBuilder("a").To("b"), NodeBuilder("b").To("c"), NodeBuilder("c")}, {{"a", 1}});
  const CommandStream& stream = device_.stream();
  ASSERT_TRUE(CheckStream(world_, stream).empty());
  // All but the last one, which puts the application's state back.
  std::vector<size_t> pushes = PositionsOf(stream, Command::Kind::kPushConstants);
  pushes.pop_back();
  EXPECT_EQ(pushes.size(), 3 + 2u);
  for (size_t position : pushes) EXPECT_FALSE(CheckStream(world_, Without(stream, position)).empty()) << position;
  for (size_t position : PositionsOf(stream, Command::Kind::kBindPipeline))
    EXPECT_FALSE(CheckStream(world_, Without(stream, position)).empty()) << position;
}

}  // namespace
}  // namespace trellis::test
