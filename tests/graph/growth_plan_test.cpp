// SPDX-License-Identifier: Apache-2.0
// Plans of regions that grow, looked at from what a run can place.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "layer/graph/levels.h"
#include "layer/graph/memory_plan.h"
#include "layer/graph/region_layout.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "tests/graph/graph_builder.h"
#include "tests/graph/plan_reference.h"
#include "tests/support/units.h"

namespace trellis::test {
namespace {

constexpr uint64_t kGiB = 1 << 30;
constexpr uint64_t kMax = ~uint64_t{0};

GraphPlan PlanHalves(const Graph& graph, std::vector<RootCount> roots, uint64_t half_bytes) {
  std::vector<uint32_t> slots;
  for (const RootCount& root : roots) slots.push_back(root.launch.input);
  return PlanWith(graph, AssignLevels(graph, slots), roots, {half_bytes, (1u << 24) - 1});
}
GraphPlan PlanHalves(const Graph& graph, uint64_t workgroups, uint64_t half_bytes) {
  return PlanHalves(graph, std::vector<RootCount>{{{0, 0}, workgroups}}, half_bytes);
}

// Of `sent` records that all go to one slot of level 1: how many lie in the region when all have been reserved.
uint64_t Placed(GraphPlan& plan, const Graph& graph, uint32_t slot, uint64_t sent) {
  const shared::RegionPlan& region = plan.opening_of(1, slot);
  uint64_t placed = std::min<uint64_t>(sent, region.dense);
  uint64_t most = std::min<uint64_t>(sent, region.capacity);
  if (most == placed) return placed;
  const uint64_t pool = plan.opening_of(1, graph.HeapSlot()).capacity * uint64_t{16};
  // The most records whose segments the pool can give.
  while (placed < most) {
    const uint64_t middle = placed + (most - placed + 1) / 2;
    if (ReferenceGrownBytes(region.stride, region.dense, middle) <= pool)
      placed = middle;
    else
      most = middle - 1;
  }
  return placed;
}

// One node gets everything, and nobody knows how much (infos on the device): what half a ring can keep must be kept.
// Before regions grew, it had 8,388,608 records.
TEST(GrowthPlan, OneRegionOfUnknownSizeKeepsWhatTheHalfCanKeep) {
  const Graph graph = MustLink({NodeBuilder("a").To("b", 1, 64), NodeBuilder("b").Payload(64)});
  GraphPlan plan = PlanHalves(graph, kMax, 512 * kMiB);
  EXPECT_GE(Placed(plan, graph, SlotOf(graph, "b"), kMax), 8'388'608u - 16);
}
TEST(GrowthPlan, TheSameWithAnotherStride) {
  const Graph graph = MustLink({NodeBuilder("a").To("b", 1, 80), NodeBuilder("b").Payload(80)});
  GraphPlan plan = PlanHalves(graph, kMax, 512 * kMiB);
  EXPECT_GE(Placed(plan, graph, SlotOf(graph, "b"), kMax), 6'710'886u - 16);
}

// Octaves from a quarter of what lies dense on: 16, 32 and so on up to 2,048. An execution may begin with so little.
TEST(GrowthPlan, SegmentsAreCountedFromAQuarterOfTheDensePart) {
  EXPECT_EQ(SegmentsOf({.bound = 4096, .dense = 64}), 4 * 8u);
  EXPECT_EQ(SegmentsOf({.bound = 4097, .dense = 64}), 4 * 9u);
  EXPECT_EQ(SegmentsOf({.bound = 64, .dense = 64}), 0u);
}

// 100 records of 256 bytes are 1 % of the half, whichever of the 1,023 nodes gets them.
TEST(GrowthPlan, LittleForOneOfManyNodesFitsIntoASmallRing) {
  std::vector<NodeSource> nodes = {NodeBuilder("a").To("b", 1, 256).source};
  for (uint32_t index = 0; index < 1023; ++index) nodes.push_back(NodeBuilder("b", index).Payload(256).source);
  const Graph graph = MustLink(nodes);
  GraphPlan plan = PlanHalves(graph, 100, 2 * kMiB);
  EXPECT_TRUE(plan.bounded);
  for (const uint32_t index : {0u, 126u, 200u, 1022u}) {
    EXPECT_EQ(Placed(plan, graph, SlotOf(graph, "b", index), 100), 100u) << index;
  }
}

// The pool counts 2^31 - 1 units: 32 GiB. A plan that needs more must not say that all fits.
TEST(GrowthPlan, APoolThatIsCutIsNotBounded) {
  std::vector<NodeSource> nodes = {NodeBuilder("a").To("b", 1, 256).source};
  for (uint32_t index = 0; index < 8; ++index) nodes.push_back(NodeBuilder("b", index).Payload(256).source);
  const Graph graph = MustLink(nodes);
  constexpr uint64_t kSent = 40 * kGiB / 256;
  GraphPlan plan = PlanHalves(graph, kSent, 69 * kGiB);
  if (plan.bounded) {
    EXPECT_EQ(Placed(plan, graph, SlotOf(graph, "b", 3), kSent), kSent);
  }
}

// State of what lies dense must have room: else the launches lose all records of the region.
TEST(GrowthPlan, DenseRecordsHaveStateEvenIfTheyAreLong) {
  std::vector<NodeSource> nodes = {NodeBuilder("a").To("b", 1, 4).source};
  const auto writes = [](NodeBuilder node) {
    node.source.info.writes_input = true;
    return node.source;
  };
  nodes.push_back(writes(NodeBuilder("b").Payload(4).Dynamic(4, 1, 1)));
  for (uint32_t i = 0; i < 3; ++i)
    nodes.push_back(writes(NodeBuilder("s" + std::to_string(i)).Payload(4).Dynamic(4, 1, 1).SharesInput("b")));
  const Graph graph = MustLink(nodes);
  GraphPlan plan = PlanHalves(graph, 1u << 24, kMiB);
  const shared::RegionPlan& region = plan.opening_of(1, SlotOf(graph, "b"));
  // Whatever number of records can be there at the end, there must be state for them.
  const uint64_t records = Placed(plan, graph, SlotOf(graph, "b"), 1u << 24);
  EXPECT_GT(records, 0u);
  if (region.state_words != 0) {
    const shared::RegionPlan& pool = plan.opening_of(1, graph.HeapSlot());
    // Segments bring their own.
    const uint64_t kept = pool.state_words != 0 ? std::min<uint64_t>(records, region.dense) : records;
    EXPECT_LE((kept * 4 + 15) / 16 * region.state_words, pool.state_units)
        << kept << " records, " << region.state_words << " words each";
  }
}

// A root without workgroups sends nothing, however much one of them could.
TEST(GrowthPlan, NoWorkgroupsTimesInfiniteLoadsIsNothing) {
  std::vector<NodeSource> nodes = {
      NodeBuilder("a").To("b", 1, 64).source,
      NodeBuilder("r").Recursion(40).Dynamic(0, 1, 1).To("r", 256).To("b", 256, 64).source};
  for (uint32_t index = 0; index < 8; ++index)
    nodes.push_back(NodeBuilder("b", index).Payload(64).To("c", 1, 64).source);
  for (uint32_t index = 0; index < 8; ++index) nodes.push_back(NodeBuilder("c", index).Payload(64).source);
  const Graph graph = MustLink(nodes);
  const uint32_t a = SlotOf(graph, "a");
  const uint32_t r = SlotOf(graph, "r");
  const GraphPlan with = PlanHalves(graph, {{{a, a}, 100000}, {{r, r}, 0}}, 16 * kMiB);
  const GraphPlan without = PlanHalves(graph, {{{a, a}, 100000}}, 16 * kMiB);
  EXPECT_TRUE(without.bounded);
  EXPECT_EQ(with.bounded, without.bounded);
}

}  // namespace
}  // namespace trellis::test
