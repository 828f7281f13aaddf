// SPDX-License-Identifier: Apache-2.0
// Runs the kernel size_launches, and sum_grids before it, over launches of which the host knows everything.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "layer/graph/memory_plan.h"
#include "layer/replay/planning/launch_size.h"
#include "meta_shaders/shared/graph_data.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/report_data.h"
#include "tests/meta_shaders/kernel_test_base.h"
#include "tests/meta_shaders/launch_reference.h"

namespace trellis::test {

struct GridMember {
  uint32_t offset;
  uint32_t width;
  uint32_t count;

  [[nodiscard]] uint32_t Packed() const {
    return offset | width << shared::kGridMemberWidthShift | count << shared::kGridMemberCountShift;
  }
};

class SizingKernelTest : public KernelTest {
 protected:
  // One launch with its region. Record memory is at least as large as the region says.
  struct Launch {
    shared::LaunchPlan plan = {};
    shared::Region region = {};
    std::vector<std::byte> records;
    bool is_parted = false;
    bool is_summed = false;
  };
  struct Sized {
    shared::LaunchInput input;
    shared::DispatchArguments arguments;
    std::vector<uint32_t> record_state;
    std::vector<uint32_t> search_index;           // all that there is room for; empty if there are none
    std::vector<std::array<uint32_t, 2>> slices;  // words of the table, with its end; empty if there is none
    // Of launches that are drawn: the first one is `input` and `arguments`.
    std::vector<shared::LaunchInput> draw_inputs;
    std::vector<shared::DispatchArguments> draw_arguments;
  };
  static constexpr uint32_t kDense = 1024;                // records of regions that grow
  static constexpr uint32_t kNoSearchEntry = 0xdeadbeef;  // what was there before
  static constexpr size_t kTableWords = 2 * (shared::kMaxSlices + 1);

  static Launch StaticGrid(uint32_t x, uint32_t y, uint32_t z, uint32_t records) {
    Launch launch;
    launch.plan.kind = shared::kLaunchStaticGrid;
    launch.plan.grid_x = x;
    launch.plan.grid_y = y;
    launch.plan.grid_z = z;
    launch.plan.coalesce = launch.plan.packed = 1;
    launch.plan.max_workgroups = shared::kAnyWorkgroups;
    launch.region.records.stride = 12;
    SetRecords(launch, records);
    return launch;
  }
  static Launch Coalescing(uint32_t coalesce, uint32_t records) {
    Launch launch = StaticGrid(1, 1, 1, records);
    launch.plan.kind = shared::kLaunchCoalescing;
    launch.plan.coalesce = coalesce;
    return launch;
  }
  // Grids of 0 to `most` in each component; the rest of the record is noise.
  static Launch DynamicGrid(GridMember member, uint32_t stride, uint32_t records, uint32_t most,
                            uint32_t bound = 65535) {
    Launch launch = StaticGrid(bound, bound, bound, records);
    launch.plan.kind = shared::kLaunchDynamicGrid;
    launch.plan.grid_member = member.Packed();
    launch.plan.state_words = shared::kShortRecordState;
    launch.region.records.stride = stride;
    launch.records.resize(size_t{records} * stride);
    std::mt19937 random(records * 31 + most);
    for (std::byte& byte : launch.records) byte = static_cast<std::byte>(random());
    for (uint32_t record = 0; record < records; ++record) {
      for (uint32_t i = 0; i < member.count; ++i) {
        const uint32_t value = static_cast<uint32_t>(random() % (uint64_t{most} + 1));
        std::memcpy(launch.records.data() + size_t{record} * stride + member.offset + i * member.width, &value,
                    member.width);
      }
    }
    return launch;
  }
  static void SetRecords(Launch& launch, uint32_t records) {
    launch.region.capacity = records;
    launch.region.reserved = records;
    launch.region.records.count = launch.region.records.dense = records;
    launch.region.refused = UINT32_MAX;
  }

