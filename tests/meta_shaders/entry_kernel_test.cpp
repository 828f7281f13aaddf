// SPDX-License-Identifier: Apache-2.0
#include "meta_shaders/shared/entry_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "layer/dispatch/vulkan.h"
#include "meta_shaders/shared/report_data.h"
#include "tests/meta_shaders/kernel_test_base.h"

namespace trellis::test {
namespace {

using shared::ControlBlock;
using shared::DeviceReport;
using shared::EntryNode;
using shared::EntryPlan;
using shared::EntryRoot;
using shared::EntryState;
using shared::kNoSlot;
using shared::Region;

// What the application's memory holds for one info.
struct Info {
  uint32_t node = 0;
  uint32_t count = 0;
  uint64_t stride = 0;
  uint32_t misalignment = 0;  // of the payloads, in bytes
};

// Node i of kNodes launches slot i + 1; its payloads have kPayloadBytes[i] bytes, its records kRecordStride[i].
constexpr uint32_t kPayloadBytes[] = {8, 5, 0, 64};
constexpr uint32_t kRecordStride[] = {12, 8, 4, 64};
constexpr uint32_t kCoalesce[] = {0, 7, 3, 64};  // 0: nobody counts workgroups
constexpr uint32_t kMaxWorkgroups = 20;
constexpr uint32_t kNodes = 4;
constexpr uint32_t kForbiddenNode = 4;  // there, but not for the application
constexpr uint32_t kMaxPayloads = 1000;

class EntryKernelTest : public KernelTest {
 protected:
  // Lays the infos out `info_stride` bytes apart, every payload with bytes of its own, and runs all four passes.
  void Enter(const std::vector<Info>& infos, uint64_t info_stride = 24, bool count_on_device = false) {
    plan_ = {};
    std::vector<std::byte> bytes(infos.size() * info_stride + 24);
    for (size_t i = 0; i < infos.size(); ++i) {
      VkDispatchGraphInfoAMDX info = {};
      info.nodeIndex = infos[i].node;
      info.payloadCount = infos[i].count;
      info.payloads.deviceAddress = Payloads(infos[i]);
      info.payloadStride = infos[i].stride;
      std::memcpy(bytes.data() + i * info_stride, &info, sizeof(info));
    }
    bytes.insert(bytes.begin(), info_misalignment_, std::byte{0});
    PlanSpan place = Memory(bytes);
    place.address += info_misalignment_;
    SetInfos(place, static_cast<uint32_t>(infos.size()), info_stride, count_on_device);
    RunPasses();
  }

  // Payload byte k of the application's n-th payload is Byte(n, k).
  static uint8_t Byte(uint32_t payload, uint32_t k) { return static_cast<uint8_t>(payload >> (8 * (k % 4))) ^ (k / 4); }

  VkDeviceAddress Payloads(const Info& info) {
    const uint32_t size = info.node < kNodes ? kPayloadBytes[info.node] : 0;
    if (size == 0) return 0;  // never looked at
    const uint64_t count = info.stride == 0 ? 1 : info.count;
    const PlanSpan span = Memory(info.misalignment + count * info.stride + size + 4);
    for (uint32_t i = 0; i < count; ++i)
      for (uint32_t k = 0; k < size; ++k)
        span.host[info.misalignment + i * info.stride + k] = std::byte{Byte(next_payload_ + i, k)};
    next_payload_ += static_cast<uint32_t>(count);
    return span.address + info.misalignment;
  }

  void SetInfos(const PlanSpan& infos, uint32_t count, uint64_t stride, bool count_on_device) {
    if (!count_on_device) {
      plan_.infos = infos.address;
      plan_.info_stride = stride;
      plan_.info_count = count;
      return;
    }
    VkDispatchGraphCountInfoAMDX count_info = {};
    count_info.count = count;
    count_info.infos.deviceAddress = infos.address;
    count_info.stride = stride;
    const PlanSpan place = Memory(sizeof(count_info) + 4);
    place.Store(4, count_info);  // 4-byte alignment is all that the limits promise
    plan_.count_info = place.address + 4;
  }

