// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/step_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "layer/graph/saturating.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/step_plan.h"
#include "tests/graph/graph_builder.h"
#include "tests/graph/plan_reference.h"
#include "tests/graph/random_graph.h"

namespace trellis::test {
namespace {

// One graph with roots, and its schedule.
struct Stepped {
  Stepped(Graph linked, std::vector<RootCount> root_counts, uint64_t ring)
      : graph(std::move(linked)), roots(std::move(root_counts)), ring_bytes(ring) {
    std::vector<uint32_t> slots;
    for (const RootCount& root : roots) slots.push_back(root.launch.input);
    levels = AssignLevels(graph, slots);
    steps = ScheduleSteps(graph, LoadBounds(graph, kMaxGrid), levels, roots, ring_bytes);
  }
  Stepped(Graph linked, const std::string& root, uint64_t workgroups, uint64_t ring)
      : Stepped(linked, {{{SlotOf(linked, root), SlotOf(linked, root)}, workgroups}}, ring) {}

  [[nodiscard]] const spirv::NodeInfo& InfoOf(uint32_t launch) const {
    return graph.NodeOf(levels.launches[launch].slot).info;
  }
  // Workgroups of a launch that a step can run when nothing else of its level is left.
  [[nodiscard]] uint64_t Portion(uint32_t launch) const { return shared::kWholeQueue / steps->loads[launch]; }

