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

// A region with room for so many records that notes about them may be worth many workgroups, and another dispatch.
constexpr uint32_t kManyRecords = 1 << 14;

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
  schedule_ = pipeline_.ScheduleFor(slots);
  const std::shared_ptr<MemoryPlans> plans = MemoryPlans::Of(pipeline_);
  MemoryPlans::Key key = {schedule_, {counts.begin(), counts.end()}, reserved};
  std::shared_ptr<const RingUse> use = plans->Find(key);
  if (!use) {
    use = std::make_shared<const RingUse>(PlanRing(counts, reserved));
    plans->Keep(std::move(key), use);
  }
  memory_ = use->memory;
  steps_ = use->steps;
  if (steps_) scratch_ = scratch_.ForSteps();
}

RingUse LevelPlanner::PlanRing(std::span<const RootCount> counts, uint64_t reserved) const {
  MemoryLimits limits;
  limits.half_bytes = environment_.ring_budget / 2;
  limits.max_workgroups = MostWorkgroups(environment_.limits);
  limits.max_grid_workgroups = environment_.limits.max_grid_workgroups;
  RingUse use;
  use.memory = PlanMemory(graph_, *schedule_, counts, limits);
  if (!use.memory.bounded) use.steps = StepsIfTheyAreFew(use.memory, counts, reserved);
  const ScratchLayout scratch = use.steps ? scratch_.ForSteps() : scratch_;
  const auto place = [&scratch](shared::RegionPlan& opening) {
    opening.region = scratch.region(opening.level, opening.slot);
  };
  if (use.steps) {
    std::for_each(use.steps->openings.begin(), use.steps->openings.end(), place);
    use.memory = {};
    use.memory.openings = use.steps->FirstOpenings();
    use.memory.half_bytes[0] = use.steps->ring_bytes;
  }
  std::for_each(use.memory.openings.begin(), use.memory.openings.end(), place);
  return use;
}

Expected<void> LevelPlanner::UploadBlock(uint32_t level, const shared::LaunchPlan& described, VkDeviceAddress source,
                                         bool from_region, VkDeviceAddress& address) {
  const uint32_t slot = described.identity;
  shared::LaunchBlock block = {};
  block.control = environment_.scratch + scratch_.control;
  block.regions = RegionsProducedBy(level);
  block.source = source;
  block.from_region = from_region ? 1 : 0;
  block.grid_x = described.grid_x;
  block.grid_y = described.grid_y;
  block.grid_z = described.grid_z;
  block.shader_index = graph_.NodeOf(slot).index;
  block.remaining_recursion = graph_.slots[slot].remaining_recursion;
  const std::vector<shared::NodeOutput>& outputs = pipeline_.outputs[slot];
  Expected<PlanSpan> span = arena_.Allocate(sizeof(block) + outputs.size() * sizeof(shared::NodeOutput));
  if (!span) return span.error();
  span->Store(0, block);
  for (size_t i = 0; i < outputs.size(); ++i) span->Store(sizeof(block) + i * sizeof(outputs[i]), outputs[i]);
  address = span->address;
  return {};
}

// Regions that level 0 consumes are sized on the device, too late for this; and regions that are opened between levels
// make a close kernel stand there anyway.
bool LevelPlanner::IsFromRegion(uint32_t level, Launch launch, const shared::LaunchPlan& described) {
  if (level == 0 || !scratch_.opens_all_levels || launch.slot != launch.input) return false;
  return LaunchFromRegion(described, environment_.limits, memory_.opening_of(level, launch.input));
}

shared::LaunchPlan LevelPlanner::DescribeNext(Launch launch, uint32_t& notes) const {
  // Launches of one region stand together, the slot's own first.
  if (launch.slot == launch.input) notes = 0;
  shared::LaunchPlan described = Describe(launch);
  described.notes_before = notes;
  notes += described.note_words;
  return described;
}