  void RunPasses() {
    std::vector<EntryNode> nodes;
    std::vector<EntryRoot> roots;
    std::vector<Region> regions(kNodes + 2);
    for (uint32_t i = 0; i < kNodes; ++i) {
      nodes.push_back({i + 1, kPayloadBytes[i]});
      roots.push_back({i + 1, i});
      regions[i + 1].records = shared::DenseRecords(0xdead, kRecordStride[i], 0);
      regions[i + 1].coalesce = kCoalesce[i];
      regions[i + 1].max_workgroups = kMaxWorkgroups;
    }
    nodes.push_back({kNoSlot, 0});
    regions_ = Memory(regions);
    ring_ = Memory(kHalfOffset + half_bytes_ + 4096);
    ControlBlock control = {};
    control.ring = has_ring_ ? ring_.address : 0;
    plan_.control = Memory(std::vector{control}).address;
    plan_.nodes = Memory(nodes).address;
    plan_.roots = Memory(roots).address;
    plan_.regions = regions_.address;
    plan_.half_offset = kHalfOffset;
    plan_.half_units = static_cast<uint32_t>(half_bytes_ / 16);
    plan_.chunks_offset = 0;
    plan_.chunk_capacity = chunk_capacity_;
    state_ = Memory(sizeof(EntryState));
    plan_.state = state_.address;
    reports_ = ReportMemory();
    plan_.reports = reports_.address;
    plan_.node_count = kNodes + 1;
    plan_.root_count = kNodes;
    plan_.origin = 9;
    plan_.address_alignment = 4;
    plan_.max_payload_count = kMaxPayloads;
    Run(Kernel::kCountInfos, plan_, 3);
    Run(Kernel::kAppendInfos, plan_, 3);
    const auto state = Read<EntryState>(state_);
    EXPECT_EQ(state.one_y, 1u);
    EXPECT_EQ(state.one_z, 1u);
    ASSERT_LE(state.chunk_workgroups, chunk_capacity_);
    if (state.chunk_workgroups != 0) Run(Kernel::kCopyChunks, plan_, state.chunk_workgroups);
  }

  [[nodiscard]] Region RegionOf(uint32_t node) const { return Read<Region>(regions_, node + 1); }

  // Records of a node's region, as bytes.
  [[nodiscard]] std::vector<std::vector<uint8_t>> Records(uint32_t node) const {
    const Region region = RegionOf(node);
    std::vector<std::vector<uint8_t>> records(std::min(region.reserved, region.capacity));
    for (uint32_t i = 0; i < records.size(); ++i) {
      const auto* first = reinterpret_cast<const uint8_t*>(ring_.host + (region.records.base - ring_.address) +
                                                           uint64_t{i} * region.records.stride);
      records[i].assign(first, first + region.records.stride);
    }
    return records;
  }
  [[nodiscard]] static std::vector<uint8_t> Record(uint32_t node, uint32_t payload) {
    std::vector<uint8_t> record(kRecordStride[node], 0);
    for (uint32_t k = 0; k < kPayloadBytes[node]; ++k) record[k] = Byte(payload, k);
    return record;
  }
  // The payloads [first, first + count) of each pair, in any order.
  void ExpectRecords(uint32_t node, const std::vector<std::pair<uint32_t, uint32_t>>& payloads) const {
    std::vector<std::vector<uint8_t>> expected;
    for (const auto& [first, count] : payloads)
      for (uint32_t i = 0; i < count; ++i) expected.push_back(Record(node, first + i));
    std::vector<std::vector<uint8_t>> records = Records(node);
    std::sort(expected.begin(), expected.end());
    std::sort(records.begin(), records.end());
    EXPECT_TRUE(records == expected) << "node " << node << ": " << records.size() << " records";
  }
  [[nodiscard]] std::vector<DeviceReport> Reports() const { return ReportsIn(reports_); }

  static constexpr uint64_t kHalfOffset = 1 << 20;
  uint64_t half_bytes_ = 32 << 20;
  uint32_t chunk_capacity_ = 1024;
  bool has_ring_ = true;
  // The reports, which all workgroups make for themselves: sums by kind.
  [[nodiscard]] std::map<uint32_t, uint32_t> ReportedInfos() const {
    std::map<uint32_t, uint32_t> infos;
    for (const DeviceReport& report : Reports()) infos[report.kind] += report.records;
    return infos;
  }

