// Which launches take their workgroups from the counters of their region.
#include "layer/replay/launch_size.h"

#include <gtest/gtest.h>

namespace trellis::test {
namespace {

constexpr LaunchLimits kLimits = {1000, 100, 50, (1u << 24) - 1};

shared::LaunchPlan StaticGrid(uint32_t x, uint32_t y, uint32_t z) {
  shared::LaunchPlan launch = {};
  launch.kind = shared::kLaunchStaticGrid;
  launch.grid_x = x;
  launch.grid_y = y;
  launch.grid_z = z;
  launch.coalesce = launch.packed = 1;
  launch.most_workgroups = shared::kAnyWorkgroups;
  return launch;
}
shared::LaunchPlan Coalescing(uint32_t records) {
  shared::LaunchPlan launch = StaticGrid(1, 1, 1);
  launch.kind = shared::kLaunchCoalescing;
  launch.coalesce = records;
  return launch;
}
bool Counts(const shared::LaunchPlan& launch, uint32_t capacity) {
  shared::RegionPlan opening = {};
  opening.capacity = capacity;
  return LaunchFromRegion(launch, kLimits, opening);
}

TEST(LaunchFromRegion, GridsStandBesideTheCount) {
  shared::RegionPlan opening = {};
  opening.capacity = 10;
  ASSERT_TRUE(LaunchFromRegion(StaticGrid(7, 5, 3), kLimits, opening));
  EXPECT_EQ(opening.grid_x, 7u);
  EXPECT_EQ(opening.grid_yz, 15u);
  EXPECT_EQ(opening.coalesce, 0u);
}

TEST(LaunchFromRegion, CoalescingCountsWorkgroups) {
  shared::RegionPlan opening = {};
  opening.capacity = 100;
  ASSERT_TRUE(LaunchFromRegion(Coalescing(32), kLimits, opening));
  EXPECT_EQ(opening.coalesce, 32u);
  opening.capacity = 10;
  ASSERT_TRUE(LaunchFromRegion(Coalescing(0xffffffff), kLimits, opening));
  EXPECT_EQ(opening.coalesce, 11u) << "sums with it must not wrap";
}

// What one workgroup after the other does needs no longer row.
TEST(LaunchFromRegion, StridingNeedsFewWorkgroups) {
  shared::LaunchPlan launch = Coalescing(10);
  launch.most_workgroups = 1000;
  shared::RegionPlan opening = {};
  opening.capacity = 100000;
  ASSERT_TRUE(LaunchFromRegion(launch, kLimits, opening));
  EXPECT_EQ(opening.most_workgroups, 1000u);
  EXPECT_EQ(DispatchedWorkgroups(launch, 999), 999u);
  EXPECT_EQ(DispatchedWorkgroups(launch, 10000), 1000u);
  launch.most_workgroups = 1001;
  EXPECT_FALSE(LaunchFromRegion(launch, kLimits, opening));
  launch.most_workgroups = 1000;
  opening.capacity = 1000000;
  EXPECT_FALSE(LaunchFromRegion(launch, kLimits, opening)) << "more than a dispatch has, which is what plans count on";
}

TEST(MostWorkgroupsOfRuns, LongRunsForAllCores) {
  shared::LaunchPlan launch = Coalescing(10);
  EXPECT_EQ(MostWorkgroupsOfRuns(launch, 1000, 2), shared::kAnyWorkgroups) << "it cannot";
  launch.most_workgroups = 2048;
  EXPECT_EQ(MostWorkgroupsOfRuns(launch, 1000, 2), 16u);
  EXPECT_EQ(MostWorkgroupsOfRuns(launch, 1000, 64), 512u);
  EXPECT_EQ(MostWorkgroupsOfRuns(launch, 1000, 0), 8u);
  EXPECT_EQ(MostWorkgroupsOfRuns(launch, 16 * 10 * 100, 2), 100u);
  EXPECT_EQ(MostWorkgroupsOfRuns(launch, 1000000, 2), 2048u);
  launch.most_workgroups = 3;
  EXPECT_EQ(MostWorkgroupsOfRuns(launch, 1000000, 2), 3u);
}

// A counter may end one past the capacity.
TEST(LaunchFromRegion, EveryDimensionStaysWithinTheLimits) {
  EXPECT_TRUE(Counts(StaticGrid(1, 1, 1), 999));
  EXPECT_FALSE(Counts(StaticGrid(1, 1, 1), 1000));
  EXPECT_TRUE(Counts(StaticGrid(100, 1, 1), 5));
  EXPECT_FALSE(Counts(StaticGrid(101, 1, 1), 5));
  EXPECT_TRUE(Counts(StaticGrid(1, 10, 5), 5));
  EXPECT_FALSE(Counts(StaticGrid(1, 17, 3), 5));
  EXPECT_TRUE(Counts(Coalescing(10), 9999));
  EXPECT_FALSE(Counts(Coalescing(10), 10000));
  EXPECT_FALSE(Counts(StaticGrid(1, 65535, 65535), 1)) << "no overflow";
}

TEST(LaunchFromRegion, TheWholeDispatchIsNoLargerThanAnyOther) {
  EXPECT_TRUE(Counts(StaticGrid(100, 1, 1), 999));
  EXPECT_FALSE(Counts(StaticGrid(100, 2, 1), 999));
}

TEST(LaunchFromRegion, WhatNeedsMoreThanTheNumberOfRecordsIsClosed) {
  shared::LaunchPlan launch = StaticGrid(1, 1, 1);
  launch.note_words = shared::kShortNotes;
  EXPECT_FALSE(Counts(launch, 5));
  launch = StaticGrid(0, 0, 0);
  launch.kind = shared::kLaunchDynamicGrid;
  EXPECT_FALSE(Counts(launch, 5));
}

TEST(LaunchFromRegion, AGridWithoutWorkgroupsStaysWithout) {
  shared::RegionPlan opening = {};
  opening.capacity = 10;
  ASSERT_TRUE(LaunchFromRegion(StaticGrid(4, 0, 3), kLimits, opening));
  EXPECT_EQ(opening.grid_yz, 0u);
}

TEST(LaunchFromRegionTest, WorkgroupsForRecords) {
  EXPECT_EQ(WorkgroupsFor(StaticGrid(2, 3, 4), 5), 120u);
  EXPECT_EQ(WorkgroupsFor(StaticGrid(2, 0, 4), 5), 0u);
  EXPECT_EQ(WorkgroupsFor(StaticGrid(1000, 1000, 1), 1u << 31), (uint64_t{1} << 31) * 1'000'000);
  EXPECT_EQ(WorkgroupsFor(Coalescing(4), 0), 0u);
  EXPECT_EQ(WorkgroupsFor(Coalescing(4), 9), 3u);
  EXPECT_EQ(WorkgroupsFor(Coalescing(1), ~0u), ~0u);
}

}  // namespace
}  // namespace trellis::test
