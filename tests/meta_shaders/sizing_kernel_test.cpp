// SPDX-License-Identifier: Apache-2.0
// The kernel size_launches, and the host's SizeLaunch, against a reference that is neither (launch_reference.h).
#include <array>
#include <map>

#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/report_data.h"
#include "tests/meta_shaders/sizing_kernel_test_base.h"

namespace trellis::test {
namespace {

using shared::DeviceReport;
using shared::DeviceReportHeader;
using shared::Region;
using shared::RegionPlan;

// That of several launches of one region lies one behind the other, beyond 64 GiB.
TEST_F(SizingKernelTest, RecordStateOfHugeRegionsDoesNotOverlap) {
  std::vector<Launch> launches(3, DynamicGrid({0, 4, 1}, 64, 0, 1));
  for (Launch& launch : launches) {
    launch.plan.state_words = shared::kFullRecordState;
    launch.region.capacity = 0x7fffffff;
  }
  launches[1].plan.slot = launches[2].plan.slot = 1;
  const std::vector<Sized> sized = Size(launches);
  for (uint32_t i = 0; i < 3; ++i)
    EXPECT_EQ(sized[i].input.record_state, bases_[i] + RegionBytes(64, i * shared::kFullRecordState, 0x7fffffff));
}

TEST_F(SizingKernelTest, SaysWhereTheRecordsAre) {
  const std::vector<Sized> sized =
      Size({StaticGrid(2, 3, 4, 5), DynamicGrid({4, 2, 3}, 16, 9, 5, 4), Coalescing(8, 17)});
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(sized[i].input.records.base, bases_[i]);
  EXPECT_EQ(sized[0].input.records.stride, 12u);
  EXPECT_EQ(sized[0].input.records.count, 5u);
  EXPECT_EQ(sized[0].input.workgroup_count, 120u);
  EXPECT_EQ(sized[1].input.records.stride, 16u);
  EXPECT_EQ(sized[2].input.records.count, 17u);
  EXPECT_EQ(sized[2].input.workgroup_count, 3u);
}

// In numbers: what a record may have, whatever its grid asks for.
TEST_F(SizingKernelTest, ARecordHasNoMoreWorkgroupsThanTheLimit) {
  limits_.max_grid_workgroups = 100;
  Launch launch = DynamicGrid({0, 4, 2}, 8, 4, 0);
  const uint32_t grids[4][2] = {{10, 10}, {101, 1}, {65535, 65535}, {3, 4}};
  std::memcpy(launch.records.data(), grids, sizeof(grids));
  launch.plan.state_words = shared::kFullRecordState;
  const Sized sized = Size({launch})[0];
  EXPECT_EQ(sized.input.records.count, 4u);
  EXPECT_EQ(sized.input.workgroup_count, 312u);
  EXPECT_EQ(sized.record_state,
            (std::vector<uint32_t>{0, 10, 10, 100, 100, 101, 1, 100, 200, 65535, 65535, 100, 300, 3, 4, 12}));
}

TEST_F(SizingKernelTest, StaticGridsLikeTheHost) {
  for (uint32_t records : {0u, 1u, 2u, 65535u, 65536u, 1000000u}) {
    ExpectLikeReference(StaticGrid(1, 1, 1, records), "1x1x1 * " + std::to_string(records));
    ExpectLikeReference(StaticGrid(3, 5, 7, records), "3x5x7 * " + std::to_string(records));
    ExpectLikeReference(StaticGrid(4, 0, 1, records), "4x0x1 * " + std::to_string(records));
    ExpectLikeReference(StaticGrid(65535, 256, 1, records), "65535x256x1 * " + std::to_string(records));
    ExpectLikeReference(StaticGrid(65535, 65535, 65535, records), "65535^3 * " + std::to_string(records));
  }
}

TEST_F(SizingKernelTest, CoalescingLikeTheHost) {
  for (uint32_t records : {0u, 1u, 31u, 32u, 33u, 65535u * 32u + 1u, 0x7fffffffu})
    for (uint32_t coalesce : {1u, 2u, 32u, 256u})
      ExpectLikeReference(Coalescing(coalesce, records), std::to_string(records) + " by " + std::to_string(coalesce));
}

TEST_F(SizingKernelTest, DynamicGridsOfEveryShapeLikeTheHost) {
  const GridMember members[] = {{0, 4, 1},  {8, 4, 2}, {4, 4, 3}, {2, 2, 1}, {6, 2, 2},
                                {10, 2, 3}, {1, 1, 1}, {3, 1, 2}, {13, 1, 3}};
  for (const GridMember& member : members)
    for (uint32_t stride : {16u, 20u, 36u})
      ExpectLikeReference(
          DynamicGrid(member, stride, 777, 6),
          std::to_string(member.offset) + "+" + std::to_string(member.width) + "*" + std::to_string(member.count));
}

TEST_F(SizingKernelTest, DynamicGridsOfEveryCountLikeTheHost) {
  for (uint32_t records : {0u, 1u, 7u, 8u, 9u, 127u, 128u, 1023u, 1024u, 1025u, 2049u, 70000u})
    ExpectLikeReference(DynamicGrid({4, 4, 3}, 20, records, 3), std::to_string(records) + " records");
}

TEST_F(SizingKernelTest, PackedDynamicGridsLikeTheHost) {
  for (const uint32_t packed : {2u, 4u, 128u})
    for (const uint32_t records : {0u, 1u, 9u, 1025u, 70000u}) {
      Launch launch = DynamicGrid({4, 4, 3}, 20, records, 3);
      launch.plan.packed = packed;
      ExpectLikeReference(launch, std::to_string(records) + " records packed by " + std::to_string(packed));
    }
}

TEST_F(SizingKernelTest, FewWorkgroupsForManyLikeTheHost) {
  for (const uint32_t most : {1u, 100u, 600u, 100000u})
    for (Launch launch : {DynamicGrid({4, 4, 3}, 20, 5000, 3), StaticGrid(3, 2, 1, 100), Coalescing(3, 2000)}) {
      launch.plan.max_workgroups = most;
      ExpectLikeReference(launch, std::to_string(most) + " at most");
      launch.plan.packed = 4;
      ExpectLikeReference(launch, std::to_string(most) + " at most, packed");
    }
}

TEST_F(SizingKernelTest, RecordsWithoutWorkgroupsLikeTheHost) {
  ExpectLikeReference(DynamicGrid({0, 4, 1}, 4, 5000, 0), "all of them");
  ExpectLikeReference(DynamicGrid({0, 4, 2}, 8, 5000, 1), "three in four");
}

// Of records that may change while they are used.
TEST_F(SizingKernelTest, FullRecordStateLikeTheHost) {
  for (uint32_t records : {0u, 1u, 9u, 1025u, 5000u}) {
    Launch launch = DynamicGrid({6, 2, 3}, 20, records, 7, 5);
    launch.plan.state_words = shared::kFullRecordState;
    ExpectLikeReference(launch, std::to_string(records) + " records");
  }
  limits_.max_grid_workgroups = 100;
  Launch clamped = DynamicGrid({4, 4, 2}, 16, 300, 20);
  clamped.plan.state_words = shared::kFullRecordState;
  ExpectLikeReference(clamped, "clamped");
  limits_.max_workgroups_y = 1;
  limits_.max_workgroups_x = 1000;
  ExpectLikeReference(clamped, "not all of them");
}

// Among several workgroups, of which some have nothing to do.
TEST_F(SizingKernelTest, RecordsInPartsLikeTheHost) {
  for (const uint32_t parts : {1u, 2u, 5u, 128u, 129u, shared::kMaxParts}) {
    parts_ = parts;
    for (const uint32_t records : {0u, 1u, 1023u, 1024u, 1025u, 2048u, 5121u, 70000u, 140000u}) {
      const std::string what = std::to_string(records) + " records in " + std::to_string(parts_) + " parts";
      Launch launch = DynamicGrid({4, 2, 3}, 12, records, 3);
      ExpectPartsLikeReference(launch, what);
      launch.plan.state_words = shared::kFullRecordState;
      ExpectPartsLikeReference(launch, what + ", full record_state");
      launch = StaticGrid(3, 5, 7, records);
      launch.plan.state_words = shared::kShortRecordState;
      launch.is_parted = true;
      ExpectLikeReference(launch, what + ", short record_state");
    }
  }
}

// Whichever part the first slice ends in, or between two of them. Small slices are more than the maximum.
TEST_F(SizingKernelTest, SlicesOfRecordsInPartsLikeTheHost) {
  limits_.max_workgroups_y = 1;
  parts_ = 7;
  for (const uint32_t most : {1u, 9u, 4000u, 4096u, 9001u, 20000u, 1000000u}) {
    limits_.max_workgroups_x = most;
    Launch launch = DynamicGrid({0, 4, 1}, 4, 7000, 8);
    ExpectPartsLikeReference(launch, "random, " + std::to_string(most));
    for (uint32_t record = 0; record < 7000; ++record) {
      const uint32_t grid = record % 1024 < 2 ? 2000 : 0;
      std::memcpy(launch.records.data() + record * size_t{4}, &grid, 4);
    }
    ExpectPartsLikeReference(launch, "a few at the beginning of each part, " + std::to_string(most));
  }
  limits_ = {0x7fffffff, 65535, 65535, (1u << 24) - 1};
  parts_ = 3;
  ExpectPartsLikeReference(DynamicGrid({0, 2, 3}, 8, 3000, 0xffff), "sums beyond 32 bits");
}

// So many that every part has some, and ends within a tile.
TEST_F(SizingKernelTest, RecordsInAsManyPartsAsThereCanBe) {
  parts_ = shared::kMaxParts;
  constexpr uint32_t kRecords = shared::kMaxParts * (shared::kLevelsTile + 7) - 3;
  Launch launch = DynamicGrid({0, 4, 1}, 4, kRecords, 2);
  launch.is_parted = launch.is_summed = true;
  launch.plan.has_search_index = 1;
  ExpectLikeReference(launch, "all of them");
  for (const uint32_t most : {1000u, kRecords / 2, kRecords - kRecords / 2000}) {
    limits_.max_workgroups_x = most;
    limits_.max_workgroups_y = 1;
    ExpectLikeReference(launch, "some of them, " + std::to_string(most));
  }
  limits_ = {0x7fffffff, 65535, 65535, (1u << 24) - 1};
  for (size_t record = 0; record < kRecords; ++record) launch.records[record * 4 + 1] = std::byte{0x80};
  ExpectLikeReference(launch, "sums beyond 32 bits");
  EXPECT_EQ(Size({launch})[0].input.slices, 3u) << "more than 2^33 workgroups";
}

// One record's, in each of its places.
TEST_F(SizingKernelTest, SearchIndexOfOneRecord) {
  parts_ = 3;
  constexpr uint32_t kRecords = 3000;
  for (const uint32_t large : {0u, 1u, 1023u, 1024u, 2047u, kRecords - 1}) {
    Launch launch = DynamicGrid({0, 4, 1}, 4, kRecords, 0, 0);
    launch.is_parted = launch.is_summed = true;
    launch.plan.has_search_index = 1;
    for (const uint32_t grid : {1u, 64u, 65u, 96u, 1000u, 10000000u}) {
      std::memcpy(launch.records.data() + large * size_t{4}, &grid, 4);
      ExpectLikeReference(launch, std::to_string(grid) + " workgroups of record " + std::to_string(large));
    }
  }
}

// Two of them on one region, next to one that has none.
TEST_F(SizingKernelTest, EachLaunchHasASearchIndexOfItsOwn) {
  parts_ = 3;
  Launch without = DynamicGrid({0, 4, 1}, 4, 3000, 5);
  Launch own = DynamicGrid({4, 4, 1}, 12, 4000, 9);
  without.is_parted = without.is_summed = own.is_parted = own.is_summed = true;
  own.plan.has_search_index = 1;
  Launch sharer = own;
  sharer.plan.slot = 3;  // of the second launch
  sharer.plan.identity = 70;
  sharer.plan.grid_member = GridMember{4, 2, 1}.Packed();
  sharer.plan.grid_x = 3;
  const std::vector<Launch> launches = {without, own, sharer};
  const std::vector<Sized> sized = Size(launches);
  for (size_t i = 0; i < launches.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(sized[i].input.records.count, launches[i].region.records.count);
    ExpectSearchIndex(launches[i], sized[i], true);
  }
  EXPECT_NE(sized[1].search_index, sized[2].search_index);
  EXPECT_NE(sized[1].input.search_index, sized[2].input.search_index);
}

// Workgroups that have yet to finish writing.
TEST_F(SizingKernelTest, ShortRecordStateOfStaticGridsLikeTheHost) {
  for (uint32_t records : {0u, 1u, 128u, 129u, 70000u}) {
    Launch launch = StaticGrid(3, 5, 7, records);
    launch.plan.state_words = shared::kShortRecordState;
    ExpectLikeReference(launch, std::to_string(records) + " records");
  }
  Launch launch = StaticGrid(2, 2, 3, 4);
  launch.plan.state_words = shared::kShortRecordState;
  EXPECT_EQ(Size({launch})[0].record_state, (std::vector<uint32_t>{12, 12, 12, 12}));
}

TEST_F(SizingKernelTest, GridsAreClampedToTheirBounds) {
  ExpectLikeReference(DynamicGrid({0, 4, 3}, 12, 100, 0xffffffffu, 5), "bound 5");
  ExpectLikeReference(DynamicGrid({0, 4, 1}, 4, 100, 0xffffffffu, 65535), "bound 65535");
  ExpectLikeReference(DynamicGrid({0, 4, 1}, 4, 100, 20, 0), "no bound");
}

// In numbers: 10 workgroups in a slice.
TEST_F(SizingKernelTest, RecordsBeyondOneDispatchAreInFurtherSlices) {
  limits_ = {5, 2, 100, (1u << 24) - 1};
  const std::vector<uint32_t> grids = {0, 3, 0, 1, 9, 0, 2, 0, 4, 10, 1};
  for (const uint32_t state_words : {shared::kShortRecordState, shared::kFullRecordState}) {
    Launch launch = DynamicGrid({0, 4, 1}, 4, 11, 0);
    std::memcpy(launch.records.data(), grids.data(), launch.records.size());
    launch.plan.state_words = state_words;
    const Sized sized = Size({launch, StaticGrid(3, 1, 1, 8), DynamicGrid({0, 4, 1}, 4, 3, 0)})[0];
    EXPECT_EQ(sized.input.records.count, 11u);
    EXPECT_EQ(sized.input.slices, 5u);
    EXPECT_EQ(sized.slices, (std::vector<std::array<uint32_t, 2>>{{0, 4}, {4, 9}, {6, 6}, {9, 10}, {10, 1}, {11, 0}}));
    std::vector<uint32_t> firsts;
    for (uint32_t record = 0; record < 11; ++record) firsts.push_back(sized.record_state[record * state_words]);
    EXPECT_EQ(firsts, (std::vector<uint32_t>{0, 0, 3, 3, 0, 9, 0, 2, 2, 0, 0}));
    EXPECT_EQ(sized.arguments.x, 5u);
    EXPECT_EQ(sized.arguments.y, 2u);
    EXPECT_EQ(sized.arguments.z, 5u);
    EXPECT_EQ(Read<DeviceReportHeader>(reports_).written, 0u);
  }
}

TEST_F(SizingKernelTest, StaticGridsBeyondOneDispatchAreInFurtherSlices) {
  limits_ = {5, 2, 100, (1u << 24) - 1};
  Launch launch = StaticGrid(3, 1, 1, 8);
  launch.plan.state_words = shared::kShortRecordState;
  const Sized sized = Size({launch})[0];
  EXPECT_EQ(sized.input.records.count, 8u);
  EXPECT_EQ(sized.input.slices, 3u);
  EXPECT_EQ(sized.input.workgroup_count, 9u) << "3, 3 and 2 records";
  EXPECT_EQ(sized.record_state, std::vector<uint32_t>(8, 3));
  EXPECT_EQ(sized.arguments.x, 5u);
  EXPECT_EQ(sized.arguments.y, 2u);
  EXPECT_EQ(sized.arguments.z, 3u);
}

// Of grids from records, 63; the third dimension of a dispatch has 65,535 on every device.
TEST_F(SizingKernelTest, RecordsBeyondTheLastSliceAreLost) {
  limits_ = {5, 2, 100, (1u << 24) - 1};
  Launch launch = DynamicGrid({0, 4, 1}, 4, 1000, 0);
  for (size_t record = 0; record < 1000; ++record) launch.records[record * 4] = std::byte{4};
  EXPECT_EQ(Size({launch})[0].input.records.count, 126u);
  ASSERT_EQ(Read<DeviceReportHeader>(reports_).written, 1u);
  EXPECT_EQ(ReportsIn(reports_)[0].records, 874u);
  EXPECT_EQ(Size({StaticGrid(10, 1, 1, 70000)})[0].input.records.count, 65535u);
  EXPECT_EQ(ReportsIn(reports_)[0].records, 4465u);
}

TEST_F(SizingKernelTest, SlicesLikeTheHost) {
  limits_ = {100, 50, 100, (1u << 24) - 1};
  ExpectLikeReference(StaticGrid(7, 1, 1, 1000), "static");
  ExpectLikeReference(StaticGrid(5001, 1, 1, 1), "static, not even one");
  ExpectLikeReference(Coalescing(3, 20000), "coalescing");
  for (const uint32_t components : {1u, 2u, 3u}) {
    Launch launch = DynamicGrid({0, 4, components}, 12, 9000, 9);
    ExpectLikeReference(launch, "dynamic");
    launch.plan.state_words = shared::kFullRecordState;
    ExpectLikeReference(launch, "dynamic, full record_state");
    launch.plan.packed = 4;
    ExpectLikeReference(launch, "dynamic, full record_state, packed");
  }
  ExpectLikeReference(DynamicGrid({0, 4, 1}, 4, 3000, 0xffffffffu, 0), "dynamic, huge");
}

TEST_F(SizingKernelTest, SumsBeyond32BitsSaturate) {
  // 65535 * 65535 * 65535 is clamped to max_grid_workgroups; 300 of these pass 2^32.
  ExpectLikeReference(DynamicGrid({0, 2, 3}, 8, 2000, 0xffff), "65535^3");
  limits_.max_workgroups_x = 0x7fffffff;
  ExpectLikeReference(DynamicGrid({0, 2, 3}, 8, 2000, 0xffff), "65535^3, wide device");
  ExpectLikeReference(StaticGrid(65535, 65535, 1, 3), "static, wide device");
}

TEST_F(SizingKernelTest, RecordsThatFoundNoPlaceAreLeftOutAndReported) {
  Launch launch = StaticGrid(1, 1, 1, 100);
  launch.region.reserved = 101;
  launch.region.records.count = launch.region.refused = 97;
  launch.region.lost = 53;
  ExpectLikeReference(launch, "an allocation crossed the capacity");
  launch.region.records.count = launch.region.refused = 100;
  ExpectLikeReference(launch, "exactly at the capacity");
}

// Without memory for a segment, ranks have been taken that no allocation reported.
TEST_F(SizingKernelTest, RecordsWithoutASegmentAreReported) {
  Launch launch = StaticGrid(1, 1, 1, 100);
  launch.region.records.count = 64;
  launch.region.lost = 5;
  Size({launch});
  ASSERT_EQ(Read<DeviceReportHeader>(reports_).written, 1u);
  EXPECT_EQ(ReportsIn(reports_)[0].records, 5u + 36);
}

// Regions that grow: records in segments, and record state out of the pool.
TEST_F(SizingKernelTest, RegionsThatHaveGrown) {
  pool_units_ = 20000;
  for (const uint32_t records : {0u, 1u, 1023u, 1024u, 1025u, 3000u}) {
    SCOPED_TRACE(records);
    ExpectLikeReference(DynamicGrid({4, 4, 1}, 12, records, 5), "dynamic");
    Launch full = DynamicGrid({0, 2, 3}, 8, records, 3);
    full.plan.state_words = shared::kFullRecordState;
    ExpectLikeReference(full, "dynamic, written");
    Launch finishing = StaticGrid(3, 1, 1, records);
    finishing.plan.state_words = shared::kShortRecordState;
    finishing.records.resize(size_t{records} * 12);
    ExpectLikeReference(finishing, "static, finishing");
  }
  parts_ = 7;
  ExpectPartsLikeReference(DynamicGrid({4, 4, 1}, 12, 5000, 5), "in parts");
}

TEST_F(SizingKernelTest, RecordStateWithoutMemoryLosesItsRecords) {
  pool_units_ = 20000;
  pool_used_ = 10000 - 100;  // the state of 1000 records takes 250
  parts_ = 4;
  Launch launch = DynamicGrid({4, 4, 1}, 12, 1000, 5);
  launch.is_parted = true;
  const Sized sized = Size({launch})[0];
  EXPECT_EQ(sized.input.records.count, 0u);
  EXPECT_EQ(sized.input.workgroup_count, 0u);
  ASSERT_EQ(Read<DeviceReportHeader>(reports_).written, 1u);
  EXPECT_EQ(ReportsIn(reports_)[0].records, 1000u);
}

// A pool with record state for some of three regions: these keep all records, and those of the others are counted.
TEST_F(SizingKernelTest, ThePoolMayFailAtAnyRecordState) {
  pool_units_ = 20000;
  for (uint32_t kept = 0; kept <= 3; ++kept) {
    pool_used_ = 10000 - 250 * kept;
    const Launch launch = DynamicGrid({4, 4, 1}, 12, 1000, 5);
    uint32_t whole = 0;
    uint64_t records = 0;
    for (const Sized& sized : Size({launch, launch, launch})) {
      whole += sized.input.records.count == 1000 ? 1 : 0;
      records += sized.input.records.count;
    }
    EXPECT_EQ(whole, kept);
    EXPECT_EQ(records, 1000 * kept);
    uint64_t lost = 0;
    for (const DeviceReport& report : ReportsIn(reports_)) lost += report.records;
    EXPECT_EQ(lost, 1000 * (3 - kept));
  }
}

// Records beyond the last slice are no loss of the region.
TEST_F(SizingKernelTest, LossesOfRegionsThatStayAreLeftToTheEndKernel) {
  reports_losses_ = false;
  Launch launch = StaticGrid(1, 1, 1, 100);
  launch.region.lost = 53;
  Size({launch});
  EXPECT_EQ(Read<DeviceReportHeader>(reports_).written, 0u);
  limits_ = {1, 1, 1, 1000};
  launch = StaticGrid(1, 1, 1, 65545);
  launch.region.lost = 53;
  Size({launch});
  ASSERT_EQ(Read<DeviceReportHeader>(reports_).written, 1u);
  EXPECT_EQ(ReportsIn(reports_)[0].records, 10u);
}

TEST_F(SizingKernelTest, LossesOfTheHeapAreReportedOnlyWhereThereIsOne) {
  heap_lost_ = 12;
  Size({StaticGrid(1, 1, 1, 1), StaticGrid(1, 1, 1, 1)});
  ASSERT_EQ(Read<DeviceReportHeader>(reports_).written, 1u);
  EXPECT_EQ(ReportsIn(reports_)[0].slot, 5u);
  EXPECT_EQ(ReportsIn(reports_)[0].records, 12u);
  has_heap_ = false;
  Size({StaticGrid(1, 1, 1, 1)});
  EXPECT_EQ(Read<DeviceReportHeader>(reports_).written, 0u);
}

// Three launches on one region, two of them sharers with other kinds, and one launch on another region.
TEST_F(SizingKernelTest, SharersReadTheRegionOfAnotherSlotInTheirOwnWay) {
  const GridMember member = {4, 4, 1};
  Launch own = DynamicGrid(member, 12, 3000, 3);
  own.region.lost = 40;
  const auto sharer = [&](Launch launch, uint32_t identity) {
    launch.plan.slot = 1;
    launch.plan.identity = identity;
    return launch;
  };
  std::vector<Launch> launches = {own, sharer(Coalescing(7, 0), 70), sharer(own, 71), StaticGrid(2, 1, 1, 9)};
  launches[2].plan.grid_member = GridMember{4, 2, 1}.Packed();
  launches[2].plan.grid_x = 2;
  limits_.max_workgroups_x = 20;
  limits_.max_workgroups_y = 1;
  const std::vector<Sized> sized = Size(launches);
  std::map<uint32_t, uint32_t> expected_losses;
  for (size_t i = 0; i < 3; ++i) {
    const ReferenceSize size = ReferenceLaunch(launches[i].plan, own.records, 3000, 12, limits_);
    EXPECT_EQ(sized[i].input.records.count, size.records) << i;
    EXPECT_EQ(sized[i].input.workgroup_count, size.workgroups) << i;
    EXPECT_EQ(sized[i].input.records.base, sized[0].input.records.base) << i;
    EXPECT_EQ(sized[i].input.records.stride, 12u) << i;
    EXPECT_EQ(sized[i].record_state, size.record_state) << i;
    EXPECT_EQ(sized[i].slices, WordsOf(size.table)) << i;
    expected_losses[i == 0 ? 1 : 69 + static_cast<uint32_t>(i)] =
        3000 - static_cast<uint32_t>(size.records) + (i == 0 ? 40 : 0);
  }
  std::map<uint32_t, uint32_t> losses;
  for (const DeviceReport& report : ReportsIn(reports_)) losses[report.slot] += report.records;
  EXPECT_EQ(losses, expected_losses) << "what the region lost is reported once";
}

TEST_F(SizingKernelTest, OpensTheRegionsOfTheNextLevel) {
  std::vector<RegionPlan> openings;
  for (uint32_t i = 0; i < 1000; ++i) {
    openings.push_back(DenseRegion(i * 64ull, i, 8 + i, 100 + i, 7));
    openings.back().region = 4000 - 3 * i;
  }
  Size({StaticGrid(1, 1, 1, 1), Coalescing(4, 9)}, openings);
  for (uint32_t i = 0; i < 1000; ++i) {
    const Region region = Read<Region>(opened_, 4000 - 3 * i);
    EXPECT_EQ(region.records.base, control_.ring + i * 64ull) << i;
    EXPECT_EQ(region.records.stride, 8 + i);
    EXPECT_EQ(region.records.count, 100 + i);
    EXPECT_EQ(region.capacity, 100 + i);
  }
  EXPECT_EQ(Read<Region>(opened_, 3999).records.stride, 0u);
}

// The same, with the setting `validate`.
class CheckedSizingKernelTest : public SizingKernelTest {
 protected:
  static void SetUpTestSuite() { MakeDevice(Validating()); }

