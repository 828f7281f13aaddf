#include "layer/graph/step_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "layer/graph/saturating.h"
#include "tests/graph/graph_builder.h"
#include "tests/graph/plan_reference.h"
#include "tests/graph/random_graph.h"

namespace trellis::test {
namespace {

constexpr uint64_t kMostWorkgroups = uint64_t{1} << 31;

StepLimits Limits(uint64_t ring_bytes) { return {ring_bytes, kMostWorkgroups, 1u << 24}; }

// One graph with roots, and its schedule.
struct Stepped {
  Stepped(Graph linked, std::vector<RootCount> root_counts, const StepLimits& step_limits)
      : graph(std::move(linked)), roots(std::move(root_counts)), limits(step_limits) {
    std::vector<uint32_t> slots;
    for (const RootCount& root : roots) slots.push_back(root.launch.input);
    levels = AssignLevels(graph, slots);
    steps = ScheduleSteps(graph, levels, roots, limits);
  }
  Stepped(Graph linked, const std::string& root, uint64_t workgroups, uint64_t ring_bytes)
      : Stepped(linked, {{{SlotOf(linked, root), SlotOf(linked, root)}, workgroups}}, Limits(ring_bytes)) {}

  [[nodiscard]] const spirv::NodeInfo& InfoOf(uint32_t launch) const {
    return graph.NodeOf(levels.launches[launch].slot).info;
  }
  [[nodiscard]] uint32_t LevelOf(uint32_t launch) const { return steps->turns[steps->turn_of[launch]].level; }