  // Runs the kernel over `launches`; the slot of launch i is 2 * i + 1 unless it has one, to share that one's region.
  std::vector<Sized> Size(std::vector<Launch> launches, const std::vector<shared::RegionPlan>& openings = {}) {
    const uint32_t heap_slot = static_cast<uint32_t>(2 * launches.size() + 1);
    std::vector<shared::Region> consumed(heap_slot + 1);
    consumed[heap_slot].lost = heap_lost_;
    std::vector<shared::LaunchPlan> summed;
    std::vector<shared::LaunchPlan> parted;
    std::vector<shared::LaunchPlan> whole;
    std::vector<uint32_t> state_words(heap_slot);
    std::vector<PlanSpan> regions(heap_slot);
    control_.ring = Memory(16).address;
    uint32_t places = 0;  // of inputs and arguments
    for (size_t i = 0; i < launches.size(); ++i) {
      Launch& launch = launches[i];
      const bool shares = launch.plan.slot != 0;
      if (!shares) launch.plan.slot = launch.plan.identity = static_cast<uint32_t>(2 * i + 1);
      launch.plan.position = launch.plan.first_draw = places;
      places += std::max(launch.plan.draws, 1u);
      launch.plan.slice_table = static_cast<uint32_t>(launches.size() - i);
      launch.plan.state_words_before = state_words[launch.plan.slot];
      state_words[launch.plan.slot] += launch.plan.state_words;
      (!launch.is_parted ? whole : launch.is_summed ? summed : parted).push_back(launch.plan);
    }
    std::stable_partition(summed.begin(), summed.end(),
                          [](const shared::LaunchPlan& launch) { return launch.has_search_index != 0; });
    bases_.clear();
    // Pools lie behind what grows out of them.
    constexpr size_t kRoomForRegions = 1 << 20;
    PlanSpan ring;
    size_t ring_used = 0;
    if (pool_units_ != 0) {
      ring = Memory(kRoomForRegions + size_t{pool_units_} * 16);
      pool_ = {ring.host + kRoomForRegions, ring.address + kRoomForRegions, size_t{pool_units_} * 16};
    }
    for (Launch& launch : launches) {
      PlanSpan& region = regions[launch.plan.slot];
      if (region.host == nullptr) {
        // Without record state, or records, the capacity may be more than there is memory for.
        const uint32_t words = state_words[launch.plan.slot];
        const uint64_t bytes = words != 0 && launch.region.reserved != 0
                                   ? RegionBytes(launch.region.records.stride, words, launch.region.capacity)
                                   : 0;
        const size_t taken = std::max<size_t>({bytes, launch.records.size(), 16});
        region = pool_units_ == 0 ? Memory(taken) : PlanSpan{ring.host + ring_used, ring.address + ring_used, taken};
        ring_used += (taken + 15) / 16 * 16;
        const size_t dense = pool_units_ == 0
                                 ? launch.records.size()
                                 : std::min(launch.records.size(), size_t{kDense} * launch.region.records.stride);
        if (dense != 0) std::memcpy(region.host, launch.records.data(), dense);
        launch.region.records.base = region.address;
        consumed[launch.plan.slot] = launch.region;
      }
      bases_.push_back(region.address);
    }
    if (pool_units_ != 0) LetRegionsGrow(launches, state_words, consumed);
    control_.heap_slot = heap_slot;
    const PlanSpan inputs = Memory(places * sizeof(shared::LaunchInput));
    const PlanSpan arguments = Memory(places * sizeof(shared::DispatchArguments));
    opened_ = Memory(4096 * sizeof(shared::Region));
    reports_ = ReportMemory();
    shared::SizingPlan plan = {};
    plan.control = Memory(std::vector{control_}).address;
    plan.parts = parts_;
    plan.parted_count = static_cast<uint32_t>(summed.size() + parted.size());
    plan.part_count = plan.parted_count * parts_ + static_cast<uint32_t>(whole.size());
    plan.summed_count = static_cast<uint32_t>(summed.size());
    std::vector<shared::LaunchPlan> ordered = summed;
    ordered.insert(ordered.end(), parted.begin(), parted.end());
    ordered.insert(ordered.end(), whole.begin(), whole.end());
    std::vector<uint32_t> first_with_state(heap_slot, shared::kNoSlot);
    for (uint32_t i = 0; i < ordered.size(); ++i) {
      ordered[i].first_with_state = shared::kNoSlot;
      if (pool_units_ == 0 || ordered[i].state_words == 0) continue;
      uint32_t& first = first_with_state[ordered[i].slot];
      first = std::min(first, i);
      ordered[i].first_with_state = first;
    }
    plan.launches = Memory(ordered).address;
    plan.sums = Memory((summed.size() * parts_ + 1) * sizeof(uint32_t)).address;
    const size_t entries_of_launch = size_t{parts_} * shared::kSearchEntriesOfPart;
    const PlanSpan search_index = Memory(std::vector(summed.size() * entries_of_launch + 1, kNoSearchEntry));
    plan.search_index = search_index.address;
    // A table more on either side, which stays as it is.
    const PlanSpan tables = Memory(std::vector((launches.size() + 2) * kTableWords, kNoSearchEntry));
    plan.slices = tables.address;
    plan.inputs = inputs.address;
    plan.arguments = arguments.address;
    const PlanSpan consumed_memory = Memory(consumed.size() * sizeof(consumed[0]));
    for (size_t i = 0; i < consumed.size(); ++i)
      consumed[i].records.segments =
          consumed_memory.address + i * sizeof(consumed[0]) + offsetof(shared::Region, segments);
    consumed_memory.Store(0, std::span<const shared::Region>(consumed));
    plan.consumed = consumed_memory.address;
    plan.regions = opened_.address;
    plan.openings = Memory(openings).address;
    plan.reports = reports_.address;
    plan.opening_count = static_cast<uint32_t>(openings.size());
    plan.origin = 99;
    plan.level = 6;
    plan.reports_losses = reports_losses_ ? 1 : 0;
    plan.heap_slot = has_heap_ ? heap_slot : shared::kNoSlot;
    plan.max_workgroups_x = limits_.max_workgroups_x;
    plan.max_workgroups_y = limits_.max_workgroups_y;
    plan.max_grid_workgroups = limits_.max_grid_workgroups;
    const LargestDraw largest_draw(draw_limits_);
    plan.max_draw_x = largest_draw.x;
    plan.max_draw_workgroups = largest_draw.workgroups;
    const uint32_t workgroups =
        plan.part_count + (plan.opening_count + shared::kLevelsWorkgroup - 1) / shared::kLevelsWorkgroup;
    if (!summed.empty()) Run(Kernel::kSumGrids, plan, plan.summed_count * parts_);
    Run(Kernel::kSizeLaunches, plan, workgroups);

    std::vector<Sized> sized;
    for (size_t i = 0; i < launches.size(); ++i) {
      Sized& one = sized.emplace_back();
      const uint32_t position = launches[i].plan.position;
      one.input = Read<shared::LaunchInput>(inputs, position);
      one.arguments = Read<shared::DispatchArguments>(arguments, position);
      for (uint32_t draw = 0; draw < launches[i].plan.draws; ++draw) {
        one.draw_inputs.push_back(Read<shared::LaunchInput>(inputs, position + draw));
        one.draw_arguments.push_back(Read<shared::DispatchArguments>(arguments, position + draw));
      }
      one.record_state.resize(size_t{one.input.records.count} * launches[i].plan.state_words);
      const shared::LaunchPlan& launch = launches[i].plan;
      const std::byte* record_state =
          regions[launch.slot].host +
          RegionBytes(launches[i].region.records.stride, launch.state_words_before, launches[i].region.capacity);
      if (pool_units_ != 0) {
        const uint64_t place = one.input.record_state - pool_.address;
        EXPECT_TRUE(one.record_state.empty() ||
                    (one.input.record_state >= pool_.address + pool_units_ / 2 * uint64_t{16} &&
                     place + one.record_state.size() * sizeof(uint32_t) <= pool_.size));
        if (HasFailure()) return sized;
        record_state = pool_.host + place;
      }
      if (!one.record_state.empty())
        std::memcpy(one.record_state.data(), record_state, one.record_state.size() * sizeof(uint32_t));
      if (one.input.slices > 1 && launch.kind == shared::kLaunchDynamicGrid) {
        EXPECT_EQ(one.input.search_index,
                  tables.address + launches[i].plan.slice_table * kTableWords * sizeof(uint32_t));
        one.slices.resize(one.input.slices + 1);
        std::memcpy(one.slices.data(), tables.host + (one.input.search_index - tables.address),
                    one.slices.size() * sizeof(one.slices[0]));
        continue;
      }
      if (one.input.search_index == 0) continue;
      EXPECT_EQ((one.input.search_index - search_index.address) % (entries_of_launch * sizeof(uint32_t)), 0u);
      one.search_index.resize(entries_of_launch);
      std::memcpy(one.search_index.data(), search_index.host + (one.input.search_index - search_index.address),
                  entries_of_launch * sizeof(uint32_t));
    }
    EXPECT_EQ(Read<uint32_t>(search_index, summed.size() * entries_of_launch), kNoSearchEntry) << "behind the last one";
    for (size_t word = 0; word < kTableWords; ++word) {
      EXPECT_EQ(Read<uint32_t>(tables, word), kNoSearchEntry);
      EXPECT_EQ(Read<uint32_t>(tables, (launches.size() + 1) * kTableWords + word), kNoSearchEntry);
    }
    return sized;
  }

