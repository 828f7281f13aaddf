// SPDX-License-Identifier: Apache-2.0
// The kernel of bounded mode. The test plays the nodes: it fills the regions that a step has opened.
#include <algorithm>
#include <array>
#include <optional>

#include "layer/graph/memory_plan.h"
#include "meta_shaders/shared/graph_data.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/report_data.h"
#include "meta_shaders/shared/step_plan.h"
#include "tests/meta_shaders/kernel_test_base.h"
#include "tests/meta_shaders/launch_reference.h"

namespace trellis::test {
namespace {

using shared::ControlBlock;
using shared::DeviceReport;
using shared::DispatchArguments;
using shared::LaunchInput;
using shared::LaunchPlan;
using shared::Region;
using shared::RegionPlan;
using shared::SizingPlan;
using shared::StepLaunch;
using shared::StepLevel;
using shared::StepPlan;
using shared::StepState;

constexpr uint32_t kOrigin = 99;
constexpr uint32_t kMaxDispatched = 0xffff0000;  // of a dispatch with wide enough limits
constexpr uint32_t kUntouched = 0xabababab;

// What a launch got in a step.
struct Portion {
  uint32_t first = 0;
  uint32_t workgroups = 0;

  bool operator==(const Portion&) const = default;
};

// Launches are added level by level; each but the first level's reads the region with its own number, unless it shares
// one.
class StepKernelTest : public KernelTest {
 protected:
  static constexpr uint32_t kStride = 16;
  static constexpr size_t kTableWords = 2 * (shared::kMaxSlices + 1);

  static LaunchPlan StaticGrid(uint32_t x, uint32_t y = 1, uint32_t z = 1) {
    LaunchPlan plan = {};
    plan.kind = shared::kLaunchStaticGrid;
    plan.grid_x = x;
    plan.grid_y = y;
    plan.grid_z = z;
    plan.coalesce = plan.packed = 1;
    plan.max_workgroups = shared::kAnyWorkgroups;
    return plan;
  }
  static LaunchPlan Coalescing(uint32_t coalesce) {
    LaunchPlan plan = StaticGrid(1);
    plan.kind = shared::kLaunchCoalescing;
    plan.coalesce = coalesce;
    return plan;
  }
  // The grid is the record's first word.
  static LaunchPlan DynamicGrid() {
    LaunchPlan plan = StaticGrid(65535);
    plan.kind = shared::kLaunchDynamicGrid;
    plan.grid_member = 4u << shared::kGridMemberWidthShift | 1u << shared::kGridMemberCountShift;
    plan.state_words = shared::kShortRecordState;
    return plan;
  }

  // StepLaunch::load of a launch of which so many workgroups fill a queue.
  static uint32_t Part(uint32_t workgroups) { return shared::kWholeQueue / workgroups; }

  // For launches and openings from here on.
  void AddLevel() {
    const auto launches = static_cast<uint32_t>(launches_.size());
    const auto openings = static_cast<uint32_t>(openings_.size());
    levels_.push_back({launches, launches, openings, openings});
  }
  // `load`: of one workgroup. `region`: of another launch.
  uint32_t Add(LaunchPlan plan, uint32_t load, std::optional<uint32_t> region = {}) {
    const auto index = static_cast<uint32_t>(launches_.size());
    StepLaunch& launch = launches_.emplace_back();
    launch.region = region.value_or(index);
    plan.slot = launch.region;
    plan.identity = 50 + index;
    plan.position = plan.slice_table = index;
    for (const StepLaunch& other : launches_)
      if (&other != &launch && other.region == launch.region) plan.state_words_before += other.launch.state_words;
    launch.launch = plan;
    launch.level = static_cast<uint32_t>(levels_.size() - 1);
    launch.load = load;
    ++levels_.back().launch_end;
    return index;
  }
  // A launch of level 0 alone, with so many workgroups of its own.
  uint32_t AddRoot(uint32_t workgroups, uint32_t load, const LaunchPlan& plan = StaticGrid(1)) {
    const uint32_t index = Add(plan, load);
    LaunchInput input = {};
    input.records = shared::DenseRecords(4096, kStride, workgroups);
    input.workgroup_count = workgroups;
    launches_[index].root = Memory(std::vector{input}).address;
    return index;
  }
  // The last level's launches append to the region of `launch`, of the next level.
  void Open(uint32_t launch, uint32_t capacity) {
    RegionPlan& opening = openings_.emplace_back(
        DenseRegion(ring_used_, launch, kStride, capacity, static_cast<uint32_t>(levels_.size())));
    opening.region = launch;
    opening.grid_x = opening.grid_yz = 1;
    opening.max_workgroups = shared::kAnyWorkgroups;
    ++levels_.back().opening_end;
    ring_used_ += 2 * RegionBytes(kStride, shared::kFullRecordState, std::min(capacity, kMaxRecordsInMemory));
  }

