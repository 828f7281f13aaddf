#include <algorithm>

#include "meta_shaders/shared/graph_data.h"
#include "tests/replay/kernel_test_base.h"

namespace trellis::test {
namespace {

using shared::BeginPlan;
using shared::ControlBlock;
using shared::kNoSlot;
using shared::LossPlan;
using shared::LossReport;
using shared::LossReportHeader;
using shared::OpenPlan;
using shared::Region;
using shared::RegionPlan;
using shared::ReleasePlan;
using shared::RingEntry;

constexpr uint64_t kDump = 0x1234500;

class BeginEndKernelTest : public KernelTest {
 protected:
  // Runs begin_graph; returns the control block.
  ControlBlock Begin(const PlanSpan& table, uint64_t ring_bytes, const std::vector<RegionPlan>& openings = {},
                     bool claims_ring = true) {
    control_ = Memory(sizeof(ControlBlock));
    regions_ = Memory(3000 * sizeof(Region));
    BeginPlan plan = {};
    plan.control = control_.address;
    plan.ring_table = table.address;
    plan.ring_bytes = ring_bytes;
    plan.dump = kDump;
    plan.regions = regions_.address;
    plan.openings = Memory(openings).address;
    plan.opening_count = static_cast<uint32_t>(openings.size());
    plan.heap_slot = 77;
    plan.claims_ring = claims_ring ? 1 : 0;
    Run(Kernel::kBeginGraph, plan);
    return Read<ControlBlock>(control_);
  }
  void Release(const PlanSpan& table, const PlanSpan& control) {
    Run(Kernel::kReleaseRing, ReleasePlan{control.address, table.address});
  }
  void ReportLosses(const PlanSpan& regions, const std::vector<RegionPlan>& openings) {
    reports_ = ReportMemory();
    const auto count = static_cast<uint32_t>(openings.size());
    const LossPlan plan = {regions.address, Memory(openings).address, reports_.address, count, 42};
    Run(Kernel::kReportLosses, plan, (count + shared::kLevelsWorkgroup - 1) / shared::kLevelsWorkgroup);
  }
  static void ExpectOpened(const Region& region, const RegionPlan& plan, uint64_t ring) {
    EXPECT_EQ(region.records.base, ring + plan.offset);
    EXPECT_EQ(region.records.stride, plan.stride);
    EXPECT_EQ(region.records.count, plan.capacity);
    EXPECT_EQ(region.capacity, plan.capacity);
    EXPECT_EQ(region.coalesce, plan.coalesce);
    EXPECT_EQ(region.most_workgroups, plan.most_workgroups);
    EXPECT_EQ(region.reciprocal, plan.coalesce == 0 ? 0 : UINT32_MAX / plan.coalesce);
    EXPECT_EQ(region.lost, 0u);
    EXPECT_EQ(region.reserved, 0u);
    EXPECT_EQ(region.grid_x, plan.grid_x);
    EXPECT_EQ(region.grid_yz, plan.grid_yz);
    EXPECT_EQ(region.workgroups, 0u);
    EXPECT_EQ(region.one_y, 1u);
    EXPECT_EQ(region.one_z, 1u);
    if (plan.batch_count == 0) {
      EXPECT_EQ(region.batch_count, 0u);
      EXPECT_EQ(region.batch_total, 0u);
    }
  }

  static RingEntry Entry(const PlanSpan& table, size_t index) {
    RingEntry entry;
    std::memcpy(&entry, table.host + sizeof(shared::RingTableHeader) + index * sizeof(entry), sizeof(entry));
    return entry;
  }

