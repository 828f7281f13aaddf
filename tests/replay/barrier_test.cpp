// SPDX-License-Identifier: Apache-2.0
// The barriers of recorded graphs are enough, and none is there for nothing.
#include <gtest/gtest.h>

#include "tests/replay/barrier_test_base.h"

namespace trellis::test {
namespace {

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

// Four more than a dispatch from the host: count, append, copy, and the sizing of level 0.
class DeviceInfoBarrierTest : public BarrierTest, public ::testing::WithParamInterface<std::optional<uint32_t>> {};

TEST_P(DeviceInfoBarrierTest, FourMore) {
  Use(MakePipeline(device_, {NodeBuilder("a").To("b", 4).Payload(8), Writing(NodeBuilder("b").Dynamic().Payload(16)),
                             NodeBuilder("d").Dynamic().Payload(12), NodeBuilder("s").Payload(12).SharesInput("d")}));
  DispatchFromDevice(device_, pipeline_, scratch_, GetParam());
  // And the sums of both levels' grids.
  ExpectExact(BarriersFor(2, 1) + 4 + 2);
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

// Roots with more workgroups than two dimensions of a dispatch hold. The checker wants as many slices as inputs say.
TEST_F(BarrierTest, RootsInSlices) {
  Record({NodeBuilder("fixed").Static(65535, 256), NodeBuilder("chosen").Dynamic(65535, 256, 1).Payload(12)},
         {{"fixed", 600}, {"chosen", 300, 0, 65535}});
  ExpectExact(0);
  std::vector<uint32_t> slices;
  for (const size_t position : PositionsOf(device_.stream(), Command::Kind::kDispatch))
    slices.push_back(device_.stream()[position].z);
  EXPECT_EQ(slices, (std::vector<uint32_t>{3, 2})) << "10.1 and 5.03 times 10^9 workgroups";
}

TEST_F(BarrierTest, ManyDynamicGridsAreAddedUpFirst) {
  NodeBuilder finishing = Writing(NodeBuilder("c")).Static(5);
  finishing.source.info.finishes_writing = true;
  Record({NodeBuilder("a").To("b", 4000).To("c", 4000), NodeBuilder("b").Dynamic(4).To("d"), finishing,
          NodeBuilder("d").Dynamic()},
         {{"a", 10}});
  ExpectExact(BarriersFor(3, 2) + 2);
}

// What comes before a part is counted by its own workgroup.
TEST_F(BarrierTest, FewDynamicGridsAreNot) {
  Record({NodeBuilder("a").To("b", 4096), NodeBuilder("b").Dynamic(4)}, {{"a", 8}});
  ExpectExact(BarriersFor(2, 1));
}

TEST_F(BarrierTest, ManyDynamicGridsOfSharers) {
  Record({NodeBuilder("a").To("b", 4096), NodeBuilder("b"), NodeBuilder("s").Dynamic(4).SharesInput("b")}, {{"a", 9}});
  ExpectExact(BarriersFor(2, 1) + 1);
}

struct RoomAndParts {
  uint32_t records;  // at most
  uint32_t launches;
  bool is_cpu;
  uint32_t parts;
};

class PartsTest : public BarrierTest, public ::testing::WithParamInterface<RoomAndParts> {
 protected:
  PartsTest() : BarrierTest({.ring_budget = 2048}) {}  // for all that may arrive
};

TEST_P(PartsTest, AsManyAsTheRoomIsWorth) {
  std::vector<NodeSource> sources = {NodeBuilder("a").To("b", GetParam().records).source,
                                     NodeBuilder("b").Dynamic(4).source};
  for (uint32_t i = 1; i < GetParam().launches; ++i)
    sources.push_back(NodeBuilder("s" + std::to_string(i)).Dynamic(4).SharesInput("b").source);
  device_.device().traits.is_cpu = GetParam().is_cpu;
  Use(MakePipeline(device_, sources));
  Dispatch(device_, pipeline_, scratch_, {{"a", 1}});
  const bool is_summed = GetParam().records > 32768;
  const std::vector<size_t> dispatches = PositionsOf(device_.stream(), Command::Kind::kDispatch);
  ASSERT_EQ(dispatches.size(), is_summed ? 5u : 4u);  // begin, a, sums, sizing, losses
  for (size_t i = 2; i + 1 < dispatches.size(); ++i)
    EXPECT_EQ(device_.stream()[dispatches[i]].x, GetParam().launches * GetParam().parts);
}

INSTANTIATE_TEST_SUITE_P(Rooms, PartsTest,
                         ::testing::Values(RoomAndParts{1, 1, false, 1}, RoomAndParts{1024, 1, false, 1},
                                           RoomAndParts{1025, 1, false, 2}, RoomAndParts{32768, 1, false, 32},
                                           RoomAndParts{32769, 1, false, 33}, RoomAndParts{1 << 20, 1, false, 256},
                                           RoomAndParts{1 << 18, 1, false, 256}, RoomAndParts{1 << 21, 16, false, 128},
                                           RoomAndParts{1 << 17, 100, false, 32}, RoomAndParts{5000, 100, false, 5},
                                           RoomAndParts{5000, 1, true, 5}, RoomAndParts{1 << 20, 1, true, 16}));

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
  EXPECT_EQ(PositionsOf(device_.stream(), Command::Kind::kDispatch).size(), 4u);  // begin, copy, a, losses
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

// The counters stand next to the records, in the ring, for entries too.
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
  // begin, copy, a, s, t, losses
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
  device_.End();
  const std::vector<std::string> complaints = CheckStream(world_, device_.stream());
  EXPECT_TRUE(complaints.empty()) << complaints.front();
  EXPECT_EQ(PositionsOf(device_.stream(), Command::Kind::kBarrier).size(), BarriersFor(3, 2) + 1);
}

// Nothing is recorded for what cannot happen.
TEST_F(BarrierTest, NothingIsReportedWhereNothingCanBeLost) {
  world_.nothing_can_be_lost = true;
  Record({NodeBuilder("a").To("b", 4).LimitHolds(), NodeBuilder("b").To("c", 2).LimitHolds(), NodeBuilder("c")},
         {{"a", 3}});
  EXPECT_EQ(PositionsOf(device_.stream(), Command::Kind::kDispatch).size(), 2u);  // begin, a
  ExpectExact(BarriersFor(3));
}

// The roots and what they may send are known on the device alone.
TEST_F(BarrierTest, InfosOnTheDeviceMayLoseTheirPayloads) {
  Use(MakePipeline(device_, {NodeBuilder("a").Dynamic().Payload(12)}));
  DispatchFromDevice(device_, pipeline_, scratch_, 3);
  // begin; count, append, copy, sums, sizing; the end
  ExpectExact(1 + 5 + 1);
}

// Where other queues may want the ring, one more before it is given back.
class SharedRingBarrierTest : public BarrierTest {
 protected:
  SharedRingBarrierTest() : BarrierTest({.queues = 2}) {}
};

TEST_F(SharedRingBarrierTest, Chain) {
  Record({NodeBuilder("a").To("b", 4), NodeBuilder("b").To("c", 2), NodeBuilder("c")}, {{"a", 3}});
  ExpectExact(BarriersFor(3) + 1);
}

TEST_F(SharedRingBarrierTest, AClaimMayFailWhereNothingElseCanBeLost) {
  Record({NodeBuilder("a").To("b", 4).LimitHolds(), NodeBuilder("b")}, {{"a", 3}});
  ExpectExact(BarriersFor(2) + 1);
}

TEST_F(SharedRingBarrierTest, InputsThatAreCopiedMayFindNoRing) {
  Record({Writing(NodeBuilder("a"))}, {{"a", 40}});
  // After the copy, before the release.
  ExpectExact(BarriersFor(1) + 2);
}

TEST_F(SharedRingBarrierTest, BackToBackOnOneScratchWithoutTheApplicationsBarriers) {
  Record({NodeBuilder("a").To("b"), NodeBuilder("b").Dynamic()}, {{"a", 1}});
  Dispatch(device_, pipeline_, scratch_, {{"a", 5}});
  ExpectExact(2 * (BarriersFor(2, 1) + 1));
}

// Where executions prepare regions for one another there is neither a begin kernel nor its barrier.
class PreparedBarrierTest : public BarrierTest {
 protected:
  PreparedBarrierTest() : BarrierTest({.launch_batches = LaunchBatches::kAlways, .prepare_regions = true}) {}