  // To be called when all launches are there.
  void Prepare() {
    ring_ = Memory(ring_used_ + 16);
    ControlBlock control = {};
    control.ring = ring_.address;
    control.dump = Memory(kStride).address;
    regions_ = Memory(std::vector<Region>(std::max(launches_.size(), openings_.size() + 1)));
    inputs_ = Memory(launches_.size() * sizeof(LaunchInput));
    arguments_ = Memory(launches_.size() * sizeof(DispatchArguments));
    totals_ = Memory(launches_.size() * sizeof(uint32_t));
    state_ = Memory(sizeof(StepState));
    for (const PlanSpan& span : {inputs_, arguments_, totals_, state_})
      std::memset(span.host, 0xab, span.size);  // scratch holds anything
    reports_ = ReportMemory();
    SizingPlan sizing = {};
    sizing.control = Memory(std::vector{control}).address;
    sizing.inputs = inputs_.address;
    sizing.arguments = arguments_.address;
    sizing.regions = regions_.address;
    tables_ = Memory(std::vector(launches_.size() * kTableWords, kUntouched));
    sizing.slices = tables_.address;
    sizing.reports = reports_.address;
    sizing.origin = kOrigin;
    sizing.parts = 1;
    sizing.heap_slot = shared::kNoSlot;
    sizing.max_workgroups_x = limits_.max_workgroups_x;
    sizing.max_workgroups_y = limits_.max_workgroups_y;
    sizing.max_grid_workgroups = limits_.max_grid_workgroups;
    plan_.sizing = Memory(std::vector{sizing}).address;
    plan_.launches = Memory(launches_).address;
    plan_.levels = Memory(levels_).address;
    plan_.level_count = static_cast<uint32_t>(levels_.size());
    plan_.openings = Memory(openings_).address;
    plan_.totals = totals_.address;
    plan_.state = state_.address;
    plan_.launch_count = static_cast<uint32_t>(launches_.size());
    plan_.reported_steps = 1000;
    next_phase_ = shared::kFirstStep;
  }

  // What each launch got in the next step.
  std::vector<Portion> Step() {
    plan_.phase = next_phase_;
    next_phase_ = shared::kLaterStep;
    Run(Kernel::kStepGraph, plan_);
    std::vector<Portion> portions;
    for (uint32_t i = 0; i < launches_.size(); ++i) portions.push_back(PortionOf(i));
    return portions;
  }
  std::vector<DeviceReport> Finish() {
    plan_.phase = shared::kAfterSteps;
    Run(Kernel::kStepGraph, plan_);
    return ReportsIn(reports_);
  }
  Portion PortionOf(uint32_t launch) {
    const auto input = Read<LaunchInput>(inputs_, launch);
    const auto arguments = Read<DispatchArguments>(arguments_, launch);
    const uint64_t dispatched = uint64_t{arguments.x} * arguments.y * arguments.z;
    if (dispatched == 0) return {};
    const Portion portion = {input.first_workgroup, input.workgroup_count - input.first_workgroup};
    SCOPED_TRACE(launch);
    ExpectRows(arguments, ReferenceDispatched(launches_[launch].launch, portion.workgroups), limits_.max_workgroups_x,
               launches_[launch].load == 0 ? std::max(input.slices, 1u) : 1);
    return portion;
  }