  // All regions: what lies behind the first 1024 records goes into segments, four for each power of two.
  void LetRegionsGrow(const std::vector<Launch>& launches, const std::vector<uint32_t>& state_words,
                      std::vector<shared::Region>& consumed) {
    uint64_t used = 0;
    for (const Launch& launch : launches) {
      shared::Region& region = consumed[launch.plan.slot];
      region.state_words = state_words[launch.plan.slot];
      if (launch.plan.slot != launch.plan.identity || region.capacity <= kDense || launch.records.empty()) continue;
      region.records.dense = kDense;
      const uint32_t stride = region.records.stride;
      for (uint32_t begin = kDense, number = 0; begin < region.capacity; ++number) {
        const uint32_t size = (kDense << number / 4) / 4;
        region.segments[number] = static_cast<uint32_t>((pool_.address - region.records.base) / 16 + used);
        const size_t bytes = size_t{std::min(size, region.capacity - begin)} * stride;
        std::memcpy(pool_.host + used * 16, launch.records.data() + size_t{begin} * stride, bytes);
        used += size_t{size} * stride / 16;
        begin += size;
      }
    }
    shared::Region& pool = consumed.back();
    // Half of it is for record state.
    pool.records = shared::DenseRecords(pool_.address, 16, pool_units_ / 2);
    pool.capacity = pool_units_ / 2;
    pool.state_units = pool_units_ / 2 - pool_used_;
    pool.reserved = static_cast<uint32_t>(used);
    pool.refused = UINT32_MAX;
  }