  PlanSpan control_;
  PlanSpan regions_;
  PlanSpan reports_;
};

RingEntry Ring(uint64_t base, uint64_t bytes, uint32_t owner = 0) { return {base, bytes, owner, 0, 0, 0}; }

TEST_F(BeginEndKernelTest, ClaimsTheFirstFreeRingThatIsLargeEnough) {
  // Sizes beyond 4 GiB, so that comparing the low words alone would choose wrongly.
  const PlanSpan table = RingTable({Ring(0x10000, 0x0fffffff0), Ring(0x20000, 0x500000010, 1),
                                    Ring(0x4500030000, 0x500000010), Ring(0x40000, 0x600000000)});
  const ControlBlock control = Begin(table, 0x500000000);
  EXPECT_EQ(control.ring, 0x4500030000u);
  EXPECT_EQ(control.ring_entry, 2u);
  EXPECT_EQ(control.dump, kDump);
  EXPECT_EQ(control.heap_slot, 77u);
  EXPECT_EQ(Entry(table, 0).owner, 0u);
  EXPECT_EQ(Entry(table, 2).owner, 1u);
  EXPECT_EQ(Entry(table, 3).owner, 0u);
}

// Where graphs follow each other on one queue, whatever stands in the table.
TEST_F(BeginEndKernelTest, WithoutAClaimTheFirstRingThatIsLargeEnough) {
  const PlanSpan table = RingTable({Ring(0x10000, 1024), Ring(0x20000, 4096, 1), Ring(0x30000, 4096)});
  for (uint32_t graph = 0; graph < 3; ++graph) {
    const ControlBlock control = Begin(table, 4096, {}, /*claims_ring=*/false);
    EXPECT_EQ(control.ring, 0x20000u);
    EXPECT_EQ(control.ring_entry, 1u);
  }
  EXPECT_EQ(Begin(table, 4097, {}, /*claims_ring=*/false).ring, 0u);
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(Entry(table, i).owner, i == 1 ? 1u : 0u);
}

TEST_F(BeginEndKernelTest, ReleaseGivesBackWhatBeginClaimed) {
  const PlanSpan table = RingTable({Ring(0x10000, 4096), Ring(0x20000, 4096)});
  EXPECT_EQ(Begin(table, 4096).ring, 0x10000u);
  const PlanSpan first = control_;
  EXPECT_EQ(Begin(table, 4096).ring, 0x20000u);
  const PlanSpan second = control_;
  EXPECT_EQ(Begin(table, 4096).ring, 0u);
  Release(table, control_);  // claimed nothing, so it must give nothing back
  EXPECT_EQ(Entry(table, 0).owner, 1u);
  EXPECT_EQ(Entry(table, 1).owner, 1u);
  Release(table, first);
  EXPECT_EQ(Entry(table, 0).owner, 0u);
  EXPECT_EQ(Entry(table, 1).owner, 1u);
  Release(table, second);
  EXPECT_EQ(Entry(table, 1).owner, 0u);
  EXPECT_EQ(Begin(table, 1).ring, 0x10000u);
}

// Though there is a ring for every queue, whoever looks for one may find it gone again and again.
TEST_F(BeginEndKernelTest, ARingThatIsTakenIsNotClaimedTwice) {
  const PlanSpan table = RingTable({Ring(0x10000, 1024), Ring(0x20000, 4096, 1), Ring(0x30000, 4096, 1)});
  EXPECT_EQ(Begin(table, 4096).ring_entry, kNoSlot);
  EXPECT_EQ(Begin(table, 8192).ring_entry, kNoSlot) << "none of them is large enough";
  EXPECT_EQ(Entry(table, 0).owner, 0u);
}

TEST_F(BeginEndKernelTest, AGraphThatNeedsNoRingClaimsNone) {
  const PlanSpan table = RingTable({Ring(0x10000, 4096)});
  const ControlBlock control = Begin(table, 0);
  EXPECT_EQ(control.ring, 0u);
  EXPECT_EQ(control.ring_entry, kNoSlot);
  EXPECT_EQ(Entry(table, 0).owner, 0u);
}

TEST_F(BeginEndKernelTest, OpensRegionsInTheRing) {
  const PlanSpan table = RingTable({Ring(0xfffffff0, 1 << 20)});
  std::vector<RegionPlan> openings;
  for (uint32_t i = 0; i < 200; ++i)
    openings.push_back({i * 0x100000010ull, i % 7, i, 1000 + i, i / 7, 299 - i, i % 3, 2 * i, 3 * i, 7 * i, 0, 0, 0});
  Begin(table, 4096, openings);
  for (uint32_t i = 0; i < 200; ++i) ExpectOpened(Read<Region>(regions_, 299 - i), openings[i], 0xfffffff0);
  EXPECT_EQ(Read<Region>(regions_, 0).capacity, 0u);
}

TEST_F(BeginEndKernelTest, ASecondKernelOpensManyRegions) {
  std::vector<RegionPlan> openings;
  for (uint32_t i = 0; i < 1000; ++i)
    openings.push_back({i * 64ull, i, 4, 100 + i, 1, 2999 - 3 * i, i % 2, i, 1, i, 0, 0, 0});
  Begin(RingTable({Ring(0x10000, 1 << 20)}), 4096);
  const OpenPlan plan = {control_.address, regions_.address, Memory(openings).address, 1000, 0};
  Run(Kernel::kOpenRegions, plan, 8);
  for (uint32_t i = 0; i < 1000; ++i) {
    ExpectOpened(Read<Region>(regions_, 2999 - 3 * i), openings[i], 0x10000);
    EXPECT_EQ(Read<Region>(regions_, 2998 - 3 * i).one_y, 0u);
  }
}

// What lies behind the regions is where their workgroups are counted.
TEST_F(BeginEndKernelTest, OpensMembersOfCountedBatches) {
  constexpr uint32_t kCounts = 2000;  // regions before them
  std::vector<RegionPlan> openings;
  for (uint32_t i = 0; i < 150; ++i) {
    const uint32_t place = kCounts * uint32_t{sizeof(Region)} + 4 * i;
    openings.push_back(
        {i * 64ull, i, 4, 100 + i, 1, 20 + i, 3, 1, 1, 50, i < 60 ? 20u : 80u, i % 3 == 2 ? 0 : place, 0});
  }
  Begin(RingTable({Ring(0x10000, 1 << 20)}), 4096);
  std::vector<uint32_t> counts(160, 77);
  std::memcpy(regions_.host + kCounts * sizeof(Region), counts.data(), counts.size() * sizeof(counts[0]));
  const OpenPlan plan = {control_.address, regions_.address, Memory(openings).address, 150, 0};
  Run(Kernel::kOpenRegions, plan, 2);
  std::memcpy(counts.data(), regions_.host + kCounts * sizeof(Region), counts.size() * sizeof(counts[0]));
  for (uint32_t i = 0; i < 160; ++i) {
    EXPECT_EQ(counts[i], i < 150 && i % 3 != 2 ? 0u : 77u) << i;
    if (i >= 150) continue;
    const auto region = Read<Region>(regions_, 20 + i);
    ExpectOpened(region, openings[i], 0x10000);
    if (i % 3 == 2) continue;
    EXPECT_EQ(region.batch_count, regions_.address + openings[i].batch_count);
    EXPECT_EQ(region.batch_total,
              regions_.address + openings[i].batch_region * sizeof(Region) + offsetof(Region, workgroups));
  }
}

TEST_F(BeginEndKernelTest, WhatEveryRegionLostIsReported) {
  std::vector<Region> regions(400);
  std::vector<RegionPlan> openings;
  for (uint32_t i = 0; i < 300; ++i) {
    openings.push_back({0, i % 100, 4, 10, 1 + i / 100, 399 - i, 0, 0, 0, 0, 0, 0, 0});
    if (i % 50 == 7) regions[399 - i].lost = 1000 + i;
  }
  regions[0].lost = 5;  // not opened
  ReportLosses(Memory(regions), openings);
  ASSERT_EQ(Read<LossReportHeader>(reports_).written, 6u);
  for (uint32_t i = 1; i <= 6; ++i) {
    const LossReport report = ReportsIn(reports_)[i - 1];
    EXPECT_EQ(report.origin, 42u);
    EXPECT_EQ(report.kind, shared::kReportLost);
    EXPECT_EQ(report.slot % 50, 7u);
    EXPECT_EQ(report.records, 1000 + report.slot + 100 * (report.level - 1));
  }
}

TEST_F(BeginEndKernelTest, WithoutARingEveryRegionIsClosedAndWritesGoToTheDump) {
  const PlanSpan table = RingTable({});
  const ControlBlock control = Begin(table, 4096, {{64, 5, 16, 1000, 1, 5, 0, 0, 0, 0, 0, 0, 0}});
  EXPECT_EQ(control.ring_entry, kNoSlot);
  const Region region = Read<Region>(regions_, 5);
  EXPECT_EQ(region.records.base, kDump);
  EXPECT_EQ(region.records.count, 0u);
  EXPECT_EQ(region.capacity, 0u);
}

}  // namespace
}  // namespace trellis::test