  static Launch Grids(const std::vector<std::array<uint32_t, 3>>& grids, uint32_t bound) {
    Launch launch = DynamicGrid({0, 4, 3}, 12, static_cast<uint32_t>(grids.size()), 0, bound);
    std::memcpy(launch.records.data(), grids.data(), launch.records.size());
    return launch;
  }
};

TEST_F(CheckedSizingKernelTest, GridsThatKeepAllRules) {
  ExpectLikeReference(Grids({{7, 7, 7}, {0, 7, 7}, {1, 1, 1}}, 7), "at the bound");
  ExpectLikeReference(Grids({{65535, 256, 1}, {1, 65535, 1}}, 65535), "at the limits");
  ExpectLikeReference(StaticGrid(65535, 256, 2, 1), "static grids are checked when the graph is made");
  ExpectLikeReference(Coalescing(4, 9), "no grids");
}

TEST_F(CheckedSizingKernelTest, GridsBeyondTheirBoundsAreReported) {
  std::vector<std::array<uint32_t, 3>> grids(1000, {1, 1, 1});
  grids[3] = {8, 7, 7};
  grids[500] = {1, 70000, 1};
  grids[999] = {1, 1, 9};
  Size({Grids(grids, 7)});
  const std::vector<DeviceReport> reports = ReportsIn(reports_);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].kind, shared::kReportGridComponent);
  EXPECT_EQ(reports[0].origin, 99u);
  EXPECT_EQ(reports[0].slot, 1u);
  EXPECT_EQ(reports[0].level, 6u);
  EXPECT_EQ(reports[0].records, 3u);
  EXPECT_EQ(reports[0].value, 70000u);
}

TEST_F(CheckedSizingKernelTest, GridsWithTooManyWorkgroupsAreReported) {
  limits_.max_grid_workgroups = 1000;
  Size({Grids({{10, 10, 10}, {10, 10, 11}, {1001, 1, 1}, {1, 1, 1000}, {100, 100, 1}}, 65535)});
  const std::vector<DeviceReport> reports = ReportsIn(reports_);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].kind, shared::kReportGridWorkgroups);
  EXPECT_EQ(reports[0].records, 3u);
  EXPECT_EQ(reports[0].value, 10000u);
}

}  // namespace
}  // namespace trellis::test
