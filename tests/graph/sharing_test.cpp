// SPDX-License-Identifier: Apache-2.0
// Shared inputs (SharesInputWithAMDX) in everything that layer/graph makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layer/graph/describe.h"
#include "layer/graph/levels.h"
#include "layer/graph/memory_plan.h"
#include "layer/graph/tables.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "tests/graph/graph_builder.h"
#include "tests/graph/table_reader.h"

namespace trellis::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr MemoryLimits kRoomyLimits = {64 << 20, (1u << 24) - 1};

std::vector<Launch> LaunchesOf(const LevelSchedule& schedule, uint32_t level) {
  const std::span<const Launch> launches = schedule.launches_of(level);
  return {launches.begin(), launches.end()};
}

LevelSchedule ScheduleFrom(const Graph& graph, const std::string& root) {
  return AssignLevels(graph, std::vector<uint32_t>{SlotOf(graph, root)});
}

TEST(LinkSharing, ANodeKnowsItsSharers) {
  const Graph graph =
      MustLink({NodeBuilder("s", 1).SharesInput("a", 2), NodeBuilder("a", 2), NodeBuilder("a", 1),
                NodeBuilder("t").SharesInput("a", 2), NodeBuilder("u").SharesInput("a", 1).Recursion(3)});
  EXPECT_THAT(graph.nodes[graph.FindNode("a", 2)].sharers, ElementsAre(0, 3));
  EXPECT_THAT(graph.nodes[graph.FindNode("a", 1)].sharers, ElementsAre(4));
  EXPECT_THAT(graph.nodes[0].sharers, IsEmpty());
  EXPECT_EQ(graph.launch_count, graph.slots.size() + 3);
}

TEST(LinkSharing, WithAMissingNodeChangesNothing) {
  const Graph graph = MustLink({NodeBuilder("a", 1), NodeBuilder("s").SharesInput("a", 0)});
  for (const Node& node : graph.nodes) EXPECT_THAT(node.sharers, IsEmpty());
  EXPECT_EQ(graph.launch_count, 2u);
}

TEST(LinkSharing, WithANodeThatSharesIsRefused) {
  EXPECT_THAT(LinkError({NodeBuilder("a"), NodeBuilder("s", 4).SharesInput("a"), NodeBuilder("t").SharesInput("s", 4)}),
              AllOf(HasSubstr("t[0]"), HasSubstr("s[4]"), HasSubstr("a[0]")));
  EXPECT_THAT(LinkError({NodeBuilder("s").SharesInput("nobody"), NodeBuilder("t").SharesInput("s")}),
              AllOf(HasSubstr("t[0]"), HasSubstr("s[0]"), HasSubstr("nobody[0]")));
  EXPECT_THAT(LinkError({NodeBuilder("s").SharesInput("s")}), HasSubstr("s[0]"));
}

std::vector<NodeSource> WithSharers(uint32_t count) {
  std::vector<NodeSource> sources = Sources({NodeBuilder("a")});
  for (uint32_t i = 0; i < count; ++i) sources.push_back(NodeBuilder("s", i).SharesInput("a").source);
  return sources;
}

TEST(LinkSharing, AnInputHas256NodesAtMost) {
  EXPECT_EQ(MustLink(WithSharers(255)).launch_count, 1 + 2 * 255u);
  const Expected<Graph> graph = LinkGraph(WithSharers(256), kMaxDepth);
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().message, AllOf(HasSubstr("256"), HasSubstr("a[0]"), HasSubstr("s[255]")));
}

TEST(LinkSharing, RecordsHaveRoomForWhatSharersRead) {
  NodeBuilder by_grid = NodeBuilder("g").Dynamic().Payload(4).SharesInput("a");
  by_grid.source.info.grid_member = spirv::GridMember{20, 4, 2};
  const Graph graph = MustLink({NodeBuilder("a").Payload(8), NodeBuilder("s").Payload(12, 8).SharesInput("a"), by_grid,
                                NodeBuilder("b").Payload(8)});
  EXPECT_EQ(graph.slots[SlotOf(graph, "a")].record_stride, 32u)
      << "the grid ends at 28, the largest scalar has 8 bytes";
  EXPECT_EQ(graph.slots[SlotOf(graph, "s")].record_stride, 16u) << "its own slot needs no more than itself";
  EXPECT_EQ(graph.slots[SlotOf(graph, "b")].record_stride, 8u);
  EXPECT_EQ(graph.nodes[0].input_bytes, 12u);
  EXPECT_EQ(graph.largest_record, 32u);
}