Expected<void> LevelPlanner::PlanLevel(uint32_t level) {
  LevelPlan& planned = plan_.levels.emplace_back();
  ClosedLaunches closed;
  uint32_t notes = 0;
  for (const Launch launch : schedule_->launches_of(level)) {
    shared::LaunchPlan described = DescribeNext(launch, notes);
    NodeLaunch& node = planned.launches.emplace_back();
    node.node = graph_.slots[launch.slot].node;
    node.launch = launch;
    const bool from_region = IsFromRegion(level, launch, described);
    described.position = closed.count();
    uint64_t input = scratch_.input(described.position);
    if (from_region) {
      input = scratch_.region_offset(level, launch.input);
      const bool coalescing = described.kind == shared::kLaunchCoalescing;
      node.arguments = input + (coalescing ? offsetof(shared::Region, workgroups) : offsetof(shared::Region, reserved));
    } else {
      node.arguments = scratch_.argument(described.position);
      AddClosed(level, described, closed);
    }
    if (Expected<void> done = UploadBlock(level, described, environment_.scratch + input, from_region, node.block);
        !done)
      return done;
  }
  return closed.count() == 0 && scratch_.opens_all_levels ? Expected<void>() : PlanClose(level, closed);
}

void LevelPlanner::AddClosed(uint32_t level, const shared::LaunchPlan& launch, ClosedLaunches& closed) {
  // What infos on the device bring is not known.
  const bool may_be_many = level == 0 || memory_.opening_of(level, launch.slot).capacity >= kManyRecords;
  if (launch.note_words == shared::kNoNotes || !may_be_many) return closed.whole.push_back(launch);
  (launch.kind == shared::kLaunchDynamicGrid ? closed.summed : closed.parted).push_back(launch);
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

Expected<void> LevelPlanner::PlanClose(uint32_t level, const ClosedLaunches& closed) {
  const std::span<const shared::RegionPlan> openings =
      scratch_.opens_all_levels ? std::span<const shared::RegionPlan>() : memory_.openings_of(level);
  shared::ClosePlan close = CommonClosePlan();
  close.consumed = RegionsConsumedBy(level);
  close.parted_count = static_cast<uint32_t>(closed.summed.size() + closed.parted.size());
  close.parts = shared::kLevelsWorkgroup;
  close.part_count = close.parted_count * close.parts + static_cast<uint32_t>(closed.whole.size());
  close.opening_count = static_cast<uint32_t>(openings.size());
  close.level = level;
  close.reports_losses = scratch_.opens_all_levels ? 0 : 1;
  // The heap comes last. Where it was not opened its region holds whatever the application left there.
  const bool has_heap = level > 0 && memory_.openings_of(level - 1).size() > schedule_->level(level).size();
  if (has_heap && close.reports_losses != 0) close.heap_slot = graph_.HeapSlot();
  if (Expected<void> done =
          UploadJoined<shared::LaunchPlan>({closed.summed, closed.parted, closed.whole}, close.launches);
      !done)
    return done;
  if (Expected<void> done = Upload(openings, close.openings); !done) return done;

  const uint32_t max_x = environment_.limits.max_workgroups_x;
  LevelPlan& planned = plan_.levels.back();
  SetSize(planned.close.emplace(), SplitIntoRows(close.part_count + WorkgroupsToOpen(close.opening_count), max_x));
  if (Expected<void> done = Upload(close, planned.close->plan); !done || closed.summed.empty()) return done;
  shared::ClosePlan sum = close;
  sum.part_count = static_cast<uint32_t>(closed.summed.size()) * sum.parts;
  SetSize(planned.sum.emplace(), SplitIntoRows(sum.part_count, max_x));
  return Upload(sum, planned.sum->plan);
}

Expected<void> LevelPlanner::PlanBegin(std::span<const shared::RegionPlan> entry_openings) {
  std::span<const shared::RegionPlan> later;
  if (scratch_.opens_all_levels) {
    later = memory_.openings;
  } else if (entry_openings.empty()) {
    later = memory_.openings_of(0);
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
