// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "layer/graph/levels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/graph_builder.h"

namespace trellis::test {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::vector<uint32_t> Level(const LevelSchedule& schedule, uint32_t level) {
  const std::span<const uint32_t> slots = schedule.level(level);
  EXPECT_TRUE(std::is_sorted(slots.begin(), slots.end()));
  return {slots.begin(), slots.end()};
}

TEST(Levels, NoRootsMakeNoLevels) { EXPECT_EQ(AssignLevels(MustLink({NodeBuilder("a")}), {}).level_count(), 0u); }

TEST(Levels, ALeafRunsAlone) {
  const Graph graph = MustLink({NodeBuilder("a"), NodeBuilder("b")});
  const LevelSchedule schedule = AssignLevels(graph, std::vector<uint32_t>{1});
  ASSERT_EQ(schedule.level_count(), 1u);
  EXPECT_THAT(Level(schedule, 0), ElementsAre(1));
}

TEST(Levels, ADiamondWithArmsOfDifferentLengthRunsItsEndTwice) {
  const Graph graph = MustLink({NodeBuilder("top").To("end").To("arm"), NodeBuilder("arm").To("end"),
                                NodeBuilder("end").To("tail"), NodeBuilder("tail")});
  const LevelSchedule schedule = AssignLevels(graph, std::vector<uint32_t>{SlotOf(graph, "top")});
  ASSERT_EQ(schedule.level_count(), 4u);
  EXPECT_THAT(Level(schedule, 0), ElementsAre(SlotOf(graph, "top")));
  EXPECT_THAT(Level(schedule, 1), UnorderedElementsAre(SlotOf(graph, "end"), SlotOf(graph, "arm")));
  EXPECT_THAT(Level(schedule, 2), UnorderedElementsAre(SlotOf(graph, "end"), SlotOf(graph, "tail")));
  EXPECT_THAT(Level(schedule, 3), ElementsAre(SlotOf(graph, "tail")));
}

TEST(Levels, RecursionEnteredAtTwoDepthsHasTwoOfItsSlotsInOneLevel) {
  const Graph graph = MustLink(
      {NodeBuilder("top").To("r").To("arm"), NodeBuilder("arm").To("r"), NodeBuilder("r").Recursion(2).To("r")});
  const LevelSchedule schedule = AssignLevels(graph, std::vector<uint32_t>{SlotOf(graph, "top")});
  ASSERT_EQ(schedule.level_count(), 5u);
  EXPECT_THAT(Level(schedule, 1), UnorderedElementsAre(SlotOf(graph, "arm"), SlotOf(graph, "r", 0, 2)));
  EXPECT_THAT(Level(schedule, 2), UnorderedElementsAre(SlotOf(graph, "r", 0, 2), SlotOf(graph, "r", 0, 1)));
  EXPECT_THAT(Level(schedule, 3), UnorderedElementsAre(SlotOf(graph, "r", 0, 1), SlotOf(graph, "r", 0, 0)));
  EXPECT_THAT(Level(schedule, 4), ElementsAre(SlotOf(graph, "r", 0, 0)));
}

TEST(Levels, AChainOfThirtyTwoHasThirtyTwoLevels) {
  std::vector<NodeSource> sources;
  for (uint32_t i = 0; i < 32; ++i)
    sources.push_back(NodeBuilder("n" + std::to_string(i)).To("n" + std::to_string(i + 1)).source);
  const Graph graph = MustLink(std::move(sources));
  const LevelSchedule schedule = AssignLevels(graph, std::vector<uint32_t>{0});
  ASSERT_EQ(schedule.level_count(), 32u);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_THAT(Level(schedule, i), ElementsAre(SlotOf(graph, "n" + std::to_string(i))));
}

TEST(Levels, RootsOfDifferentDepthStartTogether) {
  const Graph graph =
      MustLink({NodeBuilder("a").To("b"), NodeBuilder("b").To("c"), NodeBuilder("c"), NodeBuilder("other")});
  const LevelSchedule schedule = AssignLevels(graph, std::vector<uint32_t>{2, 0, 3, 1, 0});
  ASSERT_EQ(schedule.level_count(), 3u);
  EXPECT_THAT(Level(schedule, 0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Level(schedule, 1), ElementsAre(1, 2));
  EXPECT_THAT(Level(schedule, 2), ElementsAre(2));
}

TEST(Levels, NodesThatTheRootsDoNotReachStayOut) {
  const Graph graph =
      MustLink({NodeBuilder("a").To("b"), NodeBuilder("b"), NodeBuilder("c").To("d"), NodeBuilder("d")});
  EXPECT_EQ(AssignLevels(graph, std::vector<uint32_t>{0}).slots.size(), 2u);
}

}  // namespace
}  // namespace trellis::test