  Graph graph;
  std::vector<RootCount> roots;
  StepLimits limits;
  LevelSchedule levels;
  std::optional<StepSchedule> steps;
};

Graph Chain(uint32_t factor) {
  return MustLink({NodeBuilder("a").To("b", factor, 8).Payload(8), NodeBuilder("b").To("c", factor, 8).Payload(8),
                   NodeBuilder("c").To("leaf", factor, 8).Payload(8),
                   NodeBuilder("leaf").Coalescing(1).Packed(64).Payload(8)});
}

// 16 M payloads of 8 bytes, of which 1 MiB can be there at once: at least 128 portions, each of which is a step, as is
// running what it sent.
TEST(StepSchedule, OneToSixteenMillionTakesFewMoreStepsThanTheRingDemands) {
  const Stepped test(Chain(256), "a", 1, 1 << 20);
  ASSERT_TRUE(test.steps);
  EXPECT_GE(test.steps->steps, 2u * 128);
  EXPECT_LE(test.steps->steps, 2u * 128 * 5 / 4);
  EXPECT_LE(test.steps->ring_bytes, 1u << 20);
}

TEST(StepSchedule, WhatFitsTakesOneStepALevel) {
  const Stepped test(Chain(4), "a", 10, 1 << 20);
  ASSERT_TRUE(test.steps);
  EXPECT_EQ(test.steps->steps, 4u);
  const std::vector<shared::RegionPlan> openings = test.steps->FirstOpenings();
  ASSERT_EQ(openings.size(), 3u);
  EXPECT_EQ(openings[0].capacity, 40u);
  EXPECT_EQ(openings[1].capacity, 160u);
  EXPECT_EQ(openings[2].capacity, 640u);
}

TEST(StepSchedule, PackedWorkgroupsSendTogether) {
  const Graph graph =
      MustLink({NodeBuilder("a").Coalescing(1).Packed(64).To("b", 2, 64), NodeBuilder("b").Payload(64)});
  const Stepped test(graph, "a", 640, 3 * 64 * 2 * 64);
  ASSERT_TRUE(test.steps);
  EXPECT_EQ(test.steps->quotas[0], 3u) << "of 10 workgroups of 64";
  EXPECT_EQ(test.steps->steps, 4u + 4);
  EXPECT_FALSE(Stepped(graph, "a", 640, 64 * 2 * 64 - 256).steps) << "not even one of them fits";
}

// Together they cannot send anything; one after the other they can, and each has all of the queue.
TEST(StepSchedule, LaunchesThatDoNotFitSideBySideTakeTurns) {
  const Stepped test(MustLink({NodeBuilder("a").To("left").To("right"), NodeBuilder("left").To("leaf", 100, 100),
                               NodeBuilder("right").To("leaf", 60, 100), NodeBuilder("leaf").Payload(100)}),
                     "a", 3, 12000);
  ASSERT_TRUE(test.steps);
  ASSERT_EQ(test.steps->turns.size(), 4u);
  EXPECT_NE(test.steps->turn_of[1], test.steps->turn_of[2]);
  EXPECT_EQ(test.steps->openings_of(test.steps->turn_of[1])[0].capacity, 100u);
  EXPECT_EQ(test.steps->openings_of(test.steps->turn_of[2])[0].capacity, 60u);
  EXPECT_EQ(test.steps->FirstOpenings().size(), 3u) << "one for each slot and level";
  EXPECT_EQ(test.steps->steps, 1u + 6 + 6);
}

TEST(StepSchedule, LaunchesThatSendNothingRunWhole) {
  const Stepped test(MustLink({NodeBuilder("a").To("many", 10, 1000).To("leaf", 1000, 4),
                               NodeBuilder("many").Payload(1000), NodeBuilder("leaf").Payload(4)}),
                     "a", 100, 64 << 10);
  ASSERT_TRUE(test.steps);
  EXPECT_LT(test.steps->quotas[0], 10u);
  EXPECT_EQ(test.steps->quotas[1], test.steps->openings_of(0)[0].capacity);
  EXPECT_EQ(test.steps->quotas[2], test.steps->openings_of(0)[1].capacity);
}

TEST(StepSchedule, WhatNothingBoundsTakesStepsWithoutEnd) {
  const Stepped test(MustLink({NodeBuilder("a").To("b", 8), NodeBuilder("b").Dynamic().To("c", 8), NodeBuilder("c")}),
                     "a", kUnbounded, 1 << 20);
  ASSERT_TRUE(test.steps);
  EXPECT_EQ(test.steps->steps, kUnbounded);
}

// ---- random graphs
// ------------------------------------------------------------------------------------------------------

Stepped RandomCase(uint32_t seed) {
  Random random(seed);
  const std::vector<NodeSource> nodes = MakeRandomNodes(random);
  Graph graph = MustLink(nodes);
  std::vector<RootCount> roots;
  for (uint32_t i = 0; i < 1 + Below(random, 3); ++i) {
    const uint32_t slot = graph.EntrySlot(Below(random, static_cast<uint32_t>(nodes.size())));
    std::vector<Launch> launches;
    graph.AppendLaunches(slot, launches);
    for (const Launch launch : launches) roots.push_back({launch, Below(random, 20)});
  }
  return {std::move(graph), std::move(roots), {uint64_t{1024} << Below(random, 10), 1u << 20, 8}};
}

// The heap counts as a slot.
std::map<uint32_t, uint64_t> Sent(const Stepped& test, uint32_t launch, uint64_t workgroups) {
  std::map<uint32_t, uint64_t> sent;
  const Slot& slot = test.graph.slots[test.levels.launches[launch].slot];
  const uint64_t own = workgroups * test.InfoOf(launch).packed;
  for (const SlotEdge& edge : slot.edges) sent[edge.slot] += own * edge.payloads;
  if (slot.heap_bytes != 0) sent[test.graph.HeapSlot()] += own * slot.heap_bytes / kHeapUnit;
  return sent;
}

TEST(StepScheduleOfRandomGraphs, PortionsFitIntoTheirQueues) {
  uint32_t scheduled = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    const Stepped test = RandomCase(seed);
    if (!test.steps) continue;
    ++scheduled;
    ASSERT_LE(test.steps->ring_bytes, test.limits.ring_bytes) << "seed " << seed;
    uint64_t end_of_level = 0;
    uint64_t begin_of_level = 0;
    for (uint32_t turn = 0; turn < test.steps->turns.size(); ++turn) {
      std::map<uint32_t, uint64_t> room;
      if (turn != 0 && test.steps->turns[turn].level != test.steps->turns[turn - 1].level)
        begin_of_level = end_of_level;
      uint64_t end = begin_of_level;
      for (const shared::RegionPlan& opening : test.steps->openings_of(turn)) {
        ASSERT_GE(opening.offset, end) << "seed " << seed << " turn " << turn;
        ASSERT_EQ(opening.level, test.steps->turns[turn].level + 1);
        uint32_t note_words = 0;
        for (const Launch launch : test.levels.launches_of(opening.level))
          if (launch.input == opening.slot) note_words += test.graph.NodeOf(launch.slot).info.NoteWords();
        end = opening.offset + ReferenceRegionBytes(opening.stride, note_words, opening.capacity);
        room[opening.slot] = opening.capacity;
      }
      end_of_level = std::max(end_of_level, end);
      ASSERT_LE(end, test.steps->ring_bytes);
      for (uint32_t launch = 0; launch < test.levels.launches.size(); ++launch) {
        if (test.steps->turn_of[launch] != turn) continue;
        for (const auto& [slot, records] : Sent(test, launch, test.steps->quotas[launch])) {
          ASSERT_LE(records, room[slot]) << "seed " << seed << " turn " << turn << " slot " << slot;
          room[slot] -= records;
        }
      }
    }
  }
  EXPECT_GT(scheduled, 100u);
}

uint64_t CeilDivide(uint64_t count, uint64_t each) { return (count + each - 1) / each; }

// Does what meta_shaders/levels/step_graph.comp does, with workgroups that send all they may.
class WorstCase {
 public:
  explicit WorstCase(const Stepped& test) : test_(test), left_(test.levels.launches.size()) {
    for (const RootCount& root : test.roots) {
      const auto launches = test.levels.launches_of(0);
      const size_t launch =
          static_cast<size_t>(std::find(launches.begin(), launches.end(), root.launch) - launches.begin());
      roots_[launch] += root.workgroups;
    }
    for (const auto& [launch, workgroups] : roots_)
      left_[launch] = CeilDivide(workgroups, test.InfoOf(static_cast<uint32_t>(launch)).packed);
  }

