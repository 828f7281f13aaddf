// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <span>
#include <vector>

#include "meta_shaders/kernels.h"
#include "meta_shaders/shared/graph_data.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/report_data.h"
#include "tests/meta_shaders/kernel_test_base.h"

namespace trellis::test {
namespace {

using shared::BeginPlan;
using shared::ControlBlock;
using shared::DeviceReport;
using shared::DeviceReportHeader;
using shared::kNoSlot;
using shared::LossPlan;
using shared::OpenPlan;
using shared::Region;
using shared::RegionPlan;
using shared::ReleasePlan;
using shared::RingEntry;

constexpr uint64_t kDump = 0x1234500;

// Opcodes of a kernel in the order of its words.
std::vector<uint32_t> Opcodes(Kernel kernel) {
  std::vector<uint32_t> opcodes;
  const std::span<const uint32_t> words = KernelWords(kernel);
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) opcodes.push_back(words[at] & 0xffff);
  return opcodes;
}

// A ring goes from one queue to another by an atomic alone: what a graph did to it is made visible before it is given
// back, and what the next one does comes after it was claimed.
TEST(RingHandover, BarriersStandBeforeTheReleaseAndBehindTheClaim) {
  constexpr uint32_t kMemoryBarrier = 225, kAtomicExchange = 229, kAtomicCompareExchange = 230;
  const auto position = [](const std::vector<uint32_t>& opcodes, uint32_t opcode) {
    return std::find(opcodes.begin(), opcodes.end(), opcode) - opcodes.begin();
  };
  const std::vector<uint32_t> release = Opcodes(Kernel::kReleaseRing);
  ASSERT_LT(position(release, kAtomicExchange), std::ssize(release));
  EXPECT_LT(position(release, kMemoryBarrier), position(release, kAtomicExchange));
  const std::vector<uint32_t> begin = Opcodes(Kernel::kBeginGraph);
  ASSERT_LT(position(begin, kMemoryBarrier), std::ssize(begin));
  EXPECT_LT(position(begin, kAtomicCompareExchange), position(begin, kMemoryBarrier));
}

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
    if (reports_.host == nullptr) reports_ = ReportMemory();
    const auto count = static_cast<uint32_t>(openings.size());
    LossPlan plan = {};
    plan.regions = regions.address;
    plan.openings = Memory(openings).address;
    plan.reports = reports_.address;
    plan.opening_count = count;
    plan.origin = 42;
    Run(Kernel::kReportLosses, plan, (count + shared::kLevelsWorkgroup - 1) / shared::kLevelsWorkgroup);
  }
  static RegionPlan Dense(RegionPlan plan) {
    plan.dense = plan.capacity;
    return plan;
  }
  static void ExpectOpened(const Region& region, const RegionPlan& plan, uint64_t ring) {
    EXPECT_EQ(region.records.base, ring + plan.offset);
    EXPECT_EQ(region.records.stride, plan.stride);
    EXPECT_EQ(region.records.count, plan.capacity);
    EXPECT_EQ(region.capacity, plan.capacity);
    EXPECT_EQ(region.records.dense, plan.dense);
    EXPECT_EQ(region.state_words, plan.state_words);
    EXPECT_EQ(region.state_units, plan.state_units);
    EXPECT_EQ(region.refused, UINT32_MAX);
    EXPECT_EQ(region.coalesce, plan.coalesce);
    EXPECT_EQ(region.max_workgroups, plan.max_workgroups);
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

RingEntry Ring(uint64_t base, uint64_t bytes, uint32_t owner = 0) { return {base, bytes, owner, {}}; }

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
    openings.push_back(
        Dense({i * 0x100000010ull, i % 7, i, 1000 + i, i / 7, 299 - i, i % 3, 2 * i, 3 * i, 7 * i, 0, 0, 0, 0, 0}));
  Begin(table, 4096, openings);
  for (uint32_t i = 0; i < 200; ++i) ExpectOpened(Read<Region>(regions_, 299 - i), openings[i], 0xfffffff0);
  EXPECT_EQ(Read<Region>(regions_, 0).capacity, 0u);
}