  // Nodes of level 1 that are made of regions are dispatched for both sets.
  void ExpectDispatches(size_t direct, size_t indirect) {
    EXPECT_EQ(PositionsOf(device_.stream(), Command::Kind::kDispatch).size(), direct);
    EXPECT_EQ(PositionsOf(device_.stream(), Command::Kind::kDispatchIndirect).size(), indirect);
  }
};

TEST_F(PreparedBarrierTest, Chain) {
  Record({NodeBuilder("a").To("b", 4), NodeBuilder("b").To("c", 2), NodeBuilder("c").To("d"), NodeBuilder("d")},
         {{"a", 3}});
  ExpectDispatches(3, 2 + 2);  // regions, a, losses
  ExpectExact(BarriersFor(4) - 1);
}

TEST_F(PreparedBarrierTest, FanOut) {
  Record({NodeBuilder("a").To("b").To("c").To("d"), NodeBuilder("b"), NodeBuilder("c").Coalescing(8), NodeBuilder("d")},
         {{"a", 2}});
  ExpectDispatches(3, 2 * 3);
  ExpectExact(BarriersFor(2) - 1);
}

TEST_F(PreparedBarrierTest, BatchesThatProducersCount) {
  Record({NodeBuilder("a").ToIndices("b", {0, 1, 2}).To("c"), NodeBuilder("b", 0).Coalescing(8),
          NodeBuilder("b", 1).Coalescing(8), NodeBuilder("b", 2).Coalescing(8), NodeBuilder("c")},
         {{"a", 3}});
  ExpectDispatches(3, 2 * 2);
  ExpectExact(BarriersFor(2) - 1);
}

TEST_F(PreparedBarrierTest, BatchesThatAKernelNumbers) {
  Record({NodeBuilder("a").ToIndices("b", {0, 1}).ToIndices("c", {0, 1, 2}), NodeBuilder("b", 0).Static(2),
          NodeBuilder("b", 1).Static(2), NodeBuilder("c", 0).Coalescing(8), NodeBuilder("c", 1).Coalescing(8),
          NodeBuilder("c", 2).Coalescing(8)},
         {{"a", 3}});
  ExpectDispatches(3 + 1, 2 * 2);
  ExpectExact(BarriersFor(2, 1) - 1);
}

TEST_F(PreparedBarrierTest, LevelsThatAreSized) {
  Record({NodeBuilder("a").To("b", 4096), NodeBuilder("b").Dynamic(4).To("c"),
          NodeBuilder("s").Dynamic(2).SharesInput("b"), NodeBuilder("c").Dynamic(4)},
         {{"a", 9}});
  ExpectExact(BarriersFor(3, 2) - 1 + 2);
}

TEST_F(PreparedBarrierTest, AllocationsFromTheHeap) {
  NodeBuilder a = NodeBuilder("a").To("b", 4);
  a.LastOutput().uses_heap = true;
  NodeBuilder b = NodeBuilder("b").To("c", 4);
  b.LastOutput().uses_heap = true;
  Record({a, b, NodeBuilder("c")}, {{"a", 9}});
  ExpectExact(BarriersFor(3) - 1);
}

TEST_F(PreparedBarrierTest, Recursion) {
  Record({NodeBuilder("a").Recursion(3).To("a", 2).To("b"), NodeBuilder("b")}, {{"a", 1}});
  ExpectExact(BarriersFor(5) - 1);
}

TEST_F(PreparedBarrierTest, AnEntryThatWritesItsInputGetsACopy) {
  Record({Writing(NodeBuilder("a")).To("b"), NodeBuilder("b")}, {{"a", 40}});
  ExpectExact(BarriersFor(2) - 1 + 1);
}

TEST_F(PreparedBarrierTest, NothingIsReportedWhereNothingCanBeLost) {
  world_.nothing_can_be_lost = true;
  Record({NodeBuilder("a").To("b", 4).LimitHolds(), NodeBuilder("b").To("c", 2).LimitHolds(), NodeBuilder("c")},
         {{"a", 3}});
  ExpectDispatches(3, 2 + 1);  // it still turns to what it has prepared
  ExpectExact(BarriersFor(3) - 1);
}

// Two more to enter; leaves need nothing.
TEST_F(PreparedBarrierTest, BackToBackOnOneScratchWithoutTheApplicationsBarriers) {
  Record({NodeBuilder("a").To("b"), NodeBuilder("b").Dynamic()}, {{"a", 1}});
  Dispatch(device_, pipeline_, scratch_, {{"a", 1}});
  Dispatch(device_, pipeline_, scratch_, {{"b", 5}});
  Dispatch(device_, pipeline_, scratch_, {{"a", 2}, {"b", 2}});
  ExpectExact(3 * 2 + 2 + 1);
}

TEST_F(PreparedBarrierTest, GraphsInTurns) {
  Record({NodeBuilder("a").To("b"), NodeBuilder("b")}, {{"a", 1}});
  Record({NodeBuilder("x").To("y", 3).Payload(8), NodeBuilder("y").To("z").Payload(8), NodeBuilder("z").Payload(8)},
         {{"x", 1}, {"y", 1}});
  ExpectExact(1 + (1 + 2) + 1);
}

TEST_F(PreparedBarrierTest, WithoutMemoryForItABeginKernel) {
  device_.device().memory_properties.memoryTypes[0].propertyFlags &= ~VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  Record({NodeBuilder("a").To("b"), NodeBuilder("b")}, {{"a", 1}});
  ExpectExact(BarriersFor(2));
}

TEST_F(PreparedBarrierTest, MoreDispatchesThanItIsWorth) {
  NodeBuilder a("a");
  std::vector<NodeSource> sources;
  for (uint32_t i = 0; i < 33; ++i) {
    const std::string name = "b" + std::to_string(i);
    a.To(name);
    sources.push_back(NodeBuilder(name).source);
  }
  sources.push_back(a.source);
  Use(MakePipeline(device_, sources));
  Dispatch(device_, pipeline_, scratch_, {{"a", 1}});
  ExpectExact(BarriersFor(2));
}

class SharedRingPreparedBarrierTest : public BarrierTest {
 protected:
  SharedRingPreparedBarrierTest() : BarrierTest({.queues = 2, .prepare_regions = true}) {}
};

TEST_F(SharedRingPreparedBarrierTest, RingsAreClaimed) {
  Record({NodeBuilder("a").To("b"), NodeBuilder("b")}, {{"a", 1}});
  ExpectExact(BarriersFor(2) + 1);
}

// Every level is sized, and regions are opened anew for each.
class SizedBarrierTest : public BarrierTest {
 protected:
  SizedBarrierTest() : BarrierTest({.size_every_level = true}) {}
};

TEST_F(SizedBarrierTest, Chain) {
  Record({NodeBuilder("a").To("b", 4), NodeBuilder("b").To("c", 2), NodeBuilder("c").To("d"), NodeBuilder("d")},
         {{"a", 3}});
  EXPECT_EQ(PositionsOf(device_.stream(), Command::Kind::kDispatch).size(), 1u + 1 + 3);  // they report losses
  ExpectExact(BarriersFor(4, 3));
}

TEST_F(SizedBarrierTest, AllocationsFromTheHeap) {
  NodeBuilder a = NodeBuilder("a").Recursion(2).To("a", 4);
  a.LastOutput().uses_heap = true;
  Record({a}, {{"a", 9}});
  ExpectExact(BarriersFor(3, 2));
}

TEST_F(SizedBarrierTest, InfosOnTheDevice) {
  Use(MakePipeline(device_,
                   {NodeBuilder("a").To("b", 4).Payload(8), NodeBuilder("b").Dynamic().To("c"), NodeBuilder("c")}));
  DispatchFromDevice(device_, pipeline_, scratch_, 3);
  // And the sums of levels 0 and 1, whose records nothing bounds.
  ExpectExact(BarriersFor(3, 2) + 4 + 2);
}

// Launches that share a pipeline run in batches, however few they are.
class BatchedBarrierTest : public BarrierTest {
 protected:
  BatchedBarrierTest() : BarrierTest({.launch_batches = LaunchBatches::kAlways}) {}