  // False if nothing was left to do.
  bool Step() {
    int64_t turn = -1;
    for (uint32_t launch = 0; launch < left_.size(); ++launch)
      if (left_[launch] != 0) turn = std::max<int64_t>(turn, test_.steps->turn_of[launch]);
    if (turn < 0) return false;
    std::map<uint32_t, uint64_t> arrived;
    for (uint32_t launch = 0; launch < left_.size(); ++launch) {
      if (test_.steps->turn_of[launch] != turn) continue;
      const uint64_t workgroups = std::min<uint64_t>(left_[launch], test_.steps->quotas[launch]);
      left_[launch] -= workgroups;
      for (const auto& [slot, records] : Sent(test_, launch, workgroups)) arrived[slot] += records;
    }
    const uint32_t level = test_.steps->turns[static_cast<size_t>(turn)].level;
    if (level + 1 < test_.levels.level_count()) Fill(level + 1, arrived);
    return true;
  }

 private:
  void Fill(uint32_t level, std::map<uint32_t, uint64_t>& arrived) {
    for (uint32_t launch = test_.levels.launch_begin[level]; launch < test_.levels.launch_begin[level + 1]; ++launch) {
      EXPECT_EQ(left_[launch], 0u) << "a queue is filled that is not empty";
      const spirv::NodeInfo& info = test_.InfoOf(launch);
      const uint64_t own =
          ReferenceMaxWorkgroups(info, arrived[test_.levels.launches[launch].input], test_.limits.max_grid_workgroups);
      left_[launch] = CeilDivide(own, info.packed);
    }
  }

  const Stepped& test_;
  std::vector<uint64_t> left_;
  std::map<size_t, uint64_t> roots_;
};

TEST(StepScheduleOfRandomGraphs, StepsAreEnough) {
  uint32_t run = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    const Stepped test = RandomCase(seed);
    if (!test.steps || test.steps->steps > 3000) continue;
    ++run;
    WorstCase graph(test);
    uint64_t steps = 0;
    while (steps <= test.steps->steps && graph.Step()) ++steps;
    ASSERT_LE(steps, test.steps->steps) << "seed " << seed;
  }
  EXPECT_GT(run, 50u);
}

}  // namespace
}  // namespace trellis::test