  static constexpr uint64_t kMaxGrid = 8;
  Graph graph;
  std::vector<RootCount> roots;
  uint64_t ring_bytes;
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
  ASSERT_EQ(test.steps->openings.size(), 3u);
  EXPECT_GE(test.steps->openings[0].capacity, 40u);
  EXPECT_GE(test.steps->openings[1].capacity, 160u);
  EXPECT_GE(test.steps->openings[2].capacity, 640u);
}

// The last portion of each slice is a little smaller than the others.
TEST(StepSchedule, PortionsEndWithTheirSlice) {
  constexpr uint64_t kSlice = uint64_t{65535} * 65535;
  constexpr uint64_t kSlices = 32768;
  const Graph graph = MustLink({NodeBuilder("a").To("b", 1, 4).Payload(8), NodeBuilder("b").Payload(4)});
  const Stepped test(graph, "a", kSlices * kSlice, uint64_t{1} << 34);
  ASSERT_TRUE(test.steps);
  const uint64_t portions = (kSlice - 1) / test.Portion(0) + 1;
  EXPECT_GE(test.steps->steps, 2 * kSlices * portions) << "each portion runs, and so does what it sent";
}

TEST(StepSchedule, PackedWorkgroupsSendTogether) {
  const Graph graph =
      MustLink({NodeBuilder("a").Coalescing(1).Packed(64).To("b", 2, 64), NodeBuilder("b").Payload(64)});
  constexpr uint64_t kSent = 64 * 2 * 64;  // bytes of one workgroup
  const Stepped test(graph, "a", 640, 3 * kSent + 256);
  ASSERT_TRUE(test.steps);
  EXPECT_EQ(test.Portion(0), 3u) << "of 10 workgroups of 64";
  EXPECT_GE(test.steps->steps, 4u + 4);
  EXPECT_LE(test.steps->steps, 6u + 6) << "the tenth may be alone";
  EXPECT_FALSE(Stepped(graph, "a", 640, kSent - 256).steps) << "not even one of them fits";
}

// Together they cannot send anything; one after the other they can, and each has all of the queue.
TEST(StepSchedule, LaunchesThatDoNotFitSideBySideFollowOneAnother) {
  const Stepped test(MustLink({NodeBuilder("a").To("left").To("right"), NodeBuilder("left").To("leaf", 100, 100),
                               NodeBuilder("right").To("leaf", 60, 100), NodeBuilder("leaf").Payload(100)}),
                     "a", 3, 12000);
  ASSERT_TRUE(test.steps);
  EXPECT_EQ(test.steps->openings.size(), 3u) << "one for each slot and level";
  EXPECT_EQ(test.Portion(1), 1u);
  EXPECT_EQ(test.Portion(2), 1u);
  EXPECT_GT(uint64_t{test.steps->loads[1]} + test.steps->loads[2], shared::kWholeQueue);
  EXPECT_GE(test.steps->steps, 1u + 6 + 6);
}

TEST(StepSchedule, LaunchesThatSendNothingAreNoLoad) {
  const Stepped test(MustLink({NodeBuilder("a").To("many", 10, 1000).To("leaf", 1000, 4),
                               NodeBuilder("many").Payload(1000), NodeBuilder("leaf").Payload(4)}),
                     "a", 100, 64 << 10);
  ASSERT_TRUE(test.steps);
  EXPECT_LT(test.Portion(0), 10u);
  EXPECT_EQ(test.steps->loads[1], 0u);
  EXPECT_EQ(test.steps->loads[2], 0u);
}

// What goes to one node of an array does not go to the others: a queue that grows has room for one of them to get all.
TEST(StepSchedule, NodesOfAnArrayShareTheQueue) {
  std::vector<NodeSource> nodes = {NodeBuilder("a").To("leaf", 1, 64).source};
  for (uint32_t i = 0; i < 128; ++i) nodes.push_back(NodeBuilder("leaf", i).Payload(64).source);
  const Stepped test(MustLink(nodes), "a", 1 << 16, 2 << 20);
  ASSERT_TRUE(test.steps);
  EXPECT_GT(test.Portion(0), (2u << 20) / 64 / 2);
  EXPECT_LE(test.steps->steps, 2u * (2 * 2 + 1)) << "4 MiB in a queue of 2 MiB";
}

TEST(StepSchedule, WhatNothingBoundsTakesStepsWithoutEnd) {
  const Stepped test(MustLink({NodeBuilder("a").To("b", 8), NodeBuilder("b").Dynamic().To("c", 8), NodeBuilder("c")}),
                     "a", kUnbounded, 1 << 20);
  ASSERT_TRUE(test.steps);
  EXPECT_GT(test.steps->steps, uint64_t{1} << 40);
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
  return {std::move(graph), std::move(roots), uint64_t{1024} << Below(random, 10)};
}

// What workgroups of a launch's dispatch send: all of an output's payloads go to one of its targets, or they are
// spread.
class Arrivals {
 public:
  Arrivals(const Stepped& test, uint32_t level) : test_(test), records_(test.graph.slots.size() + 1), level_(level) {}

  void Send(uint32_t launch, uint64_t workgroups, Random& random) {
    const Slot& slot = test_.graph.slots[test_.levels.launches[launch].slot];
    const spirv::NodeInfo& info = test_.InfoOf(launch);
    const uint64_t own = workgroups * info.packed;
    std::map<uint32_t, uint64_t> room;  // that an edge leaves for more
    for (const SlotEdge& edge : slot.edges) room[edge.slot] = own * edge.payloads;
    std::map<size_t, uint64_t> left;  // of limits, by the output that has it
    for (size_t i = 0; i < slot.outputs.size(); ++i) {
      const size_t limit = info.outputs[i].shares_limit_with.value_or(static_cast<uint32_t>(i));
      uint64_t& all = left.try_emplace(limit, own * info.outputs[i].max_payloads).first->second;
      std::vector<uint32_t> reached;
      for (const Target& target : slot.outputs[i])
        if (room.count(target.slot) != 0) reached.push_back(target.slot);
      if (reached.empty()) continue;
      const bool is_shared = std::any_of(info.outputs.begin(), info.outputs.end(), [limit](const auto& output) {
        return output.shares_limit_with == static_cast<uint32_t>(limit);
      });
      const uint64_t now = is_shared && Below(random, 2) == 0 ? all / 2 : all;
      const uint64_t share = now / (1 + Below(random, 3));
      for (const uint64_t records : {share, now - share}) {
        const uint32_t target = reached[Below(random, static_cast<uint32_t>(reached.size()))];
        const uint64_t sent = std::min(records, room[target]);
        room[target] -= sent;
        all -= sent;
        records_[target] += sent;
      }
    }
    records_.back() += own * slot.heap_bytes / kHeapUnit;
  }
  [[nodiscard]] uint64_t at(uint32_t slot) const { return records_[slot]; }