  void ExpectDispatches(size_t batches, size_t nodes) {
    EXPECT_EQ(PositionsOf(device_.stream(), Command::Kind::kDispatchIndirect).size(), batches + nodes);
  }
};

// Two barriers before a level with batches, as before one that is sized; one where producers count.
TEST_F(BatchedBarrierTest, TwoLevelsOfBatches) {
  Record({NodeBuilder("a").ToIndices("b", {0, 1, 2}), NodeBuilder("b", 0).ToIndices("c", {0, 1}),
          NodeBuilder("b", 1).ToIndices("c", {0, 1}), NodeBuilder("b", 2).ToIndices("c", {0, 1}),
          NodeBuilder("c", 0).Coalescing(8), NodeBuilder("c", 1).Coalescing(8)},
         {{"a", 3}});
  ExpectDispatches(2, 0);
  ExpectExact(BarriersFor(3, 1));
}

// A device whose dispatches cannot have as many workgroups in a row as there may be: they are numbered.
TEST_F(BatchedBarrierTest, RowsThatAreTooShort) {
  device_.device().traits.limits.maxComputeWorkGroupCount[0] = 8;
  Record({NodeBuilder("a").ToIndices("b", {0, 1, 2}, 16), NodeBuilder("b", 0).Coalescing(4),
          NodeBuilder("b", 1).Coalescing(4), NodeBuilder("b", 2).Coalescing(4)},
         {{"a", 1}});
  ExpectDispatches(1, 0);
  ExpectExact(BarriersFor(2, 1));
}

// The sizing kernel and the one for batches need no barrier between them.
TEST_F(BatchedBarrierTest, BesideLaunchesOfTheirOwn) {
  Record({NodeBuilder("a").ToIndices("b", {0, 1}).To("c").To("d"), NodeBuilder("b", 0).Static(2, 3),
          NodeBuilder("b", 1).Static(2, 3), NodeBuilder("c").Dynamic(4, 4, 4), NodeBuilder("d").Coalescing(4)},
         {{"a", 2}});
  ExpectDispatches(1, 2);
  ExpectExact(BarriersFor(2, 1));
}

// "b" is reached after one level and after two.
// Each of its levels once, after all that enter it.
TEST_F(BatchedBarrierTest, ARecursionEnteredAtTwoDepths) {
  Record({NodeBuilder("a").To("b").To("c"), NodeBuilder("b").Recursion(2).To("b"), NodeBuilder("c").To("b")},
         {{"a", 2}});
  ExpectDispatches(0, 4);
  ExpectExact(BarriersFor(5));
}

TEST_F(BatchedBarrierTest, InfosOnTheDevice) {
  Use(MakePipeline(
      device_, {NodeBuilder("a").Dynamic().ToIndices("b", {0, 1}).Payload(8),
                NodeBuilder("b", 0).Coalescing(1024).Payload(16), NodeBuilder("b", 1).Coalescing(1024).Payload(16)}));
  DispatchFromDevice(device_, pipeline_, scratch_, 3);
  // And the sums of level 0's grids.
  ExpectExact(BarriersFor(2) + 4 + 1);
}

TEST_F(BarrierTest, ACopyOfThePushConstantsNeedsNoneOfItsOwn) {
  device_.device().traits.limits.maxPushConstantsSize = kApplicationPushBytes;
  Record({NodeBuilder("a").To("b").To("c"), NodeBuilder("b").To("c"), NodeBuilder("c")}, {{"a", 3}});
  ExpectExact(BarriersFor(3));
}

// The checker itself: a stream that is wrong in another way than by barriers.
TEST_F(BarrierTest, TheCheckerSeesMissingPushConstantsAndKernels) {
  Record({NodeBuilder("a").To("b"), NodeBuilder("b").To("c"), NodeBuilder("c")}, {{"a", 1}});
  device_.End();
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