  // Whether sum_grids comes first or, unless that takes too long, each workgroup counts for itself.
  void ExpectPartsLikeReference(Launch launch, const std::string& what) {
    launch.is_parted = launch.is_summed = true;
    ExpectLikeReference(launch, what + ", added up first");
    launch.plan.has_search_index = 1;
    ExpectLikeReference(launch, what + ", added up first, with search_index");
    launch.is_summed = false;
    if (launch.region.capacity < 10000) ExpectLikeReference(launch, what);
  }

  // Each names the record that has its workgroup. `takes_all`: no record is lost.
  static void ExpectSearchIndex(const Launch& launch, const Sized& sized, bool takes_all) {
    if (sized.input.slices > 1) return;
    const bool has_records = std::min(launch.region.reserved, launch.region.records.count) != 0;
    ASSERT_EQ(sized.input.search_index != 0, launch.plan.has_search_index != 0 && launch.is_summed && has_records);
    if (sized.input.search_index == 0) return;
    const uint32_t shift = sized.input.search_shift;
    ASSERT_LT(shift, 32u);
    const auto first_workgroup = [&](size_t record) { return sized.record_state[record * launch.plan.state_words]; };
    size_t count = 0;
    uint32_t record = 0;
    for (uint64_t workgroup = 0; workgroup < sized.input.workgroup_count; workgroup += uint64_t{1} << shift) {
      while (record + 1 < sized.input.records.count && first_workgroup(record + 1) <= workgroup) ++record;
      ASSERT_LT(count, sized.search_index.size());
      ASSERT_EQ(sized.search_index[count], record) << "search entry " << count;
      ++count;
    }
    if (!takes_all) return;
    EXPECT_TRUE(shift == 0 || 4 * count > sized.search_index.size()) << "there is room for more";
    for (; count < sized.search_index.size(); ++count) ASSERT_EQ(sized.search_index[count], kNoSearchEntry);
  }