  // As nodes do. `grids`: first words of the records, if anybody reads them.
  void Fill(uint32_t region, uint32_t reserved, const std::vector<uint32_t>& grids = {}) {
    Region filled = Read<Region>(regions_, region);
    filled.reserved = reserved;
    if (reserved > filled.capacity) {
      filled.lost += reserved - filled.capacity;
      filled.refused = filled.capacity;
    }
    regions_.Store(region * sizeof(Region), filled);
    for (size_t i = 0; i < grids.size(); ++i)
      std::memcpy(ring_.host + (filled.records.base - ring_.address) + i * kStride, &grids[i], sizeof(uint32_t));
  }

  static DeviceReport Left(uint32_t launch, uint32_t level, uint32_t records) {
    return {kOrigin, shared::kReportLeft, 50 + launch, level, 0, records};
  }
  static DeviceReport Steps(uint32_t used) { return {kOrigin, shared::kReportSteps, 0, 0, 1000, used}; }
  static void ExpectReports(std::vector<DeviceReport> reports, std::vector<DeviceReport> expected) {
    const auto key = [](const DeviceReport& report) {
      return std::array{report.origin, report.kind, report.slot, report.level, report.value, report.records};
    };
    const auto before = [&](const DeviceReport& a, const DeviceReport& b) { return key(a) < key(b); };
    std::sort(reports.begin(), reports.end(), before);
    std::sort(expected.begin(), expected.end(), before);
    ASSERT_EQ(reports.size(), expected.size());
    for (size_t i = 0; i < reports.size(); ++i) EXPECT_EQ(key(reports[i]), key(expected[i])) << i;
  }

  // Capacities beyond that stand in plans alone: nobody writes such records.
  static constexpr uint32_t kMaxRecordsInMemory = 1 << 16;

  LaunchLimits limits_ = {65535, 65535, 65535, (1u << 24) - 1};
  std::vector<StepLaunch> launches_;
  PlanSpan regions_;
  PlanSpan inputs_;
  PlanSpan arguments_;
  PlanSpan totals_;
  PlanSpan tables_;  // of slices
  PlanSpan state_;
  PlanSpan reports_;
  StepPlan plan_ = {};

  std::vector<RegionPlan> openings_;
  PlanSpan ring_;
  std::vector<StepLevel> levels_;
  uint64_t ring_used_ = 0;

