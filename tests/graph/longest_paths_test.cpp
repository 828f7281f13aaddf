// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/longest_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/graph/graph_builder.h"
#include "tests/graph/random_graph.h"

namespace trellis::test {
namespace {

using testing::ElementsAre;

constexpr uint64_t kMaxGridWorkgroups = 1u << 24;
constexpr uint64_t kRoom = uint64_t{1} << 32;

std::vector<uint32_t> SlotsOf(const LevelSchedule& schedule, uint32_t level) {
  const std::span<const uint32_t> slots = schedule.level(level);
  return {slots.begin(), slots.end()};
}

// From "top", `workgroups` of it. No plan fails the test.
GraphPlan PlanTop(const Graph& graph, uint64_t workgroups) {
  const uint32_t top = SlotOf(graph, "top");
  const LevelSchedule schedule = AssignLevels(graph, std::vector<uint32_t>{top});
  const RootCount root = {{top, top}, workgroups};
  if (!schedule.longest_paths) {
    ADD_FAILURE() << "no slot is in two levels";
    return {};
  }
  const std::optional<GraphPlan> plan = PlanLongestPaths(graph, SlotLoads(graph, kMaxGridWorkgroups),
                                                         *schedule.longest_paths, std::span(&root, 1), kRoom);
  if (!plan) ADD_FAILURE() << "no plan";
  return plan.value_or(GraphPlan());
}

uint64_t RoomOf(const GraphPlan& plan, uint32_t slot) {
  for (const shared::RegionPlan& opening : plan.openings)
    if (opening.slot == slot) return opening.capacity;
  ADD_FAILURE() << "slot " << slot << " has no region";
  return 0;
}

TEST(LongestPaths, EachSlotStandsInItsLastLevel) {
  const Graph graph = MustLink({NodeBuilder("top").To("end").To("arm"), NodeBuilder("arm").To("end"),
                                NodeBuilder("end").To("tail"), NodeBuilder("tail")});
  const LevelSchedule schedule = AssignLevels(graph, std::vector<uint32_t>{SlotOf(graph, "top")});
  ASSERT_TRUE(schedule.longest_paths);
  ASSERT_EQ(schedule.longest_paths->level_count(), 4u);
  EXPECT_THAT(SlotsOf(*schedule.longest_paths, 0), ElementsAre(SlotOf(graph, "top")));
  EXPECT_THAT(SlotsOf(*schedule.longest_paths, 1), ElementsAre(SlotOf(graph, "arm")));
  EXPECT_THAT(SlotsOf(*schedule.longest_paths, 2), ElementsAre(SlotOf(graph, "end")));
  EXPECT_THAT(SlotsOf(*schedule.longest_paths, 3), ElementsAre(SlotOf(graph, "tail")));
}

TEST(LongestPaths, AChainHasNoOtherSchedule) {
  const Graph graph = MustLink(
      {NodeBuilder("top").To("b").To("c"), NodeBuilder("b").To("d"), NodeBuilder("c").To("d"), NodeBuilder("d")});
  EXPECT_FALSE(AssignLevels(graph, std::vector<uint32_t>{SlotOf(graph, "top")}).longest_paths);
}

TEST(LongestPaths, ARootThatIsSentToStandsInBoth) {
  const Graph graph =
      MustLink({NodeBuilder("top").To("end").To("arm"), NodeBuilder("arm").To("end"), NodeBuilder("end")});
  const uint32_t end = SlotOf(graph, "end");
  const LevelSchedule schedule = AssignLevels(graph, std::vector<uint32_t>{SlotOf(graph, "top"), end});
  ASSERT_TRUE(schedule.longest_paths);
  EXPECT_THAT(SlotsOf(*schedule.longest_paths, 0), ElementsAre(SlotOf(graph, "top"), end));
  EXPECT_THAT(SlotsOf(*schedule.longest_paths, 2), ElementsAre(end));
}

// Each of seven nodes may send one record to any later one: whatever way a record takes, it visits a node once.
TEST(LongestPaths, ARecordPassesEachNodeOfARowOnce) {
  constexpr uint32_t kRow = 7;
  const Graph graph = MustLink(RowSources(kRow));
  const GraphPlan plan = PlanTop(graph, 1000);
  ASSERT_EQ(plan.openings.size(), kRow);
  for (uint32_t node = 0; node < kRow; ++node) EXPECT_EQ(RoomOf(plan, SlotOf(graph, "hop", node)), 1000u) << node;
  EXPECT_EQ(plan.ring_bytes(), kRow * 16000 / 256 * 256 + 256) << "16 bytes each";
}

// Two outputs send 3 and 5: 8 together, but 5 where they share their limit. "arm" takes four at a time: of 5,000
// records 1,250 workgroups, and perhaps one more.
TEST(LongestPaths, OutputsAddUpAndSharedLimitsDoNot) {
  NodeBuilder apart("top");
  apart.To("end", 3).To("arm", 5);
  NodeBuilder shared("top");
  shared.To("end", 3).To("arm", 5).SharesLimit();
  for (const NodeBuilder& top : {apart, shared}) {
    const Graph graph = MustLink(
        {top, NodeBuilder("arm").Coalescing(4).To("end", 2), NodeBuilder("end").To("tail"), NodeBuilder("tail")});
    const GraphPlan plan = PlanTop(graph, 1000);
    EXPECT_EQ(RoomOf(plan, SlotOf(graph, "arm")), 5000u);
    // 3,000 of the source's, and 2 of each workgroup of "arm"; or the larger of both, and 2 of the one more.
    const uint64_t expected = top.source.info.outputs[1].shares_limit_with ? 3002 : 3000 + 2500 + 2;
    EXPECT_EQ(RoomOf(plan, SlotOf(graph, "end")), expected);
    EXPECT_EQ(RoomOf(plan, SlotOf(graph, "tail")), expected);
  }
}

TEST(LongestPaths, GridsAndSharersMultiply) {
  const Graph graph =
      MustLink({NodeBuilder("top").To("end").To("arm"), NodeBuilder("arm").Dynamic(3, 2, 1).To("end", 4),
                NodeBuilder("beside").SharesInput("arm").Static(5).To("end"), NodeBuilder("end")});
  const GraphPlan plan = PlanTop(graph, 10);
  EXPECT_EQ(RoomOf(plan, SlotOf(graph, "end")), 10u + 10 * 6 * 4 + 10 * 5);
}

// A grid of nothing sends nothing, however much a workgroup of it might cause; what its sharer sends has its room.
TEST(LongestPaths, NothingTimesAnythingIsNothing) {
  const Graph graph = MustLink({NodeBuilder("top").To("end").To("arm"), NodeBuilder("arm").Static(3, 0).To("many"),
                                NodeBuilder("beside").SharesInput("arm").Static(2).To("end"),
                                NodeBuilder("many").Recursion(50).Dynamic().To("many").To("end"), NodeBuilder("end")});
  const GraphPlan plan = PlanTop(graph, 10);
  EXPECT_EQ(RoomOf(plan, SlotOf(graph, "end")), 10u + 10 * 2);
}

TEST(LongestPaths, NoPlanWhereSomethingHasNoRoom) {
  const Graph graph =
      MustLink({NodeBuilder("top").To("end").To("arm"), NodeBuilder("arm").To("end"), NodeBuilder("end")});
  const uint32_t top = SlotOf(graph, "top");
  const LevelSchedule schedule = AssignLevels(graph, std::vector<uint32_t>{top});
  ASSERT_TRUE(schedule.longest_paths);
  const SlotLoads loads(graph, kMaxGridWorkgroups);
  const auto plan = [&](uint64_t workgroups, uint64_t room) {
    const RootCount root = {{top, top}, workgroups};
    return PlanLongestPaths(graph, loads, *schedule.longest_paths, std::span(&root, 1), room);
  };
  // "arm" gets as many as there are workgroups, "end" twice as many, of 16 bytes.
  EXPECT_TRUE(plan(16, 16 * 3 * 16));
  EXPECT_FALSE(plan(16, 16 * 3 * 16 - 1));
  EXPECT_FALSE(plan(uint64_t{1} << 31, ~uint64_t{0} >> 1)) << "a region counts in 31 bits";
}

TEST(LongestPaths, NothingIsKnownOfVeryLargeGraphs) {
  const auto is_known = [](uint32_t leaves) {
    std::vector<NodeSource> sources;
    for (uint32_t leaf = 0; leaf < leaves; ++leaf) sources.push_back(NodeBuilder("leaf", leaf).source);
    return SlotLoads(MustLink(std::move(sources)), kMaxGridWorkgroups).is_known();
  };
  EXPECT_TRUE(is_known(1024));
  EXPECT_FALSE(is_known(1025)) << "a number for each pair of slots";
}

// Against a run on the CPU that knows nothing of slots and bounds: all that is sent before a slot's level waits for it,
// nothing is sent to it later, and all of it has room.
class RandomLongestPaths {
 public:
  explicit RandomLongestPaths(uint32_t seed)
      : random_(seed), nodes_(MakeRandomNodes(random_)), graph_(MustLink(nodes_)) {
    const uint32_t node = Below(random_, static_cast<uint32_t>(nodes_.size()));
    for (const Activation& runs : RunsOnInputOf(nodes_, {node, nodes_[node].info.max_recursion})) {
      workgroups_[runs] = 1 + Below(random_, 6);
      roots_.push_back({{SlotOfActivation(runs), graph_.EntrySlot(node)}, workgroups_[runs]});
    }
    schedule_ = AssignLevels(graph_, std::vector<uint32_t>{graph_.EntrySlot(node)});
    // Nothing is kept in a heap here.
    for (Slot& slot : graph_.slots) slot.heap_bytes = 0;
  }