TEST_F(BeginEndKernelTest, ASecondKernelOpensManyRegions) {
  std::vector<RegionPlan> openings;
  for (uint32_t i = 0; i < 1000; ++i)
    openings.push_back(Dense({i * 64ull, i, 4, 100 + i, 1, 2999 - 3 * i, i % 2, i, 1, i, 0, 0, 0, 0, 0}));
  Begin(RingTable({Ring(0x10000, 1 << 20)}), 4096);
  const OpenPlan plan = {control_.address, regions_.address, Memory(openings).address, 0, 0, 1000, 0};
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
        Dense({i * 64ull, i, 4, 100 + i, 1, 20 + i, 3, 1, 1, 50, i < 60 ? 20u : 80u, i % 3 == 2 ? 0 : place, 0, 0, 0}));
  }
  Begin(RingTable({Ring(0x10000, 1 << 20)}), 4096);
  std::vector<uint32_t> counts(160, 77);
  std::memcpy(regions_.host + kCounts * sizeof(Region), counts.data(), counts.size() * sizeof(counts[0]));
  const OpenPlan plan = {control_.address, regions_.address, Memory(openings).address, 0, 0, 150, 0};
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

TEST_F(BeginEndKernelTest, ReportsThatTheHostHasNotReadStay) {
  constexpr uint32_t kFree = 2;
  constexpr uint32_t kLosses = 6;
  constexpr uint32_t kWritten = ~0u;  // before: the next report is number 2^32 - 1
  const size_t bytes = shared::kDeviceReportCapacity * sizeof(DeviceReport);
  reports_ = ReportMemory();
  std::memset(reports_.host + sizeof(DeviceReportHeader), 77, bytes);
  const DeviceReportHeader full = {kWritten, kWritten - shared::kDeviceReportCapacity + kFree, 5, 0};
  std::memcpy(reports_.host, &full, sizeof(full));
  std::vector<Region> regions(kLosses + 1);
  std::vector<RegionPlan> openings;
  for (uint32_t i = 1; i <= kLosses; ++i) {
    openings.push_back(Dense({0, i, 4, 10, 1, i, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    regions[i].lost = 1000 + i;
  }
  ReportLosses(Memory(regions), openings);
  EXPECT_EQ(Read<DeviceReportHeader>(reports_).written, kWritten + kFree);
  EXPECT_EQ(Read<DeviceReportHeader>(reports_).read, full.read);
  EXPECT_EQ(Read<DeviceReportHeader>(reports_).dropped, full.dropped + kLosses - kFree);
  const auto* const at = reinterpret_cast<const DeviceReport*>(reports_.host + sizeof(DeviceReportHeader));
  std::set<uint32_t> slots;
  for (uint32_t i = 0; i < kFree; ++i) {
    const DeviceReport& report = at[(kWritten + i) % shared::kDeviceReportCapacity];
    EXPECT_EQ(report.records, 1000 + report.slot);
    slots.insert(report.slot);
  }
  EXPECT_EQ(slots.size(), kFree);
  for (uint32_t i = kFree; i < shared::kDeviceReportCapacity; ++i)
    EXPECT_EQ(at[(kWritten + i) % shared::kDeviceReportCapacity].records, 0x4d4d4d4du) << i;
}

// An invocation that stops between its two loads finds that the host has read on.
TEST_F(BeginEndKernelTest, AnOldNumberOfReportsIsNoFullRing) {
  constexpr uint32_t kWritten = 1000;
  reports_ = ReportMemory();
  const DeviceReportHeader header = {kWritten, kWritten + 50, 5, 0};
  std::memcpy(reports_.host, &header, sizeof(header));
  std::vector<Region> regions(2);
  regions[1].lost = 7;
  ReportLosses(Memory(regions), {Dense({0, 1, 4, 10, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0})});
  EXPECT_EQ(Read<DeviceReportHeader>(reports_).dropped, header.dropped);
  EXPECT_EQ(Read<DeviceReportHeader>(reports_).written, kWritten + 1);
  EXPECT_EQ(ReportsIn(reports_)[kWritten].records, 7u);
}

TEST_F(BeginEndKernelTest, WhatEveryRegionLostIsReported) {
  std::vector<Region> regions(400);
  std::vector<RegionPlan> openings;
  for (uint32_t i = 0; i < 300; ++i) {
    openings.push_back(Dense({0, i % 100, 4, 10, 1 + i / 100, 399 - i, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    if (i % 50 == 7) regions[399 - i].lost = 1000 + i;
  }
  regions[0].lost = 5;  // not opened
  ReportLosses(Memory(regions), openings);
  ASSERT_EQ(Read<DeviceReportHeader>(reports_).written, 6u);
  for (uint32_t i = 1; i <= 6; ++i) {
    const DeviceReport report = ReportsIn(reports_)[i - 1];
    EXPECT_EQ(report.origin, 42u);
    EXPECT_EQ(report.kind, shared::kReportLost);
    EXPECT_EQ(report.slot % 50, 7u);
    EXPECT_EQ(report.records, 1000 + report.slot + 100 * (report.level - 1));
  }
}

// Records that lie at any byte, of two executions, until there are enough.
TEST_F(BeginEndKernelTest, TheFirstRecordsAreCopied) {
  constexpr uint32_t kStride = 7, kWords = 2, kCapacity = 5, kSent = 3;
  std::vector<uint8_t> bytes(1 + kSent * kStride);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(100 + i);
  const PlanSpan records = Memory(bytes);
  Region region = {};
  region.records.base = records.address + 1;
  region.records.stride = kStride;
  region.records.count = region.records.dense = region.capacity = 8;
  region.reserved = kSent;
  const PlanSpan data = Memory(std::vector<uint32_t>(kCapacity * kWords + 1, 77));
  const PlanSpan dumps = Memory(std::vector<shared::PayloadDump>{{data.address, 1, kCapacity, kWords, 0}});
  const PlanSpan header = Memory(sizeof(shared::RegionCountsHeader));
  std::vector<shared::RegionCount> slots(2);
  slots[0].slot = 1;
  slots[0].coalesce = 2;
  slots[0].workgroups = ~0u;
  const PlanSpan counts = Memory(slots);
  shared::CountPlan plan = {};
  plan.consumed = Memory(std::vector<Region>{{}, region}).address;
  plan.header = header.address;
  plan.counts = counts.address;
  plan.dumps = dumps.address;
  plan.region_count = 1;
  plan.dump_count = 1;
  plan.counts_execution = 1;
  for (const uint32_t written : {3u, 5u, 5u}) {
    Run(Kernel::kCountRecords, plan);
    EXPECT_EQ(Read<shared::PayloadDump>(dumps).written, written);
  }
  EXPECT_EQ(Read<shared::RegionCountsHeader>(header).executions, 3u);
  EXPECT_EQ(Read<shared::RegionCount>(counts).records, 3 * kSent);
  EXPECT_EQ(Read<shared::RegionCount>(counts).max_records, kSent);
  EXPECT_EQ(Read<shared::RegionCount>(counts).workgroups, (uint64_t{1} << 32) + 5) << "three times two";
  EXPECT_EQ(Read<shared::RegionCount>(counts, 1).records, 0u);
  for (uint32_t rank = 0; rank < kCapacity; ++rank) {
    const uint8_t* const from = bytes.data() + 1 + rank % kSent * kStride;
    EXPECT_EQ(std::memcmp(data.host + rank * kWords * sizeof(uint32_t), from, kStride), 0) << rank;
  }
  EXPECT_EQ(Read<uint32_t>(data, kCapacity * kWords), 77u);
}

// Two sets of 200 regions and what is behind them. The execution that is running has the second one.
class PreparedRegionsKernelTest : public BeginEndKernelTest {
 protected:
  static constexpr uint32_t kRegions = 200;
  static constexpr uint32_t kSetBytes = (kRegions + 1) * sizeof(Region);

  PreparedRegionsKernelTest() {
    for (uint32_t i = 0; i < kRegions; ++i)
      openings_.push_back(Dense({i * 64ull, i, 4, 100, 1, i, i % 5, i, 1, i, 0, 0, 0, 0, 0}));
    // The counts of the last two are behind the regions of their set.
    for (uint32_t i = kRegions - 2; i < kRegions; ++i) {
      openings_[i].batch_region = kRegions - 2;
      openings_[i].batch_count = kRegions * uint32_t{sizeof(Region)} + 4 * (i - (kRegions - 2));
    }
    for (uint32_t i = 0; i < 300; ++i)
      openings_.push_back(Dense({i * 64ull, i, 4, 10, 2, 2 * i, 0, 1, 1, 0, 0, 0, 0, 0, 0}));
  }
  void SetUp() override {
    KernelTest::SetUp();
    if (IsSkipped()) return;
    std::vector<Region> sets(2 * (kRegions + 1));
    for (Region& region : sets) region.lost = region.reserved = region.workgroups = 7;
    sets_ = Memory(sizeof(shared::AlternatingRegions) + 2 * kSetBytes);
    shared::AlternatingRegions header = {};
    header.current = kSetBytes;
    sets_.Store(0, header);
    sets_.Store(sizeof(header), std::span<const Region>(sets));
  }
  [[nodiscard]] uint64_t prepared() const { return sets_.address | shared::kAlternating; }
  [[nodiscard]] Region RegionIn(uint32_t set, uint32_t index) const {
    Region region;
    std::memcpy(&region, sets_.host + sizeof(shared::AlternatingRegions) + set * kSetBytes + index * sizeof(region),
                sizeof(region));
    return region;
  }
  [[nodiscard]] shared::AlternatingRegions Header() const { return Read<shared::AlternatingRegions>(sets_); }
  void Lose(uint32_t set, uint32_t index, uint32_t records) {
    Region region = RegionIn(set, index);
    region.lost = records;
    sets_.Store(sizeof(shared::AlternatingRegions) + set * kSetBytes + index * sizeof(region), region);
  }

  std::vector<RegionPlan> openings_;
  PlanSpan sets_;
};

TEST_F(PreparedRegionsKernelTest, TheSetOfTheNextExecutionIsOpened) {
  Begin(RingTable({Ring(0x10000, 1 << 20)}), 4096);
  const auto count = static_cast<uint32_t>(openings_.size());
  const OpenPlan plan = {control_.address, regions_.address, Memory(openings_).address, prepared(), 0, count, kRegions};
  Run(Kernel::kOpenRegions, plan, (count + shared::kLevelsWorkgroup - 1) / shared::kLevelsWorkgroup);
  for (uint32_t i = 0; i < kRegions; ++i) {
    ExpectOpened(RegionIn(0, i), openings_[i], 0x10000);
    EXPECT_EQ(RegionIn(1, i).reserved, 7u) << "in use";
    if (i < kRegions - 2) continue;
    const uint64_t set = sets_.address + sizeof(shared::AlternatingRegions);
    EXPECT_EQ(RegionIn(0, i).batch_count, set + openings_[i].batch_count);
    EXPECT_EQ(RegionIn(0, i).batch_total, set + (kRegions - 2) * sizeof(Region) + offsetof(Region, workgroups));
  }
  for (uint32_t i = 0; i < 300; ++i) {
    ExpectOpened(Read<Region>(regions_, 2 * i), openings_[kRegions + i], 0x10000);
    EXPECT_EQ(Read<Region>(regions_, 2 * i + 1).one_y, 0u);
  }
  // The words behind the regions: two counts, and what nobody opens.
  EXPECT_EQ(RegionIn(0, kRegions).records.base, 0u);
  EXPECT_EQ(RegionIn(0, kRegions).lost, 7u);
  EXPECT_EQ(Header().current, kSetBytes);
  EXPECT_EQ(Header().other, 0u);
}

TEST_F(PreparedRegionsKernelTest, LossesOfTheSetInUseAreReportedBeforeItTurns) {
  for (uint32_t set = 0; set < 2; ++set)
    for (uint32_t i = 0; i < kRegions; ++i) Lose(set, i, 0);
  Lose(1, 3, 30);
  Lose(1, 199, 31);
  Lose(0, 4, 32);
  std::vector<Region> regions(600);
  regions[2 * 299].lost = 33;
  regions[1].lost = 34;  // not opened
  reports_ = ReportMemory();
  const auto count = static_cast<uint32_t>(openings_.size());
  LossPlan plan = {};
  plan.regions = Memory(regions).address;
  plan.openings = Memory(openings_).address;
  plan.prepared = prepared();
  plan.reports = reports_.address;
  plan.opening_count = count;
  plan.prepared_count = kRegions;
  plan.origin = 42;
  for (uint32_t execution = 1; execution <= 2; ++execution) {
    Run(Kernel::kReportLosses, plan, 1 + (count - kRegions + shared::kLevelsWorkgroup - 1) / shared::kLevelsWorkgroup);
    EXPECT_EQ(Header().current, execution == 1 ? 0u : kSetBytes);
    EXPECT_EQ(Header().other, execution == 1 ? kSetBytes : 0u);
  }
  std::vector<uint32_t> lost;
  for (const DeviceReport& report : ReportsIn(reports_)) lost.push_back(report.records);
  ASSERT_EQ(lost.size(), 3u + 2u);
  std::sort(lost.begin(), lost.begin() + 3);
  std::sort(lost.begin() + 3, lost.end());
  EXPECT_EQ(lost, (std::vector<uint32_t>{30, 31, 33, 32, 33}));
}

// Where nothing can be lost.
TEST_F(PreparedRegionsKernelTest, ItTurnsWithoutReports) {
  LossPlan plan = {};
  plan.prepared = prepared();
  Run(Kernel::kReportLosses, plan);
  EXPECT_EQ(Header().current, 0u);
  EXPECT_EQ(Header().other, kSetBytes);
}

// All regions of the set in use, which has more than a workgroup, and nothing of the other one.
TEST_F(PreparedRegionsKernelTest, TheLastLevelIsCountedBeforeItTurns) {
  std::vector<shared::RegionCount> counts(kRegions + 1);
  for (uint32_t i = 0; i < kRegions; ++i) {
    counts[i].slot = i;
    Region region = RegionIn(1, i);
    region.records.count = 1000;
    region.reserved = 5 + i;
    region.lost = i;
    sets_.Store(sizeof(shared::AlternatingRegions) + kSetBytes + i * sizeof(region), region);
  }
  const PlanSpan counted = Memory(counts);
  const PlanSpan header = Memory(sizeof(shared::RegionCountsHeader));
  shared::CountPlan count = {};
  count.consumed = prepared();
  count.header = header.address;
  count.counts = counted.address;
  count.region_count = kRegions;
  count.counts_execution = 1;
  LossPlan plan = {};
  plan.prepared = prepared();
  plan.counted = Memory(std::vector<shared::CountPlan>{count}).address;
  Run(Kernel::kReportLosses, plan);
  EXPECT_EQ(Header().current, 0u);
  EXPECT_EQ(Read<shared::RegionCountsHeader>(header).executions, 1u);
  for (uint32_t i = 0; i < kRegions; ++i) {
    EXPECT_EQ(Read<shared::RegionCount>(counted, i).records, 5 + i) << i;
    EXPECT_EQ(Read<shared::RegionCount>(counted, i).dropped, i) << i;
  }
  EXPECT_EQ(Read<shared::RegionCount>(counted, kRegions).records, 0u);
}

// The first set is opened for the next execution; the second one tells what this one sends.
class DensePartsKernelTest : public PreparedRegionsKernelTest {
 protected:
  static constexpr uint32_t kStride = 16;  // of one unit
  static constexpr uint32_t kPlanned = 64;
  static constexpr uint32_t kPool = kRegions - 1;
  static constexpr uint32_t kUnits = kPool * kPlanned;

  DensePartsKernelTest() {
    openings_.clear();
    for (uint32_t i = 0; i < kRegions; ++i) {
      RegionPlan opening = {i * kPlanned * kStride, i, kStride, 4096, 1, i, 0, 0, 0, 0, 0, 0, kPlanned, 0, 0};
      if (i == 9) opening.capacity = kPlanned;
      if (i == 11) opening.capacity = 100;
      if (i == kPool) opening.offset += kStride;
      openings_.push_back(opening);
    }
  }
  void Send(uint32_t index, uint32_t records) {
    Region region = RegionIn(1, index);
    region.reserved = records;
    sets_.Store(sizeof(shared::AlternatingRegions) + kSetBytes + index * sizeof(region), region);
  }
  // What report_losses leaves after an execution that sent so many to some, and nothing to the others.
  std::vector<shared::DensePart> PartsAfter(const std::vector<std::pair<uint32_t, uint32_t>>& sent) {
    for (uint32_t i = 0; i < kRegions; ++i) Send(i, 0);
    for (const auto& [index, records] : sent) Send(index, records);
    // One word behind the last part stays.
    const PlanSpan parts = Memory(std::vector<uint32_t>(2 * kRegions + 1, 77));
    LossPlan plan = {};
    plan.openings = Memory(openings_).address;
    plan.prepared = prepared();
    plan.reports = ReportMemory().address;
    plan.dense_parts = parts.address;
    plan.opening_count = kRegions;
    plan.prepared_count = kRegions;
    plan.dense_units = kUnits;
    Run(Kernel::kReportLosses, plan);
    EXPECT_EQ(Header().current, 0u);
    std::vector<shared::DensePart> read(kRegions);
    std::memcpy(read.data(), parts.host, kRegions * sizeof(read[0]));
    uint32_t behind = 0;
    std::memcpy(&behind, parts.host + kRegions * sizeof(read[0]), sizeof(behind));
    EXPECT_EQ(behind, 77u);
    return read;
  }
  void ExpectPoolStays(const shared::DensePart& part) const {
    EXPECT_EQ(part.units, kUnits + 1);
    EXPECT_EQ(part.dense, kPlanned);
  }
};

TEST_F(DensePartsKernelTest, WhatWasSentIsToLieDense) {
  const std::vector<shared::DensePart> parts = PartsAfter({{5, 1000}, {7, 60}, {9, 64}, {11, 95}, {13, 5000}});
  uint32_t place = 0;
  for (uint32_t i = 0; i < kPool; ++i) {
    uint32_t expected = 16;  // a quarter of what was planned
    if (i == 5) expected = 2048;
    if (i == 7) expected = 128;
    if (i == 9) expected = 64;  // does not grow
    if (i == 11) expected = 100;
    if (i == 13) expected = 4096;
    EXPECT_EQ(parts[i].dense, expected) << i;
    EXPECT_EQ(parts[i].units, place) << i;
    place += expected;
  }
  ExpectPoolStays(parts[kPool]);
}

// Where draws keep what other levels have sent, the level's part of the ring does not begin with it.
TEST_F(DensePartsKernelTest, TheyStayInTheirPartOfTheRing) {
  constexpr uint32_t kBefore = 0x12345678;  // in units
  for (RegionPlan& opening : openings_) opening.offset += uint64_t{kBefore} * kStride;
  const std::vector<shared::DensePart> parts = PartsAfter({{5, 1000}});
  uint32_t place = kBefore;
  for (uint32_t i = 0; i < kPool; ++i) {
    const uint32_t expected = i == 5 ? 2048 : i == 9 ? 64 : 16;
    EXPECT_EQ(parts[i].dense, expected) << i;
    EXPECT_EQ(parts[i].units, place) << i;
    place += expected;
  }
  EXPECT_EQ(parts[kPool].units, kBefore + kUnits + 1);
}

TEST_F(DensePartsKernelTest, WithoutRoomForThatAllIsAsPlanned) {
  const std::vector<shared::DensePart> parts = PartsAfter({{5, 4096}, {7, 4096}, {150, 4096}});
  for (uint32_t i = 0; i < kPool; ++i) {
    EXPECT_EQ(parts[i].dense, kPlanned) << i;
    EXPECT_EQ(parts[i].units, i * kPlanned) << i;
  }
  ExpectPoolStays(parts[kPool]);
}

TEST_F(DensePartsKernelTest, RegionsAreOpenedWithTheirParts) {
  Begin(RingTable({Ring(0x10000, 1 << 20)}), 4096);
  openings_.push_back({640, 3, kStride, 100, 2, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0});  // of another level
  std::vector<shared::DensePart> parts;
  for (uint32_t i = 0; i < kRegions; ++i) parts.push_back({3 * i, i == 9 ? kPlanned : 32});
  parts[2] = {0x20000000, 32};
  const OpenPlan plan = {control_.address, regions_.address,      Memory(openings_).address,
                         prepared(),       Memory(parts).address, kRegions + 1,
                         kRegions};
  Run(Kernel::kOpenRegions, plan, 2);
  for (uint32_t i = 0; i < kRegions; ++i) {
    RegionPlan expected = openings_[i];
    expected.offset = i == 2 ? 0x200000000 : 48 * i;
    expected.dense = i == 9 ? kPlanned : 32;
    ExpectOpened(RegionIn(0, i), expected, 0x10000);
  }
  ExpectOpened(Read<Region>(regions_, 0), openings_[kRegions], 0x10000);
}

TEST_F(BeginEndKernelTest, WithoutARingEveryRegionIsClosedAndWritesGoToTheDump) {
  const PlanSpan table = RingTable({});
  const ControlBlock control = Begin(table, 4096, {Dense({64, 5, 16, 1000, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0})});
  EXPECT_EQ(control.ring_entry, kNoSlot);
  const Region region = Read<Region>(regions_, 5);
  EXPECT_EQ(region.records.base, kDump);
  EXPECT_EQ(region.records.count, 0u);
  EXPECT_EQ(region.capacity, 0u);
}

}  // namespace
}  // namespace trellis::test