 private:
  uint32_t next_phase_ = shared::kFirstStep;
};

using Portions = std::vector<Portion>;

TEST_F(StepKernelTest, TheDeepestLevelThatHasAnythingRunsAPortion) {
  AddLevel();
  AddRoot(5, Part(2));
  Open(1, 64);
  AddLevel();
  Add(StaticGrid(2, 3, 1), Part(8));
  Open(2, 64);
  AddLevel();
  Add(Coalescing(4), 0);
  Prepare();
  EXPECT_EQ(Step(), (Portions{{0, 2}, {}, {}}));
  const Region opened = Read<Region>(regions_, 1);
  EXPECT_EQ(opened.capacity, 64u);
  EXPECT_EQ(opened.records.count, 64u);
  EXPECT_EQ(opened.reserved, 0u);
  Fill(1, 2);
  EXPECT_EQ(Step(), (Portions{{}, {0, 8}, {}}));
  Fill(2, 9);
  EXPECT_EQ(Step(), (Portions{{}, {}, {0, 3}}));
  EXPECT_EQ(Step(), (Portions{{}, {8, 4}, {}})) << "the rest of 12 workgroups";
  Fill(2, 0);
  EXPECT_EQ(Step(), (Portions{{2, 2}, {}, {}})) << "nothing was sent";
  Fill(1, 0);
  EXPECT_EQ(Step(), (Portions{{4, 1}, {}, {}}));
  Fill(1, 0);
  EXPECT_EQ(Step(), (Portions(3)));
  EXPECT_EQ(Step(), (Portions(3)));
  ExpectReports(Finish(), {Steps(6)});
}

// A portion is a number of workgroups of the dispatch; those of the node are what is counted.
TEST_F(StepKernelTest, PackedGridsFromRecords) {
  LaunchPlan packed = DynamicGrid();
  packed.packed = 4;
  packed.max_workgroups = 2;
  AddLevel();
  AddRoot(1, Part(1));
  Open(1, 64);
  AddLevel();
  Add(packed, Part(3));
  Prepare();
  EXPECT_EQ(Step(), (Portions{{0, 1}, {}}));
  Fill(1, 5, {9, 0, 6, 10, 4});
  EXPECT_EQ(Step(), (Portions{{}, {0, 12}}));
  EXPECT_EQ(Step(), (Portions{{}, {12, 12}}));
  ExpectReports(Finish(), {Left(1, 1, 2), Steps(3)});
  EXPECT_EQ(Step(), (Portions{{}, {24, 5}}));
  EXPECT_EQ(Step(), Portions(2));
}

TEST_F(StepKernelTest, NothingPendingAtAll) {
  AddLevel();
  AddRoot(0, Part(7));
  Add(StaticGrid(1), Part(7));  // a root that got no payloads
  Open(2, 8);
  AddLevel();
  Add(StaticGrid(1), 0);
  Prepare();
  EXPECT_EQ(Step(), Portions(3));
  EXPECT_EQ(Read<StepState>(state_).level, shared::kNoSlot);
  EXPECT_EQ(Read<Region>(regions_, 2).capacity, 0u) << "nobody appends, so nothing is opened";
  std::memset(inputs_.host, 0xab, inputs_.size);
  Step();
  EXPECT_EQ(Read<uint32_t>(inputs_), kUntouched) << "a step without work touches nothing";
}

TEST_F(StepKernelTest, APortionLargerThanWhatIsPending) {
  AddLevel();
  AddRoot(3, 1);
  AddRoot(0, 1);
  Open(2, 1000);
  AddLevel();
  Add(StaticGrid(7), 0);
  Prepare();
  EXPECT_EQ(Step(), (Portions{{0, 3}, {}, {}}));
  Fill(2, 11);
  EXPECT_EQ(Step(), (Portions{{}, {}, {0, 77}}));
  EXPECT_EQ(Step(), Portions(3));
  ExpectReports(Finish(), {Steps(2)});
}

// A queue without room: what is sent is lost, and the end kernel reports it.
TEST_F(StepKernelTest, NothingFree) {
  AddLevel();
  AddRoot(3, Part(1));
  Open(1, 0);
  AddLevel();
  Add(StaticGrid(1), 0);
  Prepare();
  for (uint32_t step = 0; step < 3; ++step) {
    EXPECT_EQ(Step(), (Portions{{step, 1}, {}})) << step;
    Fill(1, 5);
  }
  EXPECT_EQ(Step(), Portions(2));
  EXPECT_EQ(Read<Region>(regions_, 1).lost, 15u) << "opening a region anew keeps the count";
  ExpectReports(Finish(), {Steps(3)});
}

TEST_F(StepKernelTest, CountsNear32Bits) {
  limits_.max_workgroups_x = 0x7fffffff;
  AddLevel();
  AddRoot(kMaxDispatched, 1);
  Open(1, 0x7fffffff);
  Open(2, 0x7fffffff);
  AddLevel();
  Add(StaticGrid(2), 0);
  Add(Coalescing(1), 2);
  Prepare();
  EXPECT_EQ(Step(), (Portions{{0, 0x80000000}, {}, {}}));
  Fill(1, 0x7fffffff);
  Fill(2, 0x7fffffff);
  EXPECT_EQ(Step(), (Portions{{}, {0, 0x80000000}, {0, 0x40000000}})) << "two slices, of 2^30 records each";
  EXPECT_EQ(Step(), (Portions{{}, {}, {0x40000000, 0x3fffffff}}));
  EXPECT_EQ(Step(), (Portions{{0x80000000, 0x7fff0000}, {}, {}}));
  ExpectReports(Finish(), {Steps(4)});
}

// Grids of the records, some of which are 0, in portions that part records; and what shares them.
TEST_F(StepKernelTest, EveryKindOfLaunchOnOneRegion) {
  std::vector<uint32_t> grids(3000);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < grids.size(); ++i) sum += grids[i] = i % 5 == 0 ? 0 : i % 7;
  AddLevel();
  AddRoot(1, Part(1));
  Open(1, 4000);
  AddLevel();
  const std::array<uint32_t, 3> loads = {Part(1001), Part(5), Part(4000)};
  Add(DynamicGrid(), loads[0]);
  Add(Coalescing(64), loads[1], 1);
  LaunchPlan finishing = StaticGrid(3);
  finishing.state_words = shared::kShortRecordState;
  Add(finishing, loads[2], 1);
  Prepare();
  Step();
  Fill(1, 3000, grids);
  const std::array<uint32_t, 3> totals = {sum, 47, 9000};
  std::array<uint32_t, 3> done = {};
  for (uint32_t step = 0; done != totals && step < 100; ++step) {
    const std::vector<Portion> portions = Step();
    EXPECT_EQ(portions[0], Portion{});
    uint64_t before = 0;
    for (uint32_t i = 0; i < 3; ++i) {
      const uint64_t left = totals[i] - done[i];
      const uint64_t room = before < shared::kWholeQueue ? (shared::kWholeQueue - before) / loads[i] : 0;
      const auto expected = static_cast<uint32_t>(std::min(left, room));
      before += left * loads[i];
      EXPECT_EQ(portions[i + 1], (expected == 0 ? Portion{} : Portion{done[i], expected})) << step;
      done[i] += expected;
    }
  }
  EXPECT_EQ(Step(), Portions(4));
  const auto input = Read<LaunchInput>(inputs_, 3);
  EXPECT_EQ(input.record_state - Read<LaunchInput>(inputs_, 1).record_state, 16000u) << "one behind the other";
}

// The first launches run whole, one in part, and those behind it not at all.
TEST_F(StepKernelTest, LaunchesOfALevelShareTheQueue) {
  AddLevel();
  AddRoot(1, Part(1));
  for (uint32_t i = 1; i <= 4; ++i) Open(i, 100);
  AddLevel();
  Add(StaticGrid(1), Part(8));
  Add(StaticGrid(1), Part(4));
  Add(StaticGrid(1), Part(100));
  Add(StaticGrid(1), 0);
  Prepare();
  Step();
  Fill(1, 4);  // half of the queue
  Fill(2, 5);  // more than the rest
  Fill(3, 1);
  Fill(4, 7);
  EXPECT_EQ(Step(), (Portions{{}, {0, 4}, {0, 2}, {}, {0, 7}}));
  EXPECT_EQ(Step(), (Portions{{}, {}, {2, 3}, {0, 1}, {}}));
  EXPECT_EQ(Step(), Portions(5));
}

// Behind a launch that nothing of has room, small ones wait as well; the first one that is left always runs.
TEST_F(StepKernelTest, AWorkgroupThatFillsTheQueueRunsAlone) {
  AddLevel();
  AddRoot(2, shared::kWholeQueue);
  AddRoot(2, shared::kWholeQueue);
  AddRoot(1, 1);
  Prepare();
  EXPECT_EQ(Step(), (Portions{{0, 1}, {}, {}}));
  EXPECT_EQ(Step(), (Portions{{1, 1}, {}, {}}));
  EXPECT_EQ(Step(), (Portions{{}, {0, 1}, {}}));
  EXPECT_EQ(Step(), (Portions{{}, {1, 1}, {}}));
  EXPECT_EQ(Step(), (Portions{{}, {}, {0, 1}}));
  EXPECT_EQ(Step(), Portions(3));
}

// Records behind the dense ones and all record state is in the pool, which is emptied with every opening.
TEST_F(StepKernelTest, RegionsThatGrow) {
  constexpr uint32_t kPool = 2;  // region
  AddLevel();
  AddRoot(2, Part(1));
  Open(1, 100);
  openings_.back().dense = 4;
  openings_.back().state_words = 1;
  Open(kPool, 300);
  openings_.back().state_units = 40;
  AddLevel();
  Add(DynamicGrid(), 0);
  launches_[1].pool = kPool;
  Prepare();
  for (uint32_t step = 0; step < 2; ++step) {
    EXPECT_EQ(Step(), (Portions{{step, 1}, {}}));
    Fill(1, 4, {3, 0, 2, 5});
    EXPECT_EQ(Step(), (Portions{{}, {0, 10}}));
    const auto input = Read<LaunchInput>(inputs_, 1);
    const Region pool = Read<Region>(regions_, kPool);
    EXPECT_EQ(input.record_state, pool.records.base + 300 * 16);
    std::array<uint32_t, 4> firsts = {};
    std::memcpy(firsts.data(), ring_.host + (input.record_state - ring_.address), sizeof(firsts));
    EXPECT_EQ(firsts, (std::array<uint32_t, 4>{0, 3, 3, 5}));
  }
  EXPECT_EQ(Step(), Portions(2));
}

// The first step reads regions that infos on the device have filled.
TEST_F(StepKernelTest, EntriesFromRegions) {
  AddLevel();
  Add(StaticGrid(2), Part(3));
  AddLevel();
  Prepare();
  plan_.entry_launches = 1;
  Region region = {};
  region.capacity = region.records.count = region.reserved = 4;
  regions_.Store(0, region);
  EXPECT_EQ(Step(), (Portions{{0, 3}}));
  EXPECT_EQ(Step(), (Portions{{3, 3}}));
  EXPECT_EQ(Step(), (Portions{{6, 2}}));
  EXPECT_EQ(Step(), Portions(1));
}

// More launches than the kernel has invocations.
TEST_F(StepKernelTest, ManyLaunches) {
  constexpr uint32_t kLaunches = 1000;
  AddLevel();
  constexpr uint32_t kRoom = 1300;  // workgroups
  AddRoot(1, Part(1));
  for (uint32_t i = 1; i <= kLaunches; ++i) Open(i, 8);
  AddLevel();
  for (uint32_t i = 1; i <= kLaunches; ++i) Add(i % 3 == 0 ? DynamicGrid() : StaticGrid(1 + i % 2), Part(kRoom));
  Prepare();
  Step();
  for (uint32_t i = 1; i <= kLaunches; ++i) Fill(i, i % 4, {1, 0, 2});
  std::vector<Portion> expected(kLaunches + 1);
  uint32_t left = kRoom;
  for (uint32_t i = 1; i <= kLaunches; ++i) {
    const uint32_t records = i % 4;
    const uint32_t workgroups = i % 3 == 0 ? std::array<uint32_t, 4>{0, 1, 1, 3}[records] : records * (1 + i % 2);
    const uint32_t portion = std::min(workgroups, left);
    if (portion != 0) expected[i] = {0, portion};
    left -= portion;
  }
  ASSERT_EQ(left, 0u);
  EXPECT_EQ(Step(), expected);
}

// Records of which not all workgroups have run: `portion` workgroups of the launch have.
class LeftStepKernelTest : public StepKernelTest {
 protected:
  void ExpectLeft(const LaunchPlan& launch, uint32_t portion, const std::vector<uint32_t>& grids, uint32_t left) {
    AddLevel();
    AddRoot(9, Part(1));
    Open(1, 100);
    AddLevel();
    Add(launch, Part(portion));
    Prepare();
    Step();
    Fill(1, static_cast<uint32_t>(grids.size()), grids);
    Step();
    std::memset(arguments_.host, 0xab, arguments_.size);
    ExpectReports(Finish(), {Left(0, 0, 8), Left(1, 1, left), Steps(2)});
    EXPECT_EQ(Read<uint32_t>(arguments_), kUntouched) << "nothing runs any more";
  }
};

TEST_F(LeftStepKernelTest, OfAStaticGrid) { ExpectLeft(StaticGrid(3), 10, std::vector<uint32_t>(5), 2); }
TEST_F(LeftStepKernelTest, OfACoalescingLaunch) { ExpectLeft(Coalescing(8), 2, std::vector<uint32_t>(30), 14); }
TEST_F(LeftStepKernelTest, OfGridsFromRecords) { ExpectLeft(DynamicGrid(), 6, {2, 0, 4, 0, 0, 5, 1}, 2); }

// Limits of 12 workgroups a slice.
class SlicedStepKernelTest : public StepKernelTest {
 protected:
  void SetUp() override {
    StepKernelTest::SetUp();
    limits_.max_workgroups_x = 4;
    limits_.max_workgroups_y = 3;
  }
  void SetUpAgain() {
    launches_.clear();
    openings_.clear();
    levels_.clear();
    ring_used_ = 0;
  }
  void AddReader(const LaunchPlan& plan, uint32_t load) {
    AddLevel();
    AddRoot(1, Part(1));
    Open(1, 100);
    AddLevel();
    Add(plan, load);
    Prepare();
    EXPECT_EQ(Step(), (Portions{{0, 1}, {}}));
  }
  // `first`, `end`: records of the slice.
  void ExpectStep(uint32_t first, uint32_t end, Portion portion) {
    EXPECT_EQ(Step(), (Portions{{}, portion}));
    const auto input = Read<LaunchInput>(inputs_, 1);
    EXPECT_EQ(input.records.first, first);
    EXPECT_EQ(input.records.count, end);
  }
  const std::vector<uint32_t> kGrids = {5, 4, 0, 9, 2, 1, 12, 0, 3};
};

TEST_F(SlicedStepKernelTest, PortionsOfGridsFromRecords) {
  AddReader(DynamicGrid(), Part(5));
  Fill(1, 9, kGrids);
  ExpectStep(0, 3, {0, 5});
  ExpectStep(0, 3, {5, 4});
  ExpectStep(3, 6, {0, 5});
  ExpectStep(3, 6, {5, 5});
  ExpectStep(3, 6, {10, 2});
  ExpectStep(6, 8, {0, 5});
  ExpectStep(6, 8, {5, 5});
  ExpectStep(6, 8, {10, 2});
  ExpectStep(8, 9, {0, 3});
  EXPECT_EQ(Step(), Portions(2));
  std::array<uint32_t, 9> record_state = {};
  const auto input = Read<LaunchInput>(inputs_, 1);
  std::memcpy(record_state.data(), ring_.host + (input.record_state - ring_.address), sizeof(record_state));
  EXPECT_EQ(record_state, (std::array<uint32_t, 9>{0, 5, 9, 0, 9, 11, 0, 12, 0}));
  EXPECT_EQ(Read<uint32_t>(tables_, kTableWords - 1), kUntouched) << "the table of another launch";
  ExpectReports(Finish(), {Steps(10)});
}

TEST_F(SlicedStepKernelTest, PortionsOfStaticGrids) {
  AddReader(StaticGrid(5), Part(7));
  Fill(1, 5);
  ExpectStep(0, 2, {0, 7});
  ExpectStep(0, 2, {7, 3});
  ExpectStep(2, 4, {0, 7});
  ExpectStep(2, 4, {7, 3});
  ExpectStep(4, 5, {0, 5});
  EXPECT_EQ(Step(), Portions(2));
  ExpectReports(Finish(), {Steps(6)});
}

// All slices at once.
TEST_F(SlicedStepKernelTest, LaunchesThatSendNothingRunWhole) {
  for (const LaunchPlan& plan : {DynamicGrid(), StaticGrid(6)}) {
    SetUpAgain();
    AddReader(plan, 0);
    Fill(1, 9, kGrids);
    ExpectStep(0, 9, {0, 12});
    const auto arguments = Read<DispatchArguments>(arguments_, 1);
    EXPECT_EQ(arguments.z, plan.kind == shared::kLaunchStaticGrid ? 5u : 4u);
    EXPECT_EQ(Step(), Portions(2));
    ExpectReports(Finish(), {Steps(2)});
  }
  std::array<uint32_t, 10> table = {};
  SetUpAgain();
  AddReader(DynamicGrid(), 0);
  Fill(1, 9, kGrids);
  Step();
  std::memcpy(table.data(), tables_.host + kTableWords * sizeof(uint32_t), sizeof(table));
  EXPECT_EQ(table, (std::array<uint32_t, 10>{0, 9, 3, 12, 6, 12, 8, 3, 9, 0}));
}

// A root of the host, whose slices stand in plan memory; the recording executes twice.
TEST_F(SlicedStepKernelTest, Roots) {
  LaunchInput input = {};
  input.records = shared::DenseRecords(4096, kStride, 9);
  input.record_state = 8192;
  input.workgroup_count = 12;
  input.slices = 4;
  input.search_index = Memory(std::vector<uint32_t>{0, 9, 3, 12, 6, 12, 8, 3, 9, 0}).address;
  const uint64_t root = Memory(std::vector{input}).address;
  AddLevel();
  launches_[Add(DynamicGrid(), Part(7))].root = root;
  launches_[Add(DynamicGrid(), 0)].root = root;
  AddLevel();
  for (uint32_t execution = 0; execution < 2; ++execution) {
    Prepare();
    EXPECT_EQ(Step(), (Portions{{0, 7}, {0, 12}}));
    EXPECT_EQ(Read<DispatchArguments>(arguments_, 1).z, 4u);
    EXPECT_EQ(Step(), (Portions{{7, 2}, {}}));
    EXPECT_EQ(Step(), (Portions{{0, 7}, {}}));
    EXPECT_EQ(Step(), (Portions{{7, 5}, {}}));
    EXPECT_EQ(Step(), (Portions{{0, 7}, {}}));
    EXPECT_EQ(Step(), (Portions{{7, 5}, {}}));
    EXPECT_EQ(Step(), (Portions{{0, 3}, {}}));
    EXPECT_EQ(Step(), Portions(2));
  }
}

// Of the slice that has begun, and of those that wait.
TEST_F(SlicedStepKernelTest, RecordsThatAreLeft) {
  for (const uint32_t steps : {0u, 1u, 2u, 3u, 4u, 5u}) {
    SetUpAgain();
    AddReader(DynamicGrid(), Part(5));
    Fill(1, 9, kGrids);
    for (uint32_t i = 0; i < steps; ++i) Step();
    // Those of which not all workgroups have run, or which stand behind the last one that ran.
    constexpr std::array<uint32_t, 6> kLeft = {9, 8, 6, 6, 5, 3};
    ExpectReports(Finish(), {Left(1, 1, kLeft[steps]), Steps(1 + steps)});
  }
}

// What the last step sent has not been sized when the steps run out.
TEST_F(StepKernelTest, WhatTheLastStepSentIsLeft) {
  AddLevel();
  AddRoot(2, Part(2));
  Open(1, 100);
  AddLevel();
  Add(StaticGrid(3), Part(10));
  Prepare();
  plan_.reported_steps = 0;
  Step();
  Fill(1, 12);
  ExpectReports(Finish(), {Left(1, 1, 12)});
}

}  // namespace
}  // namespace trellis::test