  // Whether the queue that `level` appends to has room for all of it.
  void ExpectRoom() const {
    uint64_t segments = records_.back();  // what allocations take from the heap
    uint64_t record_state = 0;
    const shared::RegionPlan* pool = nullptr;
    for (const shared::RegionPlan& opening : test_.steps->openings_of(level_)) {
      if (opening.slot == test_.graph.HeapSlot()) {
        pool = &opening;
        continue;
      }
      const uint64_t records = at(opening.slot);
      ASSERT_LE(records, opening.capacity) << "slot " << opening.slot;
      segments += ReferenceGrownBytes(opening.stride, opening.dense, records) / 16;
      record_state += opening.state_words * ((records * 4 + 15) / 16);
    }
    if (segments + record_state == 0) return;
    ASSERT_TRUE(pool);
    ASSERT_LE(segments, pool->capacity);
    ASSERT_LE(record_state, pool->state_units);
  }

 private:
  const Stepped& test_;
  std::vector<uint64_t> records_;  // by slot; the last one: units of the heap
  const uint32_t level_;
};

uint64_t CeilDivide(uint64_t count, uint64_t each) { return (count + each - 1) / each; }

// Does what meta_shaders/levels/step_graph.comp does, with workgroups that send all they may.
class WorstCase {
 public:
  WorstCase(const Stepped& test, uint32_t seed) : test_(test), random_(seed), left_(test.levels.launches.size()) {
    std::map<size_t, uint64_t> own;
    for (const RootCount& root : test.roots) {
      const auto launches = test.levels.launches_of(0);
      own[static_cast<size_t>(std::find(launches.begin(), launches.end(), root.launch) - launches.begin())] +=
          root.workgroups;
    }
    for (const auto& [launch, workgroups] : own)
      left_[launch] = CeilDivide(workgroups, test.InfoOf(static_cast<uint32_t>(launch)).packed);
  }

  // False if nothing was left to do.
  bool Step() {
    const std::vector<uint32_t>& begins = test_.levels.launch_begin;
    for (uint32_t level = test_.levels.level_count(); level-- > 0;) {
      const auto first = left_.begin() + begins[level];
      const auto last = left_.begin() + begins[level + 1];
      if (std::all_of(first, last, [](uint64_t left) { return left == 0; })) continue;
      Arrivals arrivals(test_, level);
      uint64_t before = 0;
      for (uint32_t launch = begins[level]; launch < begins[level + 1]; ++launch) {
        const uint64_t load = test_.steps->loads[launch];
        const uint64_t room = before < shared::kWholeQueue ? shared::kWholeQueue - before : 0;
        const uint64_t workgroups = load == 0 ? left_[launch] : std::min(left_[launch], room / load);
        before += left_[launch] * load;
        left_[launch] -= workgroups;
        arrivals.Send(launch, workgroups, random_);
      }
      if (level + 1 == test_.levels.level_count()) return true;
      arrivals.ExpectRoom();
      Fill(level + 1, arrivals);
      return true;
    }
    return false;
  }

 private:
  void Fill(uint32_t level, const Arrivals& arrivals) {
    for (uint32_t launch = test_.levels.launch_begin[level]; launch < test_.levels.launch_begin[level + 1]; ++launch) {
      EXPECT_EQ(left_[launch], 0u) << "a queue is filled that is not empty";
      const spirv::NodeInfo& info = test_.InfoOf(launch);
      const uint64_t own =
          ReferenceMaxWorkgroups(info, arrivals.at(test_.levels.launches[launch].input), Stepped::kMaxGrid);
      left_[launch] = CeilDivide(own, info.packed);
    }
  }

