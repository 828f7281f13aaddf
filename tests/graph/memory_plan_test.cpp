// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/memory_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meta_shaders/shared/kernel_plans.h"
#include "tests/graph/graph_builder.h"
#include "tests/support/units.h"

namespace trellis::test {
namespace {

constexpr MemoryLimits kLimits = {64 * kMiB, (1u << 24) - 1};

GraphPlan PlanFrom(const Graph& graph, uint32_t root, uint64_t workgroups, const MemoryLimits& limits = kLimits) {
  const RootCount count = {{root, root}, workgroups};
  return PlanWith(graph, AssignLevels(graph, std::vector<uint32_t>{root}), std::span(&count, 1), limits);
}

const shared::RegionPlan& Opening(const GraphPlan& plan, uint32_t level, uint32_t slot) {
  for (const shared::RegionPlan& opening : plan.openings_of(level))
    if (opening.slot == slot) return opening;
  ADD_FAILURE() << "level " << level << " does not open slot " << slot;
  static const shared::RegionPlan none = {};
  return none;
}

// Records, then a list for each word of state, every part padded to 16 bytes.
TEST(MemoryPlan, BytesOfARegion) {
  EXPECT_EQ(RegionBytes(20, 0, 0), 0u);
  EXPECT_EQ(RegionBytes(20, 0, 3), 64u);
  EXPECT_EQ(RegionBytes(8, 1, 3), 32u + 16);
  EXPECT_EQ(RegionBytes(8, 4, 5), 48u + 4 * 32);
  EXPECT_EQ(RegionBytes(1u << 31, 4, uint64_t{1} << 40), ~uint64_t{0}) << "saturates";
}

TEST(MemoryPlan, MaxWorkgroupsOfRecords) {
  spirv::NodeInfo info;
  info.kind = spirv::LaunchKind::kCoalescing;
  info.coalesce = 8;
  EXPECT_EQ(MaxWorkgroupsOfRecords(info, 17, 1000), 3u);
  info.kind = spirv::LaunchKind::kStaticGrid;
  info.grid = {20, 30, 40};
  EXPECT_EQ(MaxWorkgroupsOfRecords(info, 2, 1000), 48000u) << "the limit is one of dynamic grids";
  info.kind = spirv::LaunchKind::kDynamicGrid;
  EXPECT_EQ(MaxWorkgroupsOfRecords(info, 2, 1000), 2000u);
  info.grid = {2, 3, 4};
  EXPECT_EQ(MaxWorkgroupsOfRecords(info, 2, 1000), 48u);
  info.grid = {2, 0, 4};
  EXPECT_EQ(MaxWorkgroupsOfRecords(info, 2, 1000), 2000u) << "a side without a bound";
}

TEST(MemoryPlan, AGraphWithoutLevelsNeedsNothing) {
  const Graph graph = MustLink({NodeBuilder("a")});
  const GraphPlan plan = PlanWith(graph, AssignLevels(graph, {}), {}, kLimits);
  EXPECT_EQ(plan.ring_bytes(), 0u);
  EXPECT_TRUE(plan.openings.empty());
}

TEST(MemoryPlan, AGraphOfOneLevelNeedsNoRing) {
  const GraphPlan plan = PlanFrom(MustLink({NodeBuilder("a").To("nobody", 100)}), 0, 1000);
  EXPECT_EQ(plan.ring_bytes(), 0u);
  EXPECT_TRUE(plan.openings_of(0).empty());
}

TEST(MemoryPlan, WhatFitsIsReservedExactly) {
  const Graph graph =
      MustLink({NodeBuilder("a").To("b", 3).To("c", 2), NodeBuilder("b").Payload(20), NodeBuilder("c").Payload(8)});
  const GraphPlan plan = PlanFrom(graph, 0, 1000);
  EXPECT_TRUE(plan.bounded);
  EXPECT_EQ(Opening(plan, 0, SlotOf(graph, "b")).capacity, 3000u);
  EXPECT_EQ(Opening(plan, 0, SlotOf(graph, "b")).stride, 20u);
  EXPECT_EQ(Opening(plan, 0, SlotOf(graph, "c")).capacity, 2000u);
  EXPECT_EQ(plan.half_bytes[0], (3000u * 20 + 2000 * 16 + 255) / 256 * 256);
  EXPECT_EQ(plan.half_bytes[1], 0u) << "two levels need one half";
}

TEST(MemoryPlan, NothingCanBeLostWhereAllFitsAndLimitsHold) {
  const auto cannot_lose = [](std::initializer_list<NodeBuilder> nodes, uint64_t records) {
    const GraphPlan plan = PlanFrom(MustLink(nodes), 0, records);
    return plan.cannot_lose;
  };
  const NodeBuilder middle = NodeBuilder("b").To("c").LimitHolds();
  EXPECT_TRUE(cannot_lose({NodeBuilder("a").To("b").LimitHolds(), middle, NodeBuilder("c")}, 10));
  EXPECT_FALSE(cannot_lose({NodeBuilder("a").To("b").LimitHolds(), middle, NodeBuilder("c")}, uint64_t{1} << 40));
  EXPECT_FALSE(cannot_lose({NodeBuilder("a").To("b"), middle, NodeBuilder("c")}, 10));
  EXPECT_FALSE(cannot_lose({NodeBuilder("a").To("b").LimitHolds(), NodeBuilder("b").To("c"), NodeBuilder("c")}, 10));
  EXPECT_TRUE(cannot_lose({NodeBuilder("a").To("b").LimitHolds(), NodeBuilder("b").To("nobody")}, 10));
}

// Each node of an array gets room for what one workgroup may send to it, not for what it may send to all of them.
TEST(MemoryPlan, RecordsPerNodeBoundEachNodeOfAnArray) {
  NodeBuilder producer("a");
  producer.To("b", 100).To("b", 7);
  producer.source.info.outputs[0].max_payloads_per_node = 2;
  const Graph graph = MustLink({producer, NodeBuilder("b", 0), NodeBuilder("b", 1), NodeBuilder("b", 5)});
  const GraphPlan plan = PlanFrom(graph, 0, 10);
  for (const uint32_t index : {0u, 1u, 5u})
    EXPECT_EQ(Opening(plan, 0, SlotOf(graph, "b", index)).capacity, 10u * (2 + 7));
}

TEST(MemoryPlan, StaticGridsMultiplyRecords) {
  const Graph graph = MustLink({NodeBuilder("a").To("b"), NodeBuilder("b").Static(4, 5).To("c", 3), NodeBuilder("c")});
  EXPECT_EQ(Opening(PlanFrom(graph, 0, 10), 1, SlotOf(graph, "c")).capacity, 10u * 20 * 3);
}

TEST(MemoryPlan, CoalescingDividesRecords) {
  const Graph graph =
      MustLink({NodeBuilder("a").To("b", 25), NodeBuilder("b").Coalescing(32).To("c", 3), NodeBuilder("c")});
  EXPECT_EQ(Opening(PlanFrom(graph, 0, 10), 1, SlotOf(graph, "c")).capacity, 8u * 3) << "ceil(250 / 32) workgroups";
}

// What is packed are workgroups that may each send so much.
TEST(MemoryPlan, PackedWorkgroupsCountOneByOne) {
  const Graph graph =
      MustLink({NodeBuilder("a").To("b", 25), NodeBuilder("b").Coalescing(1).Packed(64).To("c", 3), NodeBuilder("c")});
  EXPECT_EQ(Opening(PlanFrom(graph, 0, 10), 1, SlotOf(graph, "c")).capacity, 250u * 3);
}

TEST(MemoryPlan, GridsFromRecordsAreBoundedByTheirMaximum) {
  const Graph graph = MustLink({NodeBuilder("a").To("b"), NodeBuilder("b").Dynamic(8, 2, 1).To("c"), NodeBuilder("c")});
  EXPECT_EQ(Opening(PlanFrom(graph, 0, 10), 1, SlotOf(graph, "c")).capacity, 160u);
}

TEST(MemoryPlan, GridsWithoutMaximumAreBoundedByTheDevice) {
  const Graph graph =
      MustLink({NodeBuilder("a").To("b"), NodeBuilder("b").Dynamic(0, 2, 1).To("c"), NodeBuilder("c").Payload(4)});
  const GraphPlan plan = PlanFrom(graph, 0, 10, {64 * kMiB, 1000});
  EXPECT_EQ(Opening(plan, 1, SlotOf(graph, "c")).capacity, 10000u);
}

TEST(MemoryPlan, RecordStateFollowsItsRecords) {
  const Graph graph = MustLink({NodeBuilder("a").To("b", 1, 12).To("d", 1, 12), NodeBuilder("b").Dynamic().Payload(12),
                                NodeBuilder("d").Payload(12)});
  const GraphPlan plan = PlanFrom(graph, 0, 1001);
  constexpr uint64_t kRecords = (1001 * 12 + 15) / 16 * 16;
  constexpr uint64_t kRecordState = (1001 * 4 + 15) / 16 * 16;
  EXPECT_EQ(Opening(plan, 0, SlotOf(graph, "b")).offset, 0u);
  EXPECT_EQ(Opening(plan, 0, SlotOf(graph, "d")).offset, kRecords + kRecordState);
  EXPECT_EQ(plan.half_bytes[0], (2 * kRecords + kRecordState + 255) / 256 * 256);
}

TEST(MemoryPlan, RecordStateIsAsLongAsTheNodeNeedsIt) {
  NodeBuilder finishing = NodeBuilder("finishing").Payload(12);
  finishing.source.info.writes_input = finishing.source.info.finishes_writing = true;
  NodeBuilder dynamic = NodeBuilder("dynamic").Dynamic().Payload(12);
  dynamic.source.info.writes_input = true;
  const Graph graph = MustLink({NodeBuilder("a").To("finishing", 1, 12).To("dynamic", 1, 12).To("plain", 1, 12),
                                finishing, dynamic, NodeBuilder("plain").Payload(12)});
  const GraphPlan plan = PlanFrom(graph, 0, 1000);
  uint64_t bytes = 0;
  for (size_t i = 0; i < plan.openings.size(); ++i) {
    const shared::RegionPlan& opening = plan.openings[i];
    EXPECT_EQ(opening.capacity, 1000u);
    EXPECT_EQ(opening.offset, bytes);
    bytes += 12000;
    if (opening.slot == SlotOf(graph, "plain")) continue;
    bytes += opening.slot == SlotOf(graph, "dynamic") ? 16000 : 4000;
  }
  EXPECT_EQ(plan.half_bytes[0], (bytes + 255) / 256 * 256);
}

TEST(MemoryPlan, LevelsAlternateBetweenTheHalves) {
  std::vector<NodeSource> sources;
  for (uint32_t i = 0; i < 6; ++i)
    sources.push_back(NodeBuilder("n" + std::to_string(i)).To("n" + std::to_string(i + 1), 2).source);
  const Graph graph = MustLink(std::move(sources));
  const GraphPlan plan = PlanFrom(graph, 0, 100);
  EXPECT_GT(plan.half_bytes[0], 0u);
  EXPECT_GT(plan.half_bytes[1], plan.half_bytes[0] / 4);
  for (uint32_t level = 0; level < 5; ++level) {
    ASSERT_EQ(plan.openings_of(level).size(), 1u);
    EXPECT_EQ(plan.openings_of(level)[0].offset, level % 2 == 0 ? 0 : plan.half_bytes[0]);
  }
}

TEST(MemoryPlan, RecordsOfSeveralProducersAddUp) {
  const Graph graph = MustLink({NodeBuilder("a").To("c", 3), NodeBuilder("b").To("c", 4), NodeBuilder("c")});
  const std::vector<RootCount> roots = {{{0, 0}, 10}, {{1, 1}, 50}, {{0, 0}, 7}};
  const GraphPlan plan = PlanWith(graph, AssignLevels(graph, std::vector<uint32_t>{0, 1}), roots, kLimits);
  EXPECT_EQ(Opening(plan, 0, SlotOf(graph, "c")).capacity, 17u * 3 + 50 * 4);
}

TEST(MemoryPlan, OutputsThatShareALimitSendItOnce) {
  const auto plan = [](bool shares) {
    NodeBuilder a = NodeBuilder("a").To("b", 100).To("c", 100, 32);
    if (shares) a.SharesLimit();
    const Graph graph =
        MustLink({a, NodeBuilder("b").To("leaf"), NodeBuilder("c").Payload(32).To("leaf"), NodeBuilder("leaf")});
    const GraphPlan planned = PlanFrom(graph, 0, 10);
    return std::vector<uint32_t>{Opening(planned, 0, SlotOf(graph, "b")).capacity,
                                 Opening(planned, 0, SlotOf(graph, "c")).capacity,
                                 Opening(planned, 1, SlotOf(graph, "leaf")).capacity};
  };
  EXPECT_EQ(plan(false), (std::vector<uint32_t>{1000, 1000, 2000}));
  EXPECT_EQ(plan(true), (std::vector<uint32_t>{1000, 1000, 1000}));
}

TEST(MemoryPlan, EmptyPayloadsTakeNoMemory) {
  const Graph graph = MustLink({NodeBuilder("a").To("b", 256, 0), NodeBuilder("b").Payload(0, 1)});
  const GraphPlan plan = PlanFrom(graph, 0, 1u << 20);
  EXPECT_EQ(Opening(plan, 0, SlotOf(graph, "b")).capacity, 256u << 20);
  EXPECT_EQ(plan.ring_bytes(), 0u);
  EXPECT_TRUE(plan.bounded);
}

TEST(MemoryPlan, SmallNeedsAreDenseAndLargeOnesGrow) {
  const Graph graph = MustLink({NodeBuilder("a").To("small", 1).To("big", 256).To("bigger", 65536),
                                NodeBuilder("small"), NodeBuilder("big"), NodeBuilder("bigger")});
  const GraphPlan plan = PlanFrom(graph, 0, 1000, {kMiB, 1u << 24});
  EXPECT_FALSE(plan.bounded);
  EXPECT_EQ(Opening(plan, 0, SlotOf(graph, "small")).capacity, 1000u);
  EXPECT_EQ(Opening(plan, 0, SlotOf(graph, "small")).dense, 1000u);
  // An eighth of the half for what is dense, of which the small one takes 16,000 bytes.
  EXPECT_EQ(Opening(plan, 0, SlotOf(graph, "big")).dense, 2048u);
  EXPECT_EQ(Opening(plan, 0, SlotOf(graph, "bigger")).dense, 4096u);
  const uint64_t pool = Opening(plan, 0, graph.HeapSlot()).capacity * uint64_t{16};
  EXPECT_GE(pool, kMiB - 16000 - (2048 + 4096) * 16 - 256);
  for (const char* name : {"big", "bigger"}) {
    const shared::RegionPlan& region = Opening(plan, 0, SlotOf(graph, name));
    EXPECT_EQ(region.capacity, region.dense + pool / 16) << "more finds no memory";
  }
  EXPECT_LE(plan.half_bytes[0], kMiB);
}

// Nobody knows to which node of an array records go; together they are not more than their producers send.
TEST(MemoryPlan, WhatAllNodesOfAnArrayGetTogetherIsWhatMustFit) {
  std::vector<NodeSource> nodes = {NodeBuilder("a").To("b", 16, 64).To("nobody", 100, 64).source};
  for (uint32_t index = 0; index < 8; ++index) nodes.push_back(NodeBuilder("b", index).Payload(64).source);
  const Graph graph = MustLink(nodes);
  constexpr uint64_t kSent = 100 * 16 * 64;
  const auto plan = [&](uint64_t half) { return PlanFrom(graph, 0, 100, {half / 256 * 256, 1u << 20}); };
  EXPECT_TRUE(plan(8 * kSent).bounded);
  EXPECT_EQ(Opening(plan(8 * kSent), 0, SlotOf(graph, "b", 3)).dense, 1600u);
  EXPECT_TRUE(plan(8 * kSent - 256).bounded);
  EXPECT_LT(Opening(plan(8 * kSent - 256), 0, SlotOf(graph, "b", 3)).dense, 1600u);
  EXPECT_TRUE(plan(kSent * 7 / 5).bounded) << "a quarter more than is sent, and a little";
  EXPECT_FALSE(plan(kSent * 5 / 4).bounded);
  for (uint32_t index = 0; index < 8; ++index)
    EXPECT_EQ(Opening(plan(kSent * 7 / 5), 0, SlotOf(graph, "b", index)).capacity, 1600u);
}

// Segments are found by 32 bits, in units of the pool's records.
TEST(MemoryPlan, NoSegmentIsFartherFromItsRegionThanItsWordCounts) {
  constexpr uint64_t kGiB = 1024 * kMiB;
  std::vector<NodeSource> nodes = {NodeBuilder("a").To("b", 1000, 64).source};
  for (uint32_t index = 0; index < 71; ++index) nodes.push_back(NodeBuilder("b", index).Payload(64).source);
  const Graph graph = MustLink(nodes);
  for (const uint64_t half : {80 * kGiB, 100 * kGiB, 200 * kGiB}) {
    const GraphPlan plan = PlanFrom(graph, 0, 390'000, {half, 1u << 20});
    const shared::RegionPlan& pool = Opening(plan, 0, graph.HeapSlot());
    ASSERT_GT(pool.capacity, 0u);
    uint64_t first = pool.offset;
    for (const shared::RegionPlan& opening : plan.openings_of(0)) first = std::min<uint64_t>(first, opening.offset);
    EXPECT_LT((pool.offset - first) / 16 + pool.capacity, uint64_t{shared::kFirstClaim}) << half / kGiB;
  }
}

// A level of the array sends on what it got, whichever nodes got it.
TEST(MemoryPlan, ArraysBehindArraysDoNotMultiply) {
  constexpr uint32_t kNodes = 128;
  std::vector<NodeSource> nodes = {NodeBuilder("a").To("b", 1, 8).source};
  for (uint32_t index = 0; index < kNodes; ++index)
    nodes.push_back(NodeBuilder("b", index).Payload(8).To("c", 2, 8).source);
  for (uint32_t index = 0; index < kNodes; ++index)
    nodes.push_back(NodeBuilder("c", index).Payload(8).Coalescing(64).To("d", 3, 8).source);
  for (uint32_t index = 0; index < kNodes; ++index) nodes.push_back(NodeBuilder("d", index).Payload(8).source);
  const Graph graph = MustLink(nodes);
  const GraphPlan plan = PlanFrom(graph, SlotOf(graph, "a"), 10000);
  EXPECT_EQ(Opening(plan, 0, SlotOf(graph, "b", 5)).capacity, 10000u);
  EXPECT_EQ(Opening(plan, 1, SlotOf(graph, "c", 5)).capacity, 20000u);
  // 312.5 workgroups of 64 records, and one in each node that has fewer, send 3 each.
  EXPECT_EQ(Opening(plan, 2, SlotOf(graph, "d", 5)).capacity, 1321u);
}

TEST(MemoryPlan, RecordStateOfRegionsThatGrowComesFromThePool) {
  std::vector<NodeSource> nodes = {NodeBuilder("a").To("b", 16, 64).source};
  for (uint32_t index = 0; index < 64; ++index)
    nodes.push_back(NodeBuilder("b", index).Dynamic(4, 1, 1).Payload(64).source);
  const Graph graph = MustLink(nodes);
  const GraphPlan plan = PlanFrom(graph, 0, 1000, {4 * kMiB, 1u << 24});
  EXPECT_TRUE(plan.bounded);
  EXPECT_EQ(Opening(plan, 0, SlotOf(graph, "b", 9)).state_words, 1u);
  EXPECT_EQ(Opening(plan, 0, graph.HeapSlot()).capacity, 16000u * 64 * 5 / 4 / 16);
  // A word for each record, and up to three more in each region.
  EXPECT_EQ(Opening(plan, 0, graph.HeapSlot()).state_units, 16000u * 4 / 16 + 64);
}

TEST(MemoryPlan, LaterLevelsAreBoundedByWhatFitsBefore) {
  const Graph graph =
      MustLink({NodeBuilder("a").To("b", 65536), NodeBuilder("b").To("c"), NodeBuilder("c").Payload(4)});
  const GraphPlan plan = PlanFrom(graph, 0, 1u << 20, {kMiB, 1u << 24});
  EXPECT_EQ(Opening(plan, 1, SlotOf(graph, "c")).capacity, Opening(plan, 0, SlotOf(graph, "b")).capacity);
}

TEST(MemoryPlan, NumbersBeyondSixtyFourBitsSaturate) {
  const Graph graph = MustLink({NodeBuilder("a").To("r", 0xffffffffu),
                                NodeBuilder("r")
                                    .Recursion(20)
                                    .Static(0xffffffffu, 0xffffffffu, 0xffffffffu)
                                    .To("r", 0xffffffffu)
                                    .To("b", 0xffffffffu),
                                NodeBuilder("b").Dynamic()});
  const GraphPlan plan = PlanFrom(graph, 0, ~uint64_t{0}, {kMiB, ~uint64_t{0}});
  EXPECT_FALSE(plan.bounded);
  EXPECT_LE(plan.half_bytes[0], kMiB);
  EXPECT_LE(plan.half_bytes[1], kMiB);
  for (uint32_t level = 0; level < 20; ++level)
    for (const shared::RegionPlan& opening : plan.openings_of(level)) EXPECT_GT(opening.capacity, 20000u);
}

TEST(MemoryPlan, CapacitiesStayBelowTwoToTheThirtyOne) {
  const Graph graph = MustLink({NodeBuilder("a").To("b", 0xffffffffu, 0), NodeBuilder("b").Payload(0, 1).To("c", 2, 4),
                                NodeBuilder("c").Payload(4)});
  const GraphPlan plan = PlanFrom(graph, 0, 0xffffffffu, {uint64_t{1} << 40, 1u << 24});
  EXPECT_EQ(Opening(plan, 0, SlotOf(graph, "b")).capacity, 0x7fffffffu);
  EXPECT_EQ(Opening(plan, 1, SlotOf(graph, "c")).capacity, 0x7fffffffu);
  EXPECT_GT(plan.half_bytes[1], uint64_t{1} << 32) << "regions may be larger than 4 GiB";
  EXPECT_FALSE(plan.bounded);
}

TEST(MemoryPlan, TheHeapHasRoomForEveryAllocationOfItsOwn) {
  NodeBuilder producer = NodeBuilder("a").To("b", 3);
  producer.LastOutput().uses_heap = true;
  const Graph graph = MustLink({producer, NodeBuilder("b").Payload(20)});
  const GraphPlan plan = PlanFrom(graph, 0, 100);
  const shared::RegionPlan& heap = Opening(plan, 0, graph.HeapSlot());
  EXPECT_EQ(heap.stride, 16u);
  EXPECT_EQ(heap.capacity, 100u * 3 * 3) << "16 bytes of header and 32 of record each";
  EXPECT_EQ(plan.openings_of(0).back().slot, graph.HeapSlot());
}

TEST(MemoryPlan, AHalfWithoutRoomLosesEverythingAndBreaksNothing) {
  const Graph graph = MustLink({NodeBuilder("a").To("b"), NodeBuilder("b").Dynamic()});
  const GraphPlan plan = PlanFrom(graph, 0, 100, {255, 1u << 24});
  EXPECT_EQ(plan.ring_bytes(), 0u);
  EXPECT_EQ(Opening(plan, 0, SlotOf(graph, "b")).capacity, 0u);
}

TEST(MemoryPlan, NothingDispatchedNeedsNothing) {
  const Graph graph = MustLink({NodeBuilder("a").To("b", 5), NodeBuilder("b").To("c"), NodeBuilder("c")});
  const GraphPlan plan = PlanFrom(graph, 0, 0);
  EXPECT_EQ(plan.ring_bytes(), 0u);
  EXPECT_TRUE(plan.bounded);
}

}  // namespace
}  // namespace trellis::test