TEST(LinkSharing, ASharerThatEnqueuesItsNodeIsACycle) {
  EXPECT_THAT(LinkError({NodeBuilder("n"), NodeBuilder("k").SharesInput("n").To("n")}),
              AllOf(HasSubstr("cycle"), HasSubstr("k[0] runs with n[0], whose input it shares"),
                    AnyOf(HasSubstr("k[0] -> n[0] -> k[0];"), HasSubstr("n[0] -> k[0] -> n[0];"))));
}

TEST(LinkSharing, ASharerWhoseSuccessorEnqueuesItsNodeIsACycle) {
  const std::string message = LinkError({NodeBuilder("in").To("n"), NodeBuilder("n").To("out"), NodeBuilder("out"),
                                         NodeBuilder("k", 3).SharesInput("n").To("x"), NodeBuilder("x").To("n")});
  EXPECT_THAT(message, AllOf(HasSubstr("x[0] -> n[0]"), HasSubstr("k[3] runs with n[0]"), HasSubstr("k[3] -> x[0]")));
  EXPECT_THAT(message, AllOf(Not(HasSubstr("in[")), Not(HasSubstr("out["))));
}

TEST(LinkSharing, RecursionDoesNotExcuseACycleThroughSharing) {
  EXPECT_THAT(
      LinkError({NodeBuilder("n").Recursion(2).To("n"), NodeBuilder("k").Recursion(2).SharesInput("n").To("n")}),
      HasSubstr("k[0] runs with n[0]"));
}

TEST(LinkSharing, ANodeMayEnqueueItsSharer) {
  const Graph graph = MustLink({NodeBuilder("n").To("k"), NodeBuilder("k").SharesInput("n")});
  EXPECT_EQ(graph.depth, 2u);
  const LevelSchedule schedule = ScheduleFrom(graph, "n");
  EXPECT_THAT(LaunchesOf(schedule, 0), ElementsAre(Launch{0, 0}, Launch{1, 0}));
  EXPECT_THAT(LaunchesOf(schedule, 1), ElementsAre(Launch{1, 1}));
}

TEST(LinkSharing, DepthCountsSharersFromTheirNodesLastLevel) {
  EXPECT_EQ(MustLink({NodeBuilder("a"), NodeBuilder("s").SharesInput("a")}).depth, 1u);
  EXPECT_EQ(MustLink({NodeBuilder("a").To("b"), NodeBuilder("b"), NodeBuilder("s").SharesInput("b").To("c"),
                      NodeBuilder("c")})
                .depth,
            3u);
  EXPECT_EQ(
      MustLink({NodeBuilder("r").Recursion(3).To("r"), NodeBuilder("s").SharesInput("r").To("c"), NodeBuilder("c")})
          .depth,
      5u);
  EXPECT_EQ(
      MustLink({NodeBuilder("r").Recursion(3).To("r"), NodeBuilder("s").SharesInput("r").Recursion(2).To("s")}).depth,
      6u);
}

TEST(LinkSharing, ChainsThroughSharersCountAgainstTheLimit) {
  EXPECT_THAT(
      LinkError(
          {NodeBuilder("a"), NodeBuilder("s").SharesInput("a").To("b"), NodeBuilder("b").To("c"), NodeBuilder("c")}, 2),
      HasSubstr("c[0]"));
}

TEST(LinkSharing, IsDescribed) {
  const Graph graph = MustLink({NodeBuilder("r").Recursion(2).To("r"), NodeBuilder("s", 7).SharesInput("r")});
  EXPECT_THAT(DescribeGraph(graph), HasSubstr("s[7]: static grid 1x1x1, payload 16 bytes, shares the input of r[0]\n"));
  const uint32_t input = SlotOf(graph, "r", 0, 1);
  EXPECT_EQ(LaunchLabel(graph, {input, input}), "r[0] (1 left)");
  EXPECT_EQ(LaunchLabel(graph, {SlotOf(graph, "s", 7), input}), "s[7] with the input of r[0] (1 left)");
}

TEST(LevelsSharing, SharersRunAtEveryLevelOfTheirNode) {
  const Graph graph = MustLink({NodeBuilder("s").SharesInput("r").Recursion(1).To("s"),
                                NodeBuilder("r").Recursion(1).To("r"), NodeBuilder("top").To("r")});
  const LevelSchedule schedule = ScheduleFrom(graph, "top");
  const uint32_t entry = SlotOf(graph, "s");
  const uint32_t last = SlotOf(graph, "s", 0, 0);
  const uint32_t r1 = SlotOf(graph, "r", 0, 1);
  const uint32_t r0 = SlotOf(graph, "r", 0, 0);
  ASSERT_EQ(schedule.level_count(), 4u);
  EXPECT_THAT(LaunchesOf(schedule, 1), ElementsAre(Launch{r1, r1}, Launch{entry, r1}));
  EXPECT_THAT(LaunchesOf(schedule, 2), ElementsAre(Launch{last, last}, Launch{r0, r0}, Launch{entry, r0}));
  EXPECT_THAT(LaunchesOf(schedule, 3), ElementsAre(Launch{last, last}));
}

