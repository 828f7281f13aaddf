// SPDX-License-Identifier: Apache-2.0
// Which records stay in the ring until they are drawn, and where they lie.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "layer/graph/levels.h"
#include "layer/graph/memory_plan.h"
#include "layer/graph/ring_parts.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "tests/graph/graph_builder.h"
#include "tests/support/units.h"

namespace trellis::test {
namespace {

using ::testing::ElementsAre;

struct Planned {
  LevelSchedule schedule;
  GraphPlan plan;
};

Planned PlanFrom(const Graph& graph, const std::string& root, uint64_t workgroups, uint64_t ring_bytes) {
  const uint32_t slot = SlotOf(graph, root);
  const RootCount count = {{slot, slot}, workgroups};
  Planned planned;
  planned.schedule = AssignLevels(graph, std::vector<uint32_t>{slot});
  planned.plan = PlanWith(graph, planned.schedule, std::span(&count, 1), {ring_bytes / 2, (1u << 24) - 1, ring_bytes});
  return planned;
}

// [begin, end) of what `level` appends to.
struct Range {
  uint64_t begin = UINT64_MAX;
  uint64_t end = 0;
};
Range RangeOf(const GraphPlan& plan, uint32_t level) {
  Range range;
  for (const shared::RegionPlan& opening : plan.openings_of(level)) {
    const uint64_t units = uint64_t{opening.dense} * opening.stride + opening.state_units * uint64_t{16};
    range.begin = std::min(range.begin, opening.offset);
    range.end = std::max(range.end, opening.offset + units);
  }
  return range;
}
bool AreApart(const Range& a, const Range& b) { return a.end <= b.begin || b.end <= a.begin; }

TEST(KeptPlan, LevelsThatDrawsReadAreKept) {
  const Graph graph = MustLink(
      {NodeBuilder("root").To("compute").To("with mesh sharer").To("mesh"), NodeBuilder("compute").To("leaf"),
       NodeBuilder("leaf"), NodeBuilder("mesh").Mesh(), NodeBuilder("with mesh sharer"),
       NodeBuilder("sharer").Mesh().SharesInput("with mesh sharer"), NodeBuilder("root of computes").To("compute")});
  const auto kept = [&graph](const char* root) {
    const LevelSchedule schedule = AssignLevels(graph, std::vector<uint32_t>{SlotOf(graph, root)});
    std::vector<bool> levels;
    for (uint32_t level = 1; level < schedule.level_count(); ++level) levels.push_back(IsKept(graph, schedule, level));
    return levels;
  };
  EXPECT_THAT(kept("root"), ElementsAre(true, false));
  EXPECT_THAT(kept("root of computes"), ElementsAre(false, false));
  EXPECT_THAT(kept("with mesh sharer"), ElementsAre());
}

// A sharer that is drawn keeps the level as well as a mesh node of its own.
TEST(KeptPlan, SharersThatAreDrawnKeepTheirLevel) {
  const Graph graph = MustLink(
      {NodeBuilder("root").To("compute"), NodeBuilder("compute"), NodeBuilder("sharer").Mesh().SharesInput("compute")});
  const LevelSchedule schedule = AssignLevels(graph, std::vector<uint32_t>{SlotOf(graph, "root")});
  EXPECT_TRUE(schedule.has_mesh_nodes);
  EXPECT_TRUE(IsKept(graph, schedule, 1));
}

// Recursion in front of a mesh node: whatever a later level appends lies elsewhere.
TEST(KeptPlan, NothingLiesOverWhatIsKept) {
  const Graph graph =
      MustLink({NodeBuilder("a").Recursion(7).To("a").To("mesh", 4, 32), NodeBuilder("mesh").Mesh().Payload(32)});
  for (const uint64_t ring : {1 * kMiB, 64 * kMiB, 1024 * kMiB}) {
    const Planned planned = PlanFrom(graph, "a", 10'000, ring);
    ASSERT_EQ(planned.schedule.level_count(), 9u);
    for (uint32_t level = 0; level < 8; ++level) {
      EXPECT_LE(RangeOf(planned.plan, level).end, planned.plan.ring_bytes());
      for (uint32_t later = level + 1; later < 8; ++later)
        EXPECT_TRUE(AreApart(RangeOf(planned.plan, level), RangeOf(planned.plan, later))) << level << ", " << later;
    }
    EXPECT_LE(planned.plan.ring_bytes(), ring);
    EXPECT_EQ(planned.plan.half_bytes[1], 0u) << "the records of level 0 lie behind all of it";
  }
}

// Levels without draws take turns with two parts, as they do in graphs without mesh nodes.
TEST(KeptPlan, OtherLevelsTakeTurns) {
  const Graph graph =
      MustLink({NodeBuilder("a").To("b"), NodeBuilder("b").To("c").To("mesh"), NodeBuilder("c").To("d"),
                NodeBuilder("d").To("e"), NodeBuilder("e").To("f"), NodeBuilder("f"), NodeBuilder("mesh").Mesh()});
  const Planned planned = PlanFrom(graph, "a", 1000, 64 * kMiB);
  ASSERT_EQ(planned.schedule.level_count(), 6u);
  EXPECT_TRUE(planned.plan.bounded);
  const GraphPlan& plan = planned.plan;
  // Level 1 appends to a part of its own.
  EXPECT_EQ(RangeOf(plan, 0).begin, RangeOf(plan, 2).begin);
  EXPECT_EQ(RangeOf(plan, 2).begin, RangeOf(plan, 4).begin);
  EXPECT_TRUE(AreApart(RangeOf(plan, 2), RangeOf(plan, 3)));
  for (const uint32_t other : {0u, 2u, 3u, 4u}) EXPECT_TRUE(AreApart(RangeOf(plan, 1), RangeOf(plan, other))) << other;
}

// What all levels need together fits, though one of them takes most of the ring.
TEST(KeptPlan, PartsAreAsLargeAsTheirLevelsNeed) {
  const Graph graph =
      MustLink({NodeBuilder("a").Payload(16).To("b", 1, 16).To("small", 1, 16), NodeBuilder("small").Mesh(),
                NodeBuilder("b").To("large", 100, 64), NodeBuilder("large").Mesh().Payload(64)});
  constexpr uint64_t kWorkgroups = 1000;
  constexpr uint64_t kNeeded = kWorkgroups * (2 * 16 + 100 * 64) + 2 * 1024;
  EXPECT_TRUE(PlanFrom(graph, "a", kWorkgroups, kNeeded).plan.bounded);
  EXPECT_FALSE(PlanFrom(graph, "a", kWorkgroups, kNeeded / 2).plan.bounded);
}

// The nodes of an array can get everything each, so that regions grow; then it is the sum of levels that has to fit.
TEST(KeptPlan, RegionsOfArraysGrowInTheirPart) {
  std::vector<NodeSource> nodes = {NodeBuilder("a").To("a2").To("m", 8, 64).source,
                                   NodeBuilder("a2").To("m", 8, 64).source};
  for (uint32_t index = 0; index < 64; ++index) nodes.push_back(NodeBuilder("m", index).Mesh().Payload(64).source);
  const Graph graph = MustLink(nodes);
  constexpr uint64_t kWorkgroups = 10'000;
  constexpr uint64_t kSent = 2 * kWorkgroups * 8 * 64;
  const Planned planned = PlanFrom(graph, "a", kWorkgroups, kSent * 2);
  EXPECT_TRUE(planned.plan.bounded);
  EXPECT_TRUE(AreApart(RangeOf(planned.plan, 0), RangeOf(planned.plan, 1)));
  EXPECT_LE(planned.plan.ring_bytes(), kSent * 2);
}

TEST(RingParts, SmallNeedsComeFirst) {
  const auto divide = [](std::vector<PartNeed> needs, uint64_t bytes) { return DivideRing(needs, bytes); };
  EXPECT_THAT(divide({{100, 100}, {5000, 5000}, {0, 0}}, 8192), ElementsAre(256u, 5120u, 0u));
  EXPECT_THAT(divide({{100, 4096}, {5000, 8192}}, 8192), ElementsAre(1792u, 6400u)) << "needs before wishes";
  EXPECT_THAT(divide({{~uint64_t{0}, ~uint64_t{0}}, {256, 256}, {~uint64_t{0}, ~uint64_t{0}}}, 4096),
              ElementsAre(1792u, 512u, 1792u));
}

// Never more than there is, and never less than an equal share of it to who needs more.
TEST(RingParts, NobodyGetsLessThanAnEqualShare) {
  uint64_t random = 1;
  const auto next = [&random](uint64_t below) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return (random >> 33) % below;
  };
  for (int i = 0; i < 1000; ++i) {
    std::vector<PartNeed> needs(1 + next(40));
    for (PartNeed& need : needs) {
      need.least = next(1 << 20);
      need.wanted = need.least + next(1 << 20);
    }
    const uint64_t bytes = 256 * (1 + next(1 << 16));
    const std::vector<uint64_t> rooms = DivideRing(needs, bytes);
    EXPECT_LE(std::accumulate(rooms.begin(), rooms.end(), uint64_t{0}), bytes);
    const uint64_t share = bytes / needs.size() / kPartAlignment * kPartAlignment;
    for (size_t part = 0; part < needs.size(); ++part) EXPECT_GE(rooms[part], std::min(needs[part].least, share));
  }
}

}  // namespace
}  // namespace trellis::test
