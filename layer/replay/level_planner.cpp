#include "layer/replay/level_planner.h"

#include <algorithm>
#include <array>
#include <vector>

#include "layer/device/advertised_properties.h"
#include "layer/graph/tables.h"

namespace trellis {
namespace {

constexpr std::array<uint32_t, 3> kMaxGrid = {kMaxExecutionGraphWorkgroupCount, kMaxExecutionGraphWorkgroupCount,
                                              kMaxExecutionGraphWorkgroupCount};

}  // namespace

shared::LaunchPlan LevelPlanner::Describe(Launch launch) const {
  return DescribeLaunch(graph_, launch, pipeline_.outputs_address[launch.slot], kMaxGrid);
}

Expected<void> LevelPlanner::CopyPushConstants() {
  const PipelineLayout& layout = *pipeline_.layout;
  if (!layout.copy_offset) return {};
  std::vector<uint8_t> bytes(layout.application_size);
  const std::span<const uint8_t> pushed = environment_.push_constants;
  std::copy_n(pushed.begin(), std::min(pushed.size(), bytes.size()), bytes.begin());
  return Upload(std::span<const uint8_t>(bytes), plan_.push_constant_copy);
}

void LevelPlanner::PlanLevels(std::span<const uint32_t> slots, std::span<const RootCount> counts) {
  schedule_ = pipeline_.ScheduleFor(slots);
  MemoryLimits limits;
  limits.half_bytes = environment_.ring_budget / 2;
  limits.max_workgroups = uint64_t{environment_.limits.max_workgroups_x} * environment_.limits.max_workgroups_y;
  limits.max_grid_workgroups = environment_.limits.max_grid_workgroups;
  memory_ = PlanMemory(graph_, *schedule_, counts, limits);
}

Expected<void> LevelPlanner::PlanBegin(VkDeviceAddress regions, std::span<const shared::RegionPlan> openings) {
  shared::BeginPlan begin = {};
  begin.control = environment_.scratch + scratch_.control;
  begin.ring_table = environment_.ring_table;
  begin.ring_bytes = plan_.ring_bytes;
  begin.dump = environment_.scratch + scratch_.dump;
  begin.regions = regions;
  begin.heap_slot = graph_.HeapSlot();
  begin.opening_count = static_cast<uint32_t>(openings.size());
  if (Expected<void> done = Upload(openings, begin.openings); !done) return done;
  return Upload(begin, plan_.begin.emplace().plan);
}

Expected<void> LevelPlanner::PlanLevel(uint32_t level) {
  const std::span<const Launch> launches = schedule_->launches_of(level);
  const bool last = level + 1 == schedule_->level_count();
  const std::span<const shared::RegionPlan> produced =
      last ? std::span<const shared::RegionPlan>() : memory_.openings_of(level);

  LevelPlan& planned = plan_.levels.emplace_back();
  std::vector<shared::LaunchPlan> launch_plans;
  uint32_t notes_before = 0;
  for (uint32_t i = 0; i < launches.size(); ++i) {
    shared::LaunchPlan& launch = launch_plans.emplace_back(Describe(launches[i]));
    // Launches of one region stand together.
    if (i == 0 || launches[i - 1].input != launches[i].input) notes_before = 0;
    launch.notes_before = notes_before;
    notes_before += launch.note_words;
    NodeLaunch node;
    node.node = graph_.slots[launches[i].slot].node;
    node.launch = launches[i];
    node.block = environment_.scratch + scratch_.block(i);
    node.arguments = scratch_.argument(i);
    planned.launches.push_back(node);
  }

  shared::ClosePlan close = {};
  close.control = environment_.scratch + scratch_.control;
  close.blocks = environment_.scratch + scratch_.blocks;
  close.arguments = environment_.scratch + scratch_.arguments;
  close.consumed = RegionsConsumedBy(level);
  close.produced = RegionsProducedBy(level);
  close.reports = environment_.loss_reports;
  close.launch_count = static_cast<uint32_t>(launches.size());
  close.opening_count = static_cast<uint32_t>(produced.size());
  close.graph = pipeline_.id;
  close.level = level;
  // The heap comes last. Where it was not opened its region holds whatever the application left there.
  const bool has_heap = level > 0 && memory_.openings_of(level - 1).size() > schedule_->level(level).size();
  close.heap_slot = has_heap ? graph_.HeapSlot() : shared::kNoSlot;
  close.max_workgroups_x = environment_.limits.max_workgroups_x;
  close.max_workgroups_y = environment_.limits.max_workgroups_y;
  close.max_grid_workgroups = environment_.limits.max_grid_workgroups;
  if (Expected<void> done = Upload(std::span<const shared::LaunchPlan>(launch_plans), close.launches); !done)
    return done;
  if (Expected<void> done = Upload(produced, close.openings); !done) return done;

  KernelCall& call = planned.close.emplace();
  const uint32_t opening_workgroups =
      (close.opening_count + shared::kCloseLevelWorkgroup - 1) / shared::kCloseLevelWorkgroup;
  const DispatchSize size =
      SplitIntoRows(close.launch_count + opening_workgroups, environment_.limits.max_workgroups_x);
  call.x = size.x;
  call.y = size.y;
  return Upload(close, call.plan);
}

Expected<void> LevelPlanner::PlanEnd() {
  if (plan_.ring_bytes == 0) return {};
  shared::EndPlan end = {};
  end.control = environment_.scratch + scratch_.control;
  end.ring_table = environment_.ring_table;
  return Upload(end, plan_.end.emplace().plan);
}

}  // namespace trellis