  const Stepped& test_;
  Random random_;
  std::vector<uint64_t> left_;
};

// A pool counts units of 16 bytes in 31 bits.
TEST(StepSchedule, PoolsOfHugeRingsHoldWhatAPortionSends) {
  constexpr uint64_t kGiB = uint64_t{1} << 30;
  std::vector<NodeSource> nodes = {NodeBuilder("a").To("b", 1000, 64).source};
  for (uint32_t index = 0; index < 71; ++index) nodes.push_back(NodeBuilder("b", index).Payload(64).source);
  for (const uint64_t gib : {32, 40, 48, 64, 500, 1000}) {
    SCOPED_TRACE(gib);
    const Stepped test(MustLink(nodes), "a", 4'000'000'000, gib * kGiB);
    ASSERT_TRUE(test.steps);
    uint64_t first = gib * kGiB;
    const shared::RegionPlan* pool = nullptr;
    for (const shared::RegionPlan& opening : test.steps->openings_of(0)) {
      first = std::min<uint64_t>(first, opening.offset);
      if (opening.slot == test.graph.HeapSlot()) pool = &opening;
    }
    ASSERT_TRUE(pool);
    EXPECT_GT(pool->capacity, 0u);
    EXPECT_LT((pool->offset - first) / 16 + pool->capacity + pool->state_units, uint64_t{shared::kFirstClaim});
    for (uint32_t seed = 0; seed < 20; ++seed) EXPECT_TRUE(WorstCase(test, seed).Step());
  }
}

TEST(StepScheduleOfRandomGraphs, QueuesLieSideBySide) {
  uint32_t scheduled = 0;
  uint32_t growing = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    const Stepped test = RandomCase(seed);
    if (!test.steps) continue;
    ++scheduled;
    ASSERT_LE(test.steps->ring_bytes, test.ring_bytes) << "seed " << seed;
    uint64_t end = 0;
    for (uint32_t level = 0; level < test.levels.level_count(); ++level) {
      for (const shared::RegionPlan& opening : test.steps->openings_of(level)) {
        ASSERT_GE(opening.offset, end) << "seed " << seed << " level " << level;
        ASSERT_EQ(opening.offset % 16, 0u);
        ASSERT_EQ(opening.level, level + 1);
        uint32_t state_words = 0;
        for (const Launch launch : test.levels.launches_of(opening.level))
          if (launch.input == opening.slot) state_words += test.graph.NodeOf(launch.slot).info.StateWords();
        const bool grows = opening.state_words != 0 || opening.dense != opening.capacity;
        growing += grows ? 1 : 0;
        end = opening.offset + uint64_t{opening.state_units} * 16 +
              ReferenceRegionBytes(opening.stride, grows ? 0 : state_words, opening.dense);
      }
      ASSERT_LE(end, test.steps->ring_bytes);
    }
  }
  EXPECT_GT(scheduled, 100u);
  EXPECT_GT(growing, 20u);
}

TEST(StepScheduleOfRandomGraphs, PortionsFitAndStepsAreEnough) {
  constexpr uint64_t kMaxSteps = 3000;  // longer schedules stop here
  uint32_t finished = 0;
  uint32_t begun = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    const Stepped test = RandomCase(seed);
    if (!test.steps) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    ++begun;
    WorstCase graph(test, seed);
    uint64_t steps = 0;
    while (steps < kMaxSteps && graph.Step()) ++steps;
    finished += steps < kMaxSteps ? 1 : 0;
    ASSERT_FALSE(testing::Test::HasFailure());
    ASSERT_LE(steps, test.steps->steps);
  }
  EXPECT_GT(begun, 300u);
  EXPECT_GT(finished, 200u);
}

}  // namespace
}  // namespace trellis::test
