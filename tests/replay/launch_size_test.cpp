// SPDX-License-Identifier: Apache-2.0
// What a launch takes of its records, and which launches take their workgroups from the counters of their region.
#include "layer/replay/planning/launch_size.h"
#include "meta_shaders/shared/kernel_plans.h"

#include <gtest/gtest.h>

#include <span>
#include <utility>
#include <vector>

namespace trellis::test {
namespace {

constexpr LaunchLimits kSmallLimits = {1000, 100, 50, (1u << 24) - 1};

shared::LaunchPlan StaticGrid(uint32_t x, uint32_t y, uint32_t z) {
  shared::LaunchPlan launch = {};
  launch.kind = shared::kLaunchStaticGrid;
  launch.grid_x = x;
  launch.grid_y = y;
  launch.grid_z = z;
  launch.coalesce = launch.packed = 1;
  launch.max_workgroups = shared::kAnyWorkgroups;
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
  return LaunchFromRegion(launch, kSmallLimits, opening);
}

LaunchSize Size(const shared::LaunchPlan& launch, uint32_t records, const std::vector<uint32_t>& grids = {}) {
  std::vector<uint32_t> record_state;
  return SizeLaunch(launch, {std::as_bytes(std::span(grids)), records, 4}, kSmallLimits, record_state);
}
// `workgroups`: of the largest slice; `all`: of all of them.
void ExpectSize(const LaunchSize& size, uint32_t records, uint32_t workgroups, uint32_t slices, uint64_t all) {
  EXPECT_EQ(size.records, records);
  EXPECT_EQ(size.workgroups, workgroups);
  EXPECT_EQ(size.slices, slices);
  EXPECT_EQ(size.all_workgroups, all);
}
void ExpectSize(const LaunchSize& size, uint32_t records, uint32_t workgroups) {
  ExpectSize(size, records, workgroups, 1, workgroups);
}

// kSmallLimits: 100,000 workgroups in a slice, 2^24 - 1 for a record.
TEST(SizeLaunch, RecordsBeyondOneDispatchAreInFurtherSlices) {
  ExpectSize(Size(StaticGrid(2, 3, 4), 5), 5, 120);
  ExpectSize(Size(StaticGrid(7, 1, 1), 14285), 14285, 99995);
  ExpectSize(Size(StaticGrid(7, 1, 1), 20000), 20000, 70000, 2, 140000);
  ExpectSize(Size(StaticGrid(100, 1000, 1), 3), 3, 100000, 3, 300000);
  ExpectSize(Size(StaticGrid(100, 1000, 1), 70000), 65535, 100000, 65535, 6553500000);
  ExpectSize(Size(StaticGrid(100, 1001, 1), 2), 0, 0);
  ExpectSize(Size(StaticGrid(100, 0, 1), 2), 2, 0);
  ExpectSize(Size(Coalescing(8), 17), 17, 3);
  ExpectSize(Size(Coalescing(3), 400000), 300000, 100000);
}

TEST(SizeLaunch, ARecordHasNoMoreWorkgroupsThanTheLimit) {
  shared::LaunchPlan launch = StaticGrid(0, 0, 0);  // no bounds of its own
  launch.kind = shared::kLaunchDynamicGrid;
  launch.grid_member = 4u << shared::kGridMemberWidthShift | 1u << shared::kGridMemberCountShift;
  launch.state_words = shared::kShortRecordState;
  const std::vector<uint32_t> grids = {5, 1001, 0, 7};
  LaunchLimits limits = kSmallLimits;
  limits.max_grid_workgroups = 1000;
  std::vector<uint32_t> record_state;
  ExpectSize(SizeLaunch(launch, {std::as_bytes(std::span(grids)), 4, 4}, limits, record_state), 4, 1012);
  EXPECT_EQ(record_state, (std::vector<uint32_t>{0, 5, 1005, 1005}));
  const std::vector<uint32_t> padded = {5, 99, 1001, 99, 0, 99, 7};  // nothing behind the last record
  ExpectSize(SizeLaunch(launch, {std::as_bytes(std::span(padded)), 4, 8}, limits, record_state), 4, 1012);
  limits.max_workgroups_y = 1;
  const LaunchSize size = SizeLaunch(launch, {std::as_bytes(std::span(grids)), 4, 4}, limits, record_state);
  ExpectSize(size, 4, 1000, 3, 1012);
  EXPECT_EQ(record_state, (std::vector<uint32_t>{0, 0, 1000, 0}));
  constexpr uint32_t kTable[4][2] = {{0, 5}, {1, 1000}, {3, 7}, {4, 0}};
  ASSERT_EQ(size.table.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(size.table[i].first_record, kTable[i][0]) << i;
    EXPECT_EQ(size.table[i].workgroup_count, kTable[i][1]) << i;
  }
}

TEST(SplitIntoRows, AsFewRowsAsTheLimitAllows) {
  const auto split = [](uint32_t workgroups, uint32_t max_x) {
    const DispatchSize size = SplitIntoRows(workgroups, max_x);
    return std::pair(size.x, size.y);
  };
  EXPECT_EQ(split(0, 10), std::pair(0u, 0u));
  EXPECT_EQ(split(10, 10), std::pair(10u, 1u));
  EXPECT_EQ(split(11, 10), std::pair(6u, 2u));
  EXPECT_EQ(split(21, 10), std::pair(7u, 3u));
  EXPECT_EQ(split(0xffff0000u, 65535), std::pair(65535u, 65536u));
  EXPECT_EQ(SplitIntoRows(11, 10).z, 1u);
  EXPECT_EQ(SplitIntoRows(11, 10, 7).z, 7u);
  EXPECT_EQ(SplitIntoRows(0, 10, 7).z, 0u);
}

TEST(LaunchFromRegion, GridsStandBesideTheCount) {
  shared::RegionPlan opening = {};
  opening.capacity = 10;
  ASSERT_TRUE(LaunchFromRegion(StaticGrid(7, 5, 3), kSmallLimits, opening));
  EXPECT_EQ(opening.grid_x, 7u);
  EXPECT_EQ(opening.grid_yz, 15u);
  EXPECT_EQ(opening.coalesce, 0u);
}

TEST(LaunchFromRegion, CoalescingCountsWorkgroups) {
  shared::RegionPlan opening = {};
  opening.capacity = 100;
  ASSERT_TRUE(LaunchFromRegion(Coalescing(32), kSmallLimits, opening));
  EXPECT_EQ(opening.coalesce, 32u);
  opening.capacity = 10;
  ASSERT_TRUE(LaunchFromRegion(Coalescing(0xffffffff), kSmallLimits, opening));
  EXPECT_EQ(opening.coalesce, 11u) << "sums with it must not wrap";
}

// What one workgroup after the other does needs no longer row.
TEST(LaunchFromRegion, StridingNeedsFewWorkgroups) {
  shared::LaunchPlan launch = Coalescing(10);
  launch.max_workgroups = 1000;
  shared::RegionPlan opening = {};
  opening.capacity = 100000;
  ASSERT_TRUE(LaunchFromRegion(launch, kSmallLimits, opening));
  EXPECT_EQ(opening.max_workgroups, 1000u);
  EXPECT_EQ(DispatchedWorkgroups(launch, 999), 999u);
  EXPECT_EQ(DispatchedWorkgroups(launch, 10000), 1000u);
  launch.max_workgroups = 1001;
  EXPECT_FALSE(LaunchFromRegion(launch, kSmallLimits, opening));
  launch.max_workgroups = 1000;
  opening.capacity = 1000000;
  EXPECT_FALSE(LaunchFromRegion(launch, kSmallLimits, opening))
      << "more than a dispatch has, which is what plans count on";
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

TEST(LaunchFromRegion, WhatNeedsMoreThanTheNumberOfRecordsIsSized) {
  shared::LaunchPlan launch = StaticGrid(1, 1, 1);
  launch.state_words = shared::kShortRecordState;
  EXPECT_FALSE(Counts(launch, 5));
  launch = StaticGrid(0, 0, 0);
  launch.kind = shared::kLaunchDynamicGrid;
  EXPECT_FALSE(Counts(launch, 5));
}

// Each record gets as many workgroups of the dispatch as its bound takes, four of the node's own in each.
TEST(LaunchFromRegion, GridsFromRecordsWithSmallBounds) {
  shared::LaunchPlan launch = StaticGrid(2, 2, 1);
  launch.kind = shared::kLaunchDynamicGrid;
  launch.state_words = shared::kShortRecordState;
  shared::RegionPlan opening = {};
  opening.capacity = 10;
  ASSERT_TRUE(LaunchFromRegion(launch, kSmallLimits, opening));
  EXPECT_EQ(opening.grid_x, 4u);
  EXPECT_EQ(opening.grid_yz, 1u);
  launch.packed = 3;
  ASSERT_TRUE(LaunchFromRegion(launch, kSmallLimits, opening));
  EXPECT_EQ(opening.grid_x, 2u);
  opening.capacity = 999;
  EXPECT_TRUE(LaunchFromRegion(launch, kSmallLimits, opening));
  opening.capacity = 1000;
  EXPECT_FALSE(LaunchFromRegion(launch, kSmallLimits, opening)) << "longer than a row";
  opening.capacity = 10;
  launch.state_words = shared::kFullRecordState;
  EXPECT_FALSE(LaunchFromRegion(launch, kSmallLimits, opening)) << "the record may have changed";
  launch.state_words = shared::kShortRecordState;
  launch.grid_x = 3;
  EXPECT_FALSE(LaunchFromRegion(launch, kSmallLimits, opening)) << "six workgroups";
}

TEST(LaunchFromRegion, AGridWithoutWorkgroupsStaysWithout) {
  shared::RegionPlan opening = {};
  opening.capacity = 10;
  ASSERT_TRUE(LaunchFromRegion(StaticGrid(4, 0, 3), kSmallLimits, opening));
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