  uint32_t info_misalignment_ = 0;
  uint32_t next_payload_ = 1;
  EntryPlan plan_ = {};
  PlanSpan regions_, ring_, state_, reports_;
};

TEST_F(EntryKernelTest, GathersPayloadsOfAnyAlignmentAndStride) {
  Enter({{0, 3, 8, 0}, {1, 2, 7, 1}, {0, 1, 9, 3}, {1, 4, 5, 2}, {2, 6, 0, 0}, {3, 2, 68, 0}, {0, 0, 8, 0}}, 28);
  ExpectRecords(0, {{1, 3}, {6, 1}});
  ExpectRecords(1, {{4, 2}, {7, 4}});
  EXPECT_EQ(Records(2), std::vector<std::vector<uint8_t>>(6, Record(2, 0)));
  ExpectRecords(3, {{11, 2}});
  EXPECT_TRUE(Reports().empty());
}

TEST_F(EntryKernelTest, RegionsLieOneAfterTheOtherWithRoomForTheirRecordState) {
  Enter({{0, 3, 8}, {1, 5, 5}, {3, 1, 64}});
  uint64_t next = ring_.address + kHalfOffset;
  for (uint32_t node = 0; node < kNodes; ++node) {
    const Region region = RegionOf(node);
    EXPECT_EQ(region.records.base, next);
    EXPECT_EQ(region.capacity, region.reserved);
    EXPECT_EQ(region.lost, 0u);
    EXPECT_EQ(region.records.count, region.capacity);
    const auto padded = [](uint64_t bytes) { return (bytes + 15) / 16 * 16; };
    next += padded(uint64_t{region.capacity} * region.records.stride) + node * padded(uint64_t{region.capacity} * 4);
  }
}

TEST_F(EntryKernelTest, ALargeInfoIsCopiedInChunks) {
  Enter({{0, 200000, 8}, {3, 30000, 64}, {1, 1, 5}});
  ExpectRecords(0, {{1, 200000}});
  ExpectRecords(3, {{200001, 30000}});
  ExpectRecords(1, {{230001, 1}});
  EXPECT_GT(Read<EntryState>(state_).chunk_workgroups, 10u);
}

TEST_F(EntryKernelTest, WithoutRoomForChunksTheWorkgroupCopies) {
  chunk_capacity_ = 2;
  Enter({{0, 20000, 8}, {3, 3000, 64}, {1, 5000, 5}, {3, 17, 64}});
  ExpectRecords(0, {{1, 20000}});
  ExpectRecords(3, {{20001, 3000}, {28001, 17}});
  ExpectRecords(1, {{23001, 5000}});
}

TEST_F(EntryKernelTest, ManyInfosOfManyNodes) {
  std::vector<Info> infos;
  std::vector<std::pair<uint32_t, uint32_t>> payloads[kNodes];
  uint32_t next = 1;
  uint32_t empty = 0;
  for (uint32_t i = 0; i < 5000; ++i) {
    const uint32_t node = (i * 7 + i / 100) % kNodes;
    const uint32_t count = i % 97 == 0 ? 150 : i % 4;
    infos.push_back({node, count, kPayloadBytes[node]});
    if (node == 2) {
      empty += count;
      continue;
    }
    if (count == 0) continue;
    payloads[node].push_back({next, count});
    next += count;
  }
  Enter(infos);
  for (uint32_t node : {0u, 1u, 3u}) ExpectRecords(node, payloads[node]);
  EXPECT_EQ(Records(2).size(), empty);
}

TEST_F(EntryKernelTest, TheCountComesFromTheDevice) {
  Enter({{0, 3, 8}, {1, 2, 5}}, 40, true);
  ExpectRecords(0, {{1, 3}});
  ExpectRecords(1, {{4, 2}});
  next_payload_ = 1;
  Enter({{0, 3, 8}, {1, 2, 5}, {0, 1, 8}}, 27, true);
  ExpectRecords(0, {{1, 3}, {6, 1}});
  ExpectRecords(1, {{4, 2}});
  Enter({}, 24, true);
  for (uint32_t node = 0; node < kNodes; ++node) EXPECT_EQ(RegionOf(node).reserved, 0u);
}

TEST_F(EntryKernelTest, AStrideOfZeroReadsTheSameInfoOrPayloadAgain) {
  Enter({{0, 4, 0}});
  EXPECT_EQ(Records(0), std::vector<std::vector<uint8_t>>(4, Record(0, 1)));
  VkDispatchGraphInfoAMDX info = {};
  info.nodeIndex = 1;
  info.payloadCount = 2;
  next_payload_ = 1;
  info.payloads.deviceAddress = Payloads({1, 2, 5, 0});
  info.payloadStride = 5;
  plan_ = {};
  SetInfos(Memory(std::vector{info}), 300, 0, false);
  RunPasses();
  ExpectRecords(1, std::vector<std::pair<uint32_t, uint32_t>>(300, {1, 2}));
}

TEST_F(EntryKernelTest, InfosWithoutANodeAreCountedAndLeftOut) {
  Enter({{0, 1, 8}, {kForbiddenNode, 7, 0}, {kNodes + 1, 1, 0}, {0xffffffff, 1, 0}, {0, 1, 8}});
  ExpectRecords(0, {{1, 1}, {2, 1}});
  uint32_t invalid = 0;
  for (const DeviceReport& report : Reports()) {
    EXPECT_EQ(report.kind, shared::kReportNoNode);
    EXPECT_EQ(report.origin, 9u);
    invalid += report.records;
  }
  EXPECT_EQ(invalid, 3u);
}

// A page fault would end the device.
TEST_F(EntryKernelTest, NullIsNotRead) {
  std::vector<VkDispatchGraphInfoAMDX> infos(3);
  infos[0].payloadCount = 3;  // of node 0, whose payload has 8 bytes
  infos[1].nodeIndex = 2;     // whose payload is empty
  infos[1].payloadCount = 4;
  infos[2].nodeIndex = 3;  // no payloads, no matter where
  SetInfos(Memory(infos), 3, sizeof(infos[0]), false);
  RunPasses();
  EXPECT_EQ(RegionOf(0).reserved, 0u);
  EXPECT_EQ(RegionOf(2).reserved, 4u);
  EXPECT_EQ(ReportedInfos(), (std::map<uint32_t, uint32_t>{{shared::kReportNoPayloads, 1}}));

  plan_ = {};
  SetInfos({}, 5, sizeof(infos[0]), true);
  RunPasses();
  EXPECT_EQ(ReportedInfos(), (std::map<uint32_t, uint32_t>{{shared::kReportNoInfos, 5}}));
  plan_ = {};
  SetInfos({}, 0, 0, true);
  RunPasses();
  EXPECT_TRUE(Reports().empty());
}

TEST_F(EntryKernelTest, WhatTheHalfCannotHoldIsCutAndCounted) {
  half_bytes_ = 4096;
  Enter({{0, 100, 8}, {1, 1000, 5}, {3, 100, 64}});
  ExpectRecords(0, {{1, 100}});  // 1200 bytes of records
  const Region cut = RegionOf(1);
  EXPECT_GT(cut.capacity, 150u);
  EXPECT_LE(cut.records.base + (cut.capacity * 8 + 15) / 16 * 16 + (cut.capacity * 4 + 15) / 16 * 16,
            ring_.address + kHalfOffset + half_bytes_);
  EXPECT_EQ(cut.lost, 1000 - cut.capacity);
  EXPECT_EQ(RegionOf(3).capacity, 0u);
  EXPECT_EQ(RegionOf(3).lost, 100u);
  for (uint64_t i = 0; i < 4096; ++i)
    ASSERT_EQ(ring_.host[kHalfOffset + half_bytes_ + i], std::byte{0}) << "past the end of the half";
}

// Of the records that have a place.
TEST_F(EntryKernelTest, WorkgroupsThatCoalesceAreCounted) {
  Enter({{0, 3, 8}, {1, 10, 5}, {2, 100, 0}, {1, 5, 5}, {3, 1, 64}});
  EXPECT_EQ(RegionOf(0).workgroups, 0u);
  EXPECT_EQ(RegionOf(1).workgroups, 3u);
  EXPECT_EQ(RegionOf(2).workgroups, kMaxWorkgroups) << "of 34";
  EXPECT_EQ(RegionOf(3).workgroups, 1u);
  half_bytes_ = 512;
  Enter({{1, 1000, 5}, {3, 100, 64}});
  EXPECT_EQ(RegionOf(1).workgroups, (RegionOf(1).capacity + 6) / 7);
  EXPECT_EQ(RegionOf(3).workgroups, 0u);
  has_ring_ = false;
  Enter({{1, 1000, 5}});
  EXPECT_EQ(RegionOf(1).workgroups, 0u);
}

TEST_F(EntryKernelTest, CountsBeyond32BitsSaturate) {
  Enter({{2, 0xffffffffu, 0}, {2, 0xffffffffu, 0}, {2, 1, 0}});
  const Region region = RegionOf(2);
  EXPECT_LE(region.capacity * 4ull, half_bytes_);
  EXPECT_EQ(region.reserved, 0x80000000u);
  EXPECT_EQ(region.lost, 0x80000000u);
}

TEST_F(EntryKernelTest, WithoutARingEverythingIsCountedAsLost) {
  has_ring_ = false;
  Enter({{0, 3, 8}, {1, 5000, 5}});
  EXPECT_EQ(RegionOf(0).capacity, 0u);
  EXPECT_EQ(RegionOf(0).lost, 3u);
  EXPECT_EQ(RegionOf(1).lost, 5000u);
}

// The same, with the setting `validate`.
class CheckedEntryKernelTest : public EntryKernelTest {
 protected:
  static void SetUpTestSuite() { MakeDevice(Validating()); }

