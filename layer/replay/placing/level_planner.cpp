// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/placing/level_planner.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "layer/replay/placing/plan_counts.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/report_data.h"

namespace trellis {
namespace {

// Regions that the begin kernel's one workgroup opens itself, before a second dispatch is worth its barrier.
constexpr uint32_t kMaxOpeningsOfBegin = 4 * shared::kLevelsWorkgroup;
void SetSize(KernelCall& call, DispatchSize size) {
  call.x = size.x;
  call.y = size.y;
}

}  // namespace

Expected<void> LevelPlanner::Run() {
  plan_.counted = counted_;
  plan_.ring_bytes = placement_.ring_bytes;
  if (environment_.counts) plan_.counts = std::make_shared<PlanCounts>();
  if (placement_.ring != 0)
    if (Expected<void> done = PrepareRegions(); !done) return done;
  if (Expected<void> done = steps() ? PlanSteps() : PlanLevels(); !done) return done;
  if (!NeedsBegin()) return {};
  if (Expected<void> done = plan_.prepared ? PlanPreparing() : PlanBegin(); !done) return done;
  return PlanEnd();
}

Expected<void> LevelPlanner::PlanLevels() {
  if (placement_.brings_roots) plan_.AddLevel();
  for (auto level = static_cast<uint32_t>(plan_.levels.size()); level < schedule().level_count(); ++level)
    if (Expected<void> done = PlanLevel(level); !done) return done;
  return {};
}

NodeLaunch& LevelPlanner::AddLaunch(const RelocatableLaunch& launch) {
  NodeLaunch& added = InfoOf(launch.launch).IsMesh() ? plan_.draws.emplace_back() : plan_.AddLaunch();
  return added = LaunchOf(launch);
}

Expected<void> LevelPlanner::PlanLevel(uint32_t level) {
  const RelocatableLevel& counted = counted_->levels[level];
  plan_.AddLevel();
  for (const RelocatableLaunch& launch : counted.single_launches()) {
    Expected<void> done =
        launch.from_region ? PlanFromRegion(level, launch) : PlanFromInput(level, launch, launch.described.position);
    if (!done) return done;
  }
  if (Expected<void> done = PlanBatches(level); !done) return done;
  if (Expected<void> done = PlanDraws(level); !done) return done;
  return counted.sized.empty() && scratch().opens_all_levels ? Expected<void>() : PlanSizing(level);
}

Expected<void> LevelPlanner::PlanFromInput(uint32_t level, const RelocatableLaunch& launch, uint32_t position) {
  NodeLaunch& node = AddLaunch(launch);
  node.arguments = scratch().argument(position);
  const VkDeviceAddress input = environment_.scratch + scratch().input(position);
  return UploadBlock(level, launch.described, input, false, node.block);
}

Expected<void> LevelPlanner::PlanFromRegion(uint32_t level, const RelocatableLaunch& launch) {
  for (uint32_t set = 0; set < SetsOf(level); ++set) {
    NodeLaunch& node = AddLaunch(launch);
    TakeArguments(level, set, launch, node);
    const VkDeviceAddress region = RegionAddress(level, set, launch.launch.input);
    if (Expected<void> done = UploadBlock(level, launch.described, region, true, node.block); !done) return done;
  }
  return {};
}

Expected<void> LevelPlanner::PlanDraws(uint32_t level) {
  for (const RelocatableLaunch& launch : counted_->levels[level].draws) {
    if (launch.from_region)
      if (Expected<void> done = PlanFromRegion(level, launch); !done) return done;
    for (uint32_t draw = 0; draw < launch.described.draws; ++draw)
      if (Expected<void> done = PlanFromInput(level, launch, launch.described.first_draw + draw); !done) return done;
  }
  return {};
}

shared::SizingPlan LevelPlanner::CommonSizingPlan() const {
  shared::SizingPlan sizing = {};
  sizing.control = ControlAddress();
  sizing.inputs = environment_.scratch + scratch().inputs;
  sizing.arguments = environment_.scratch + scratch().arguments;
  sizing.sums = environment_.scratch + scratch().sums;
  sizing.search_index = environment_.scratch + scratch().search_index;
  sizing.slices = environment_.scratch + scratch().slices;
  sizing.regions = environment_.scratch + scratch().regions;
  sizing.reports = environment_.device_reports;
  sizing.origin = Origin();
  sizing.heap_slot = shared::kNoSlot;
  sizing.max_workgroups_x = environment_.limits.max_workgroups_x;
  sizing.max_workgroups_y = environment_.limits.max_workgroups_y;
  sizing.max_grid_workgroups = environment_.limits.max_grid_workgroups;
  const LargestDraw largest_draw(environment_.draw_limits);
  sizing.max_draw_x = largest_draw.x;
  sizing.max_draw_workgroups = largest_draw.workgroups;
  return sizing;
}

Expected<void> LevelPlanner::PlanSizing(uint32_t level) {
  const RelocatableLevel& counted = counted_->levels[level];
  const std::span<const shared::RegionPlan> openings =
      scratch().opens_all_levels ? std::span<const shared::RegionPlan>() : memory().openings_of(level);
  shared::SizingPlan sizing = CommonSizingPlan();
  sizing.sums = environment_.scratch + scratch().level_sums(level);
  sizing.consumed = RegionsConsumedBy(level);
  sizing.parted_count = counted.parted_count;
  sizing.summed_count = counted.summed_count;
  sizing.parts = counted.parts;
  sizing.part_count =
      sizing.parted_count * sizing.parts + static_cast<uint32_t>(counted.sized.size()) - counted.parted_count;
  sizing.opening_count = static_cast<uint32_t>(openings.size());
  sizing.level = level;
  sizing.reports_losses = scratch().opens_all_levels ? 0 : 1;
  // The heap comes last. Where it was not opened its region holds whatever the application left there.
  const bool has_heap = level > 0 && memory().openings_of(level - 1).size() > schedule().level(level).size();
  if (has_heap && sizing.reports_losses != 0) sizing.heap_slot = graph_.HeapSlot();
  if (Expected<void> done = Upload(std::span(counted.sized), sizing.launches); !done) return done;
  if (Expected<void> done = Upload(openings, sizing.openings); !done) return done;

  const uint32_t max_x = environment_.limits.max_workgroups_x;
  SizingPasses& passes =
      counted.sizes_draws_alone ? plan_.late_sizings.emplace_back() : plan_.levels.back().sizing.emplace();
  SetSize(passes.size, SplitIntoRows(sizing.part_count + WorkgroupsToOpen(sizing.opening_count), max_x));
  if (Expected<void> done = Upload(sizing, passes.size.plan); !done || counted.summed_count == 0) return done;
  SetSize(passes.sum.emplace(), SplitIntoRows(sizing.summed_count * sizing.parts, max_x));
  passes.sum->plan = passes.size.plan;
  return {};
}

// A leaf reads nothing but its launch block and input. A node with outputs reads the control block even if no output
// has a target.
bool LevelPlanner::NeedsBegin() const {
  const std::span<const RelocatableLaunch> launches = level_launches(0);
  return plan_.ring_bytes != 0 ||
         std::any_of(launches.begin(), launches.end(),
                     [this](const RelocatableLaunch& launch) { return !InfoOf(launch.launch).outputs.empty(); });
}

Expected<void> LevelPlanner::PlanBegin() {
  const std::span<const shared::RegionPlan> entry_openings = placement_.entry_openings;
  std::span<const shared::RegionPlan> later;
  if (scratch().opens_all_levels) {
    later = memory().openings;
  } else if (entry_openings.empty()) {
    later = memory().openings_of(0);
  }
  if (Expected<void> done = UploadOpenings(entry_openings, later); !done) return done;

  shared::BeginPlan begin = {};
  begin.control = environment_.scratch + scratch().control;
  begin.ring_table = environment_.ring_table;
  begin.ring_bytes = plan_.ring_bytes;
  begin.dump = environment_.scratch + scratch().dump;
  begin.regions = environment_.scratch + scratch().regions;
  begin.openings = openings_;
  begin.opening_count = opening_count_ <= kMaxOpeningsOfBegin ? opening_count_ : 0;
  begin.heap_slot = graph_.HeapSlot();
  begin.reports = environment_.device_reports;
  begin.origin = Origin();
  begin.claims_ring = environment_.claims_ring ? 1 : 0;
  if (Expected<void> done = Upload(begin, plan_.begin.emplace().plan); !done) return done;
  return begin.opening_count == opening_count_ ? Expected<void>() : PlanOpen({});
}

Expected<void> LevelPlanner::UploadOpenings(std::span<const shared::RegionPlan> first,
                                            std::span<const shared::RegionPlan> later) {
  std::vector<shared::RegionPlan> all(first.begin(), first.end());
  all.insert(all.end(), later.begin(), later.end());
  opening_count_ = static_cast<uint32_t>(all.size());
  return Upload(std::span<const shared::RegionPlan>(all), openings_);
}

Expected<void> LevelPlanner::PlanOpen(shared::OpenPlan open) {
  open.control = ControlAddress();
  open.regions = environment_.scratch + scratch().regions;
  open.openings = openings_;
  open.opening_count = opening_count_;
  KernelCall& call = plan_.open.emplace();
  call.x = WorkgroupsToOpen(opening_count_);
  return Upload(open, call.plan);
}

Expected<void> LevelPlanner::PlanEnd() {
  if (environment_.counts && !plan_.steps)
    if (Expected<void> done = PlanCounting(); !done) return done;
  if (Expected<void> done = PlanLosses(); !done) return done;
  if (Expected<void> done = PlanRelease(); !done) return done;
  plan_.reports = MayReport();
  return {};
}

Expected<void> LevelPlanner::PlanLosses() {
  // Where levels take turns with their regions, sizing kernels report.
  const bool reports = opening_count_ != 0 && scratch().opens_all_levels && !CannotLose();
  if (!reports && !plan_.prepared) return {};
  shared::LossPlan losses = {};
  losses.regions = environment_.scratch + scratch().regions;
  losses.openings = openings_;
  losses.reports = environment_.device_reports;
  losses.opening_count = reports ? opening_count_ : 0;
  losses.origin = Origin();
  KernelCall& call = plan_.losses.emplace();
  call.x = WorkgroupsToOpen(losses.opening_count);
  if (plan_.prepared) {
    losses.prepared = RegionsConsumedBy(1);
    losses.prepared_count = reports ? static_cast<uint32_t>(prepared_openings_.size()) : 0;
    losses.dense_parts = DensePartsAddress();
    losses.dense_units = DenseUnits();
    losses.counted = counted_last_;
    call.x = 1 + WorkgroupsToOpen(losses.opening_count - losses.prepared_count);
  }
  return Upload(losses, call.plan);
}

Expected<void> LevelPlanner::PlanCounting() {
  std::vector<shared::RegionPlan> counted(placement_.entry_openings.begin(), placement_.entry_openings.end());
  counted.insert(counted.end(), memory().openings.begin(), memory().openings.end());
  if (counted.empty()) return {};
  Expected<std::shared_ptr<const PlanCounts>> counts = PlanCounts::Create(pipeline_.device, pipeline_.graph, counted);
  if (!counts) return counts.error();
  plan_.counts = *std::move(counts);
  bool is_first = true;
  for (uint32_t level = 0; level < plan_.levels.size(); ++level) {
    shared::CountPlan plan = plan_.counts->PlanOf(level);
    if (plan.region_count == 0) continue;
    plan.consumed = RegionsConsumedBy(level);
    plan.counts_execution = std::exchange(is_first, false) ? 1 : 0;
    // Regions that were prepared are those of the next execution once losses are reported, which does not wait.
    const bool is_last = level + 1 == plan_.levels.size();
    if (plan_.prepared && is_last && plan.dump_count == 0) return Upload(plan, counted_last_);
    plan_.levels[level].copies_payloads = plan.dump_count != 0;
    KernelCall& call = plan_.levels[level].count.emplace();
    call.x = WorkgroupsToOpen(std::max(plan.region_count, plan.dump_count));
    if (Expected<void> done = Upload(plan, call.plan); !done) return done;
  }
  return {};
}

Expected<void> LevelPlanner::PlanRelease() {
  if (plan_.ring_bytes == 0 || !environment_.claims_ring) return {};
  const shared::ReleasePlan release = {environment_.scratch + scratch().control, environment_.ring_table};
  return Upload(release, plan_.release.emplace().plan);
}

// Infos may bring any number of records, and a graph that fails to claim a ring loses everything.
bool LevelPlanner::CannotLose() const { return memory().cannot_lose && !ReadsInfos() && !environment_.claims_ring; }

bool LevelPlanner::MayReport() const {
  const bool sizes = std::any_of(plan_.levels.begin(), plan_.levels.end(),
                                 [](const LevelPlan& level) { return level.sizing.has_value(); });
  // Nodes report what they allocate.
  const bool nodes_report = (plan_.begin || plan_.prepared) && environment_.validates;
  const bool counts = plan_.counts && plan_.counts->address() != 0;
  return (plan_.losses && !CannotLose()) || counts || ReadsInfos() || plan_.steps || sizes ||
         !plan_.late_sizings.empty() || nodes_report;
}

}  // namespace trellis