TEST(MemoryPlanSharing, EachLaunchAddsWhatItSends) {
  const Graph graph = MustLink({NodeBuilder("top").To("n", 10), NodeBuilder("n").Static(2).To("out", 3),
                                NodeBuilder("k").Static(5).SharesInput("n").To("out", 7),
                                NodeBuilder("c").Coalescing(32).SharesInput("n").To("out", 1), NodeBuilder("out")});
  const LevelSchedule schedule = ScheduleFrom(graph, "top");
  const RootCount root = {{0, 0}, 10};
  const GraphPlan plan = PlanWith(graph, schedule, std::span(&root, 1), kRoomyLimits);
  ASSERT_EQ(plan.openings_of(0).size(), 1u) << "sharers have no region";
  EXPECT_EQ(plan.openings_of(0)[0].capacity, 100u);
  ASSERT_EQ(plan.openings_of(1).size(), 1u);
  EXPECT_EQ(plan.openings_of(1)[0].capacity, 100u * (2 * 3 + 5 * 7) + 4 * 1) << "ceil(100 / 32) coalescing workgroups";
  EXPECT_TRUE(plan.bounded);
}

TEST(MemoryPlanSharing, RootsCountEachLaunch) {
  const Graph graph = MustLink({NodeBuilder("n").To("out", 3), NodeBuilder("k").SharesInput("n").To("out", 7),
                                NodeBuilder("m").To("out"), NodeBuilder("out")});
  const std::vector<RootCount> roots = {{{1, 0}, 20}, {{0, 0}, 4}, {{2, 2}, 1}, {{1, 0}, 1}};
  const GraphPlan plan = PlanWith(graph, AssignLevels(graph, std::vector<uint32_t>{0, 2}), roots, kRoomyLimits);
  EXPECT_EQ(plan.openings_of(0)[0].capacity, 4u * 3 + 21 * 7 + 1);
}

TEST(MemoryPlanSharing, EveryDynamicLaunchHasRecordStateOfItsOwn) {
  const Graph graph = MustLink({NodeBuilder("top").To("n", 1001, 12), NodeBuilder("n").Dynamic().Payload(12),
                                NodeBuilder("s").Static(1).Payload(12).SharesInput("n"),
                                NodeBuilder("d").Dynamic().Payload(12).SharesInput("n")});
  const LevelSchedule schedule = ScheduleFrom(graph, "top");
  const RootCount root = {{0, 0}, 1};
  const GraphPlan plan = PlanWith(graph, schedule, std::span(&root, 1), kRoomyLimits);
  constexpr uint64_t kRecords = (1001 * 12 + 15) / 16 * 16;
  constexpr uint64_t kWords = (1001 * 4 + 15) / 16 * 16;
  // One word a record for n; four for d, under which n may write the records.
  EXPECT_EQ(plan.half_bytes[0], (kRecords + 5 * kWords + 255) / 256 * 256);

  const GraphPlan small = PlanWith(graph, schedule, std::span(&root, 1), {4096, 1u << 24});
  EXPECT_FALSE(small.bounded);
  EXPECT_GE(small.openings_of(0)[0].capacity, 4096u / 32 - 4);
  EXPECT_LE(small.half_bytes[0], 4096u);
}

TEST(TablesSharing, ASharerSendsAsItsOwnEntrySlot) {
  const Graph graph = MustLink(
      {NodeBuilder("n").Recursion(1).To("n"), NodeBuilder("k", 6).Dynamic(9).Recursion(2).SharesInput("n").To("k")});
  const uint32_t entry = SlotOf(graph, "k", 6);
  const uint32_t input = SlotOf(graph, "n", 0, 0);
  EXPECT_EQ(TableReader(graph, 4096).Resolve(entry, 0, 6), SlotOf(graph, "k", 6, 1));
  const shared::LaunchPlan plan = DescribeLaunch(graph, {entry, input}, {100, 100, 100});
  EXPECT_EQ(plan.slot, input);
  EXPECT_EQ(plan.identity, entry);
  EXPECT_EQ(plan.kind, shared::kLaunchDynamicGrid);
  EXPECT_EQ(plan.grid_x, 9u);
}

}  // namespace
}  // namespace trellis::test