  static std::vector<std::array<uint32_t, 2>> WordsOf(const std::vector<shared::Slice>& table) {
    std::vector<std::array<uint32_t, 2>> words;
    for (const shared::Slice& slice : table) words.push_back({slice.first_record, slice.workgroup_count});
    return words;
  }

  // Runs one launch. The kernel and the host's SizeLaunch both have to agree with the reference.
  void ExpectLikeReference(const Launch& launch, const std::string& what) {
    SCOPED_TRACE(what);
    const std::vector<Sized> all = Size({launch});
    const Sized& sized = all[0];
    const uint32_t count = std::min(launch.region.reserved, launch.region.records.count);
    const uint32_t stride = launch.region.records.stride;
    const ReferenceSize expected = ReferenceLaunch(launch.plan, launch.records, count, stride, limits_);
    EXPECT_EQ(sized.input.records.count, expected.records);
    EXPECT_EQ(sized.input.workgroup_count, expected.workgroups);
    EXPECT_EQ(sized.record_state, expected.record_state);
    std::vector<uint32_t> record_state;
    const LaunchSize of_host = SizeLaunch(launch.plan, {launch.records, count, stride}, limits_, record_state);
    EXPECT_EQ(of_host.records, expected.records);
    EXPECT_EQ(of_host.workgroups, expected.workgroups);
    EXPECT_EQ(record_state, expected.record_state);
    EXPECT_EQ(sized.input.slices, expected.slices);
    EXPECT_EQ(of_host.slices, expected.slices);
    EXPECT_EQ(sized.slices, WordsOf(expected.table));
    EXPECT_EQ(WordsOf(of_host.table), WordsOf(expected.table));
    EXPECT_EQ(sized.input.record_state != 0, launch.plan.state_words != shared::kNoRecordState);
    ExpectSearchIndex(launch, sized, expected.records == count);
    ExpectRows(sized.arguments, ReferenceDispatched(launch.plan, expected.workgroups), limits_.max_workgroups_x,
               expected.slices);
    EXPECT_LE(sized.arguments.y, limits_.max_workgroups_y);
    const uint64_t lost = launch.region.lost + count - expected.records;
    ASSERT_EQ(Read<shared::DeviceReportHeader>(reports_).written, lost == 0 ? 0u : 1u);
    if (lost == 0) return;
    const shared::DeviceReport report = ReportsIn(reports_)[0];
    EXPECT_EQ(report.origin, 99u);
    EXPECT_EQ(report.kind, shared::kReportLost);
    EXPECT_EQ(report.slot, 1u);
    EXPECT_EQ(report.level, 6u);
    EXPECT_EQ(report.records, lost);
  }

  LaunchLimits limits_ = {65535, 65535, 65535, (1u << 24) - 1};
  DrawLimits draw_limits_ = {{4, 3, 1}, 10};  // whole rows of 4: 8 workgroups a draw
  shared::ControlBlock control_ = {};
  uint32_t heap_lost_ = 0;
  uint32_t pool_units_ = 0;  // 0: no region grows
  uint32_t pool_used_ = 0;   // of the half for record state: not there
  PlanSpan pool_;
  bool has_heap_ = true;
  uint32_t parts_ = 1;  // of launches that are parted
  bool reports_losses_ = true;
  PlanSpan opened_;
  PlanSpan reports_;
  std::vector<uint64_t> bases_;
};

}  // namespace trellis::test