  // False where there is nothing to try.
  bool Run() {
    if (!schedule_.longest_paths) return false;
    const LevelSchedule& longest = *schedule_.longest_paths;
    const std::optional<GraphPlan> plan = PlanLongestPaths(graph_, SlotLoads(graph_, 8), longest, roots_, kRoom);
    if (!plan) return false;
    ExpectApart(*plan);
    for (const auto& [activation, count] : workgroups_) Send(activation, count);
    for (uint32_t level = 1; level < longest.level_count(); ++level) {
      for (const uint32_t slot : longest.level(level)) {
        const Activation activation = {graph_.slots[slot].node, graph_.slots[slot].remaining_recursion};
        const uint64_t records = waiting_[activation];
        waiting_.erase(activation);
        EXPECT_LE(records, RoomOf(*plan, slot)) << "slot " << slot;
        arrived += records;
        if (records == 0) continue;
        // A few hundred keep the simulation short.
        for (const Activation& runs : RunsOnInputOf(nodes_, activation))
          Send(runs, PickWorkgroups(random_, nodes_[runs.node].info, std::min<uint64_t>(records, 300)));
      }
    }
    EXPECT_TRUE(waiting_.empty()) << "sent to a slot whose level is over, or to none";
    return true;
  }

  uint64_t arrived = 0;

