#include "layer/replay/level_planner.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "layer/device/advertised_properties.h"
#include "layer/graph/tables.h"

namespace trellis {
namespace {

// Regions that the begin kernel's one workgroup opens itself, before a second dispatch is worth its barrier.
constexpr uint32_t kMostOpeningsOfBegin = 4 * shared::kLevelsWorkgroup;

uint32_t WorkgroupsToOpen(uint32_t regions) {
  return (regions + shared::kLevelsWorkgroup - 1) / shared::kLevelsWorkgroup;
}

void SetSize(KernelCall& call, DispatchSize size) {
  call.x = size.x;
  call.y = size.y;
}

}  // namespace

shared::LaunchPlan LevelPlanner::Describe(Launch launch) const {
  return DescribeLaunch(graph_, launch, kMaxExecutionGraphGrid);
}

Expected<void> LevelPlanner::CopyPushConstants() {
  const PipelineLayout& layout = *pipeline_.layout;
  if (!layout.copy_offset) return {};
  std::vector<uint8_t> bytes(layout.application_size);
  const std::span<const uint8_t> pushed = environment_.push_constants;
  std::copy_n(pushed.begin(), std::min(pushed.size(), bytes.size()), bytes.begin());
  return Upload(std::span<const uint8_t>(bytes), plan_.push_constant_copy);
}

void LevelPlanner::PlanLevels(std::span<const uint32_t> slots, std::span<const RootCount> counts, uint64_t reserved) {
  counted_ =
      FindOrMakePlan(pipeline_, {pipeline_.ScheduleFor(slots), {counts.begin(), counts.end()}, reserved}, environment_);
  plan_.labels = counted_;
  if (steps()) scratch_ = scratch_.ForSteps();
}

Expected<void> LevelPlanner::UploadBlock(uint32_t level, const shared::LaunchPlan& described, VkDeviceAddress source,
                                         bool from_region, VkDeviceAddress& address) {
  Expected<PlanSpan> span = arena_.Allocate(BlockBytes(described.identity));
  if (!span) return span.error();
  StoreBlock(level, described, source, from_region, *span, 0);
  address = span->address;
  return {};
}

void LevelPlanner::StoreBlock(uint32_t level, const shared::LaunchPlan& described, VkDeviceAddress source,
                              bool from_region, const PlanSpan& span, uint64_t offset) const {
  const uint32_t slot = described.identity;
  shared::LaunchBlock block = {};
  block.control = environment_.scratch + scratch_.control;
  block.regions = RegionsProducedBy(level);
  block.source = source;
  block.form = from_region ? shared::kFormRegion : shared::kFormInput;
  block.grid_x = described.grid_x;
  block.grid_y = described.grid_y;
  block.grid_z = described.grid_z;
  block.shader_index = graph_.NodeOf(slot).index;
  block.remaining_recursion = graph_.slots[slot].remaining_recursion;
  span.Store(offset, block);
  span.Store(offset + sizeof(block), std::span<const shared::NodeOutput>(pipeline_.outputs[slot]));
}

NodeLaunch& LevelPlanner::AddLaunch(const RelocatableLaunch& launch) {
  NodeLaunch& node = plan_.AddLaunch();
  node.node = graph_.slots[launch.launch.slot].node;
  node.launch = launch.launch;
  node.label = &launch.label;
  return node;
}

Expected<void> LevelPlanner::PlanLevel(uint32_t level) {
  const RelocatableLevel& counted = counted_->levels[level];
  plan_.AddLevel();
  for (const RelocatableLaunch& launch : counted.single_launches())
    if (Expected<void> done = PlanSingle(level, launch); !done) return done;
  if (Expected<void> done = PlanBatches(level); !done) return done;
  return counted.closed.empty() && scratch_.opens_all_levels ? Expected<void>() : PlanClose(level);
}

Expected<void> LevelPlanner::PlanSingle(uint32_t level, const RelocatableLaunch& launch) {
  NodeLaunch& node = AddLaunch(launch);
  uint64_t input = scratch_.input(launch.described.position);
  if (launch.from_region) {
    input = scratch_.region_offset(level, launch.launch.input);
    const bool coalescing = launch.described.kind == shared::kLaunchCoalescing;
    node.arguments = input + (coalescing ? offsetof(shared::Region, workgroups) : offsetof(shared::Region, reserved));
  } else {
    node.arguments = scratch_.argument(launch.described.position);
  }
  return UploadBlock(level, launch.described, environment_.scratch + input, launch.from_region, node.block);
}

shared::ClosePlan LevelPlanner::CommonClosePlan() const {
  shared::ClosePlan close = {};
  close.control = environment_.scratch + scratch_.control;
  close.inputs = environment_.scratch + scratch_.inputs;
  close.arguments = environment_.scratch + scratch_.arguments;
  close.sums = environment_.scratch + scratch_.sums;
  close.regions = environment_.scratch + scratch_.regions;
  close.reports = environment_.loss_reports;
  close.origin = environment_.origin;
  close.heap_slot = shared::kNoSlot;
  close.max_workgroups_x = environment_.limits.max_workgroups_x;
  close.max_workgroups_y = environment_.limits.max_workgroups_y;
  close.max_grid_workgroups = environment_.limits.max_grid_workgroups;
  return close;
}

Expected<void> LevelPlanner::PlanClose(uint32_t level) {
  const RelocatableLevel& counted = counted_->levels[level];
  const std::span<const shared::RegionPlan> openings =
      scratch_.opens_all_levels ? std::span<const shared::RegionPlan>() : memory().openings_of(level);
  shared::ClosePlan close = CommonClosePlan();
  close.consumed = RegionsConsumedBy(level);
  close.parted_count = counted.parted_count;
  close.parts = shared::kLevelsWorkgroup;
  close.part_count =
      close.parted_count * close.parts + static_cast<uint32_t>(counted.closed.size()) - counted.parted_count;
  close.opening_count = static_cast<uint32_t>(openings.size());
  close.level = level;
  close.reports_losses = scratch_.opens_all_levels ? 0 : 1;
  // The heap comes last. Where it was not opened its region holds whatever the application left there.
  const bool has_heap = level > 0 && memory().openings_of(level - 1).size() > schedule().level(level).size();
  if (has_heap && close.reports_losses != 0) close.heap_slot = graph_.HeapSlot();
  if (Expected<void> done = Upload(std::span(counted.closed), close.launches); !done) return done;
  if (Expected<void> done = Upload(openings, close.openings); !done) return done;

  const uint32_t max_x = environment_.limits.max_workgroups_x;
  LevelPlan& planned = plan_.levels.back();
  SetSize(planned.close.emplace(), SplitIntoRows(close.part_count + WorkgroupsToOpen(close.opening_count), max_x));
  if (Expected<void> done = Upload(close, planned.close->plan); !done || counted.summed_count == 0) return done;
  shared::ClosePlan sum = close;
  sum.part_count = counted.summed_count * sum.parts;
  SetSize(planned.sum.emplace(), SplitIntoRows(sum.part_count, max_x));
  return Upload(sum, planned.sum->plan);
}

Expected<void> LevelPlanner::PlanBegin(std::span<const shared::RegionPlan> entry_openings) {
  std::span<const shared::RegionPlan> later;
  if (scratch_.opens_all_levels) {
    later = memory().openings;
  } else if (entry_openings.empty()) {
    later = memory().openings_of(0);
  }
  opening_count_ = static_cast<uint32_t>(entry_openings.size() + later.size());
  if (Expected<void> done = UploadJoined<shared::RegionPlan>({entry_openings, later}, openings_); !done) return done;

  shared::BeginPlan begin = {};
  begin.control = environment_.scratch + scratch_.control;
  begin.ring_table = environment_.ring_table;
  begin.ring_bytes = plan_.ring_bytes;
  begin.dump = environment_.scratch + scratch_.dump;
  begin.regions = environment_.scratch + scratch_.regions;
  begin.openings = openings_;
  begin.opening_count = opening_count_ <= kMostOpeningsOfBegin ? opening_count_ : 0;
  begin.heap_slot = graph_.HeapSlot();
  begin.reports = environment_.loss_reports;
  begin.origin = environment_.origin;
  if (Expected<void> done = Upload(begin, plan_.begin.emplace().plan); !done) return done;
  if (begin.opening_count == opening_count_) return {};
  shared::OpenPlan open = {};
  open.control = begin.control;
  open.regions = begin.regions;
  open.openings = openings_;
  open.opening_count = opening_count_;
  KernelCall& call = plan_.open.emplace();
  call.x = WorkgroupsToOpen(opening_count_);
  return Upload(open, call.plan);
}

Expected<void> LevelPlanner::PlanEnd() {
  if (plan_.ring_bytes == 0) return {};
  shared::EndPlan end = {};
  end.control = environment_.scratch + scratch_.control;
  end.ring_table = environment_.ring_table;
  end.regions = environment_.scratch + scratch_.regions;
  end.openings = openings_;
  end.reports = environment_.loss_reports;
  // Where levels take turns with their regions, close kernels have reported.
  end.opening_count = scratch_.opens_all_levels ? opening_count_ : 0;
  end.origin = environment_.origin;
  KernelCall& call = plan_.end.emplace();
  call.x = std::max(WorkgroupsToOpen(end.opening_count), 1u);
  return Upload(end, call.plan);
}

}  // namespace trellis
