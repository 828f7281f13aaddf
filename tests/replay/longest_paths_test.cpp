// SPDX-License-Identifier: Apache-2.0
// Graphs whose slots are launched once each, after all that can send to them: what is recorded, and that the barriers
// are enough and no more than that.
#include <algorithm>

#include "tests/replay/barrier_test_base.h"

namespace trellis::test {
namespace {

class LongestPathsTest : public BarrierTest {
 protected:
  explicit LongestPathsTest(const Variant& variant = {}) : BarrierTest(variant) {}
  void RecordRow(const std::vector<NodeSource>& sources, uint32_t count = 3) {
    Use(MakePipeline(device_, sources));
    Dispatch(device_, pipeline_, scratch_, {{"top", count}});
  }
  [[nodiscard]] size_t Launches() const {
    return PositionsOf(device_.stream(), Command::Kind::kDispatchIndirect).size();
  }
};

TEST_F(LongestPathsTest, EachNodeOfARowOnce) {
  RecordRow(RowSources(6));
  ExpectExact(BarriersFor(7));
  EXPECT_EQ(Launches(), 6u);
}

// Each of six nodes sends to all later ones.
TEST_F(LongestPathsTest, LaunchesOfAllKinds) {
  const auto name = [](uint32_t node) { return "n" + std::to_string(node); };
  std::vector<NodeSource> sources = {NodeBuilder("top").To("n0").source};
  for (uint32_t node = 0; node < 6; ++node) {
    NodeBuilder built(name(node));
    if (node % 3 == 1) built.Coalescing(8);
    if (node % 3 == 2) built.Dynamic(6, 1, 1);
    for (uint32_t later = node + 1; later < 6; ++later) built.To(name(later));
    sources.push_back(built.source);
  }
  sources.push_back(NodeBuilder("beside").SharesInput("n3").To("end").source);
  sources.push_back(NodeBuilder("end").source);
  RecordRow(sources);
  // Grids from records are counted before their levels, and the workgroups of the sharer.
  ExpectExact(BarriersFor(7, 3));
  EXPECT_EQ(Launches(), 6u + 2);
}

TEST_F(LongestPathsTest, TwiceOnOneScratch) {
  RecordRow(RowSources(4));
  Dispatch(device_, pipeline_, scratch_, {{"top", 5}});
  ExpectExact(2 * BarriersFor(5));
  EXPECT_EQ(Launches(), 8u);
}

TEST_F(LongestPathsTest, ARootThatIsSentTo) {
  Use(MakePipeline(device_, RowSources(4)));
  Dispatch(device_, pipeline_, scratch_, {{"top", 3}, {.node = "hop", .count = 2, .index = 3}});
  ExpectExact(BarriersFor(5));
  EXPECT_EQ(Launches(), 4u);
}

class LongestPathsInASmallRingTest : public LongestPathsTest {
 protected:
  LongestPathsInASmallRingTest() : LongestPathsTest({.ring_budget = 1}) {}
};

// 5 regions of 20,000 records do not fit into 1 MiB side by side; those of two levels do not either.
TEST_F(LongestPathsInASmallRingTest, WhatHasNoRoomRunsLevelByLevel) {
  RecordRow(RowSources(5), 20000);
  EXPECT_GT(Launches(), 5u);
}

class SharedRingLongestPathsTest : public LongestPathsTest {
 protected:
  SharedRingLongestPathsTest() : LongestPathsTest({.queues = 2}) {}
};

TEST_F(SharedRingLongestPathsTest, EachNodeOfARowOnce) {
  RecordRow(RowSources(5));
  EXPECT_EQ(Launches(), 5u);
  ExpectExact(BarriersFor(6) + 1);
}

class PreparedLongestPathsTest : public LongestPathsTest {
 protected:
  PreparedLongestPathsTest() : LongestPathsTest({.prepare_regions = true}) {}
  [[nodiscard]] bool HasBegin() const {
    bool has_begin = false;
    ForEachKernel([&](const std::string& kernel, uint64_t) { has_begin |= kernel == KernelName(Kernel::kBeginGraph); });
    return has_begin;
  }
};

// Where executions prepare regions for one another, no kernel begins; that is worth more than a few launches.
TEST_F(PreparedLongestPathsTest, FewLaunchesAreNotSpared) {
  RecordRow(RowSources(5));
  EXPECT_FALSE(HasBegin());
  EXPECT_EQ(Launches(), 2 * 5u + 4 + 3 + 2 + 1) << "level 1 once for each set";
}

TEST_F(PreparedLongestPathsTest, ManyAre) {
  RecordRow(RowSources(14));
  EXPECT_TRUE(HasBegin());
  EXPECT_EQ(Launches(), 14u);
  ExpectExact(BarriersFor(15));
}

}  // namespace
}  // namespace trellis::test