  using Infos = std::map<uint32_t, uint32_t>;
};

TEST_F(CheckedEntryKernelTest, InfosThatKeepAllRules) {
  for (const bool count_on_device : {false, true}) {
    Enter({{0, kMaxPayloads, 8, 0}, {1, 2, 5, 0}, {1, 3, 7, 0}, {1, 1, 1, 0}, {0, 4, 0, 0}, {2, 6, 0, 0}, {3, 0, 1, 1}},
          27, count_on_device);
    EXPECT_TRUE(Reports().empty());
    EXPECT_EQ(RegionOf(0).reserved, kMaxPayloads + 4);
    EXPECT_EQ(RegionOf(1).reserved, 6u);
  }
}

TEST_F(CheckedEntryKernelTest, PayloadsAreAligned) {
  Enter({{0, 3, 8, 0}, {1, 2, 8, 2}, {0, 1, 8, 3}, {0, 1, 8, 4}});
  EXPECT_EQ(ReportedInfos(), (Infos{{shared::kReportPayloadsAlignment, 2}}));
  ExpectRecords(0, {{1, 3}, {6, 1}, {7, 1}});
}

TEST_F(CheckedEntryKernelTest, PayloadsDoNotOverlap) {
  Enter({{0, 2, 7, 0}, {0, 2, 8, 0}, {3, 3, 60, 0}, {1, 2, 4, 0}, {1, 2, 5, 0}});
  EXPECT_EQ(ReportedInfos(), (Infos{{shared::kReportPayloadStride, 3}}));
}

TEST_F(CheckedEntryKernelTest, PayloadCountsHaveALimit) {
  Enter({{2, kMaxPayloads, 0}, {2, kMaxPayloads + 5, 0}, {2, kMaxPayloads + 1, 0}, {0, 1, 8}});
  const std::vector<DeviceReport> reports = Reports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].kind, shared::kReportPayloadCount);
  EXPECT_EQ(reports[0].records, 2u);
  EXPECT_EQ(reports[0].value, kMaxPayloads + 5);
  EXPECT_EQ(RegionOf(2).reserved, 3 * kMaxPayloads + 6);
}

TEST_F(CheckedEntryKernelTest, InfosAreAligned) {
  info_misalignment_ = 2;
  Enter({{0, 3, 8}}, 24, true);
  EXPECT_EQ(ReportedInfos(), (Infos{{shared::kReportInfosAlignment, 1}}));
  ExpectRecords(0, {{1, 3}});
  info_misalignment_ = 4;
  Enter({{0, 3, 8}}, 24, true);
  EXPECT_TRUE(Reports().empty());
}

TEST_F(CheckedEntryKernelTest, InfosDoNotOverlap) {
  for (const uint64_t stride : {20, 24}) {  // the last 4 bytes are the high word of a stride, and those of node 0
    Enter({{2, 3, 0}, {0, 0, 0}}, stride, true);
    if (stride == 24) {
      EXPECT_TRUE(Reports().empty());
      continue;
    }
    const std::vector<DeviceReport> reports = Reports();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_EQ(reports[0].kind, shared::kReportInfosStride);
    EXPECT_EQ(reports[0].records, 2u);
    EXPECT_EQ(reports[0].value, 20u);
  }
}

}  // namespace
}  // namespace trellis::test