 private:
  [[nodiscard]] uint32_t SlotOfActivation(Activation activation) const {
    return graph_.nodes[activation.node].first_slot + nodes_[activation.node].info.max_recursion - activation.remaining;
  }

  void Send(Activation from, uint64_t workgroups) {
    Arrivals arrivals;
    SendAll(random_, nodes_, from, workgroups, arrivals);
    for (const auto& [activation, records] : arrivals.records)
      if (records != 0) waiting_[activation] += records;
  }

  void ExpectApart(const GraphPlan& plan) const {
    uint64_t end = 0;
    for (const shared::RegionPlan& opening : plan.openings) {
      EXPECT_GE(opening.offset, end);
      EXPECT_EQ(opening.offset % 16, 0u);
      EXPECT_EQ(opening.dense, opening.capacity);
      end = opening.offset + uint64_t{opening.capacity} * (opening.stride + 4 * graph_.StateWords(opening.slot));
    }
    EXPECT_LE(end, plan.half_bytes[0]);
    EXPECT_EQ(plan.half_bytes[1], 0u);
  }

  Random random_;
  std::vector<NodeSource> nodes_;
  Graph graph_;
  std::vector<RootCount> roots_;
  std::map<Activation, uint64_t> workgroups_;  // of the roots
  LevelSchedule schedule_;
  std::map<Activation, uint64_t> waiting_;  // records
};

TEST(LongestPaths, EverythingThatARunSendsHasRoom) {
  uint32_t tried = 0;
  uint64_t arrived = 0;
  for (uint32_t seed = 0; seed < 1000 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomLongestPaths test(seed);
    tried += test.Run() ? 1 : 0;
    arrived += test.arrived;
  }
  EXPECT_GT(tried, 100u) << "hardly any graph has a slot in two levels";
  EXPECT_GT(arrived, 10000u);
}

}  // namespace
}  // namespace trellis::test
