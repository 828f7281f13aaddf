// Bounded mode (layer/graph/step_schedule.h): when a dispatch runs in steps, and what the steps read.
#include <algorithm>
#include <span>
#include <vector>

#include "layer/graph/saturating.h"
#include "layer/replay/level_planner.h"

namespace trellis {
namespace {

// Where nobody said how many steps may be recorded: most dispatches in all of them. A bound that takes more is none
// that anybody would wait for, mostly one of recursion or of grids from records, and what runs stays far below it.
constexpr uint64_t kMostStepDispatches = 1 << 14;

// Whatever the setting says: no command buffer holds more.
constexpr uint64_t kMostRecordedSteps = 1 << 24;

// Whether launches behind level 0 send as much as grids without a bound let them.
bool HasOpenGrids(const Graph& graph, const LevelSchedule& schedule) {
  const std::span<const Launch> later = std::span(schedule.launches).subspan(schedule.launch_begin[1]);
  return std::any_of(later.begin(), later.end(), [&graph](Launch launch) {
    const spirv::NodeInfo& info = graph.NodeOf(launch.slot).info;
    const bool is_open = info.kind == spirv::LaunchKind::kDynamicGrid &&
                         std::find(info.grid.begin(), info.grid.end(), 0u) != info.grid.end();
    return is_open && !graph.slots[launch.slot].edges.empty();
  });
}

}  // namespace

std::optional<StepSchedule> LevelPlanner::StepsIfTheyAreFew(const GraphPlan& memory, std::span<const RootCount> counts,
                                                            uint64_t reserved) const {
  if (scratch_.step_levels == 0) return std::nullopt;
  // Portions must fit whichever nodes of an array they go to. Where all of it fits if it is spread, that takes many
  // steps for what hardly ever happens.
  if (environment_.max_rounds == 0 && (memory.fits_spread || HasOpenGrids(graph_, *schedule_))) return std::nullopt;
  StepLimits limits;
  limits.ring_bytes = environment_.ring_budget - std::min(reserved, environment_.ring_budget / 2);
  limits.max_workgroups = MostWorkgroups(environment_.limits);
  limits.max_grid_workgroups = environment_.limits.max_grid_workgroups;
  std::optional<StepSchedule> steps = ScheduleSteps(graph_, *schedule_, counts, limits);
  if (!steps) return std::nullopt;
  if (environment_.max_rounds == 0) {
    const uint64_t dispatches_of_step = 1 + schedule_->launches.size();
    if (SaturatingMultiply(steps->steps, dispatches_of_step) > kMostStepDispatches) return std::nullopt;
  } else {
    steps->steps =
        std::min({steps->steps, uint64_t{environment_.max_rounds} + schedule_->level_count(), kMostRecordedSteps});
  }
  return steps;
}

Expected<void> LevelPlanner::PlanSteps(std::span<const VkDeviceAddress> root_inputs) {
  std::vector<shared::StepLaunch> launches;
  for (uint32_t level = 0; level < schedule_->level_count(); ++level)
    if (Expected<void> done = PlanStepLevel(level, root_inputs, launches); !done) return done;

  shared::StepPlan step = {};
  step.totals = environment_.scratch + scratch_.totals;
  step.state = environment_.scratch + scratch_.steps;
  step.launch_count = static_cast<uint32_t>(launches.size());
  if (environment_.reports_steps) step.reported_steps = static_cast<uint32_t>(steps_->steps);
  step.entry_launches = root_inputs.empty() ? schedule_->launch_begin[1] : 0;
  const std::vector<shared::StepTurn> turns = DescribeTurns();
  if (Expected<void> done = Upload(CommonClosePlan(), step.close); !done) return done;
  if (Expected<void> done = Upload(std::span<const shared::StepLaunch>(launches), step.launches); !done) return done;
  if (Expected<void> done = Upload(std::span<const shared::StepTurn>(turns), step.turns); !done) return done;
  const std::span<const shared::RegionPlan> openings = steps_->openings;
  if (Expected<void> done = Upload(openings, step.openings); !done) return done;
  return UploadStepPlans(step);
}

Expected<void> LevelPlanner::PlanStepLevel(uint32_t level, std::span<const VkDeviceAddress> root_inputs,
                                           std::vector<shared::StepLaunch>& launches) {
  LevelPlan& planned = plan_.levels.emplace_back();
  uint32_t notes = 0;
  for (const Launch launch : schedule_->launches_of(level)) {
    const auto position = static_cast<uint32_t>(launches.size());
    shared::LaunchPlan described = DescribeNext(launch, notes);
    described.position = position;
    shared::StepLaunch& step = launches.emplace_back();
    step.launch = described;
    step.region = scratch_.region(level, launch.input);
    if (position < root_inputs.size()) step.root = root_inputs[position];
    step.level = level;
    step.turn = steps_->turn_of[position];
    step.quota = steps_->quotas[position];

    NodeLaunch& node = planned.launches.emplace_back();
    node.node = graph_.slots[launch.slot].node;
    node.launch = launch;
    node.arguments = scratch_.argument(position);
    const VkDeviceAddress input = environment_.scratch + scratch_.input(position);
    if (Expected<void> done = UploadBlock(level, described, input, false, node.block); !done) return done;
  }
  return {};
}

std::vector<shared::StepTurn> LevelPlanner::DescribeTurns() const {
  std::vector<shared::StepTurn> turns;
  for (size_t i = 0; i < steps_->turns.size(); ++i) {
    const StepTurn& turn = steps_->turns[i];
    const auto openings = static_cast<uint32_t>(steps_->openings_of(i).size());
    shared::StepTurn& described = turns.emplace_back();
    described.opening_begin = turn.opening_begin;
    described.opening_end = turn.opening_begin + openings;
    if (turn.level + 1 == schedule_->level_count()) continue;
    described.consumer_begin = schedule_->launch_begin[turn.level + 1];
    described.consumer_end = schedule_->launch_begin[turn.level + 2];
  }
  return turns;
}

Expected<void> LevelPlanner::UploadStepPlans(shared::StepPlan step) {
  StepPasses& passes = plan_.steps.emplace();
  passes.count = static_cast<uint32_t>(steps_->steps);
  step.phase = shared::kFirstStep;
  if (Expected<void> done = Upload(step, passes.first); !done) return done;
  step.phase = shared::kLaterStep;
  if (Expected<void> done = Upload(step, passes.later); !done) return done;
  step.phase = shared::kAfterSteps;
  return Upload(step, passes.after);
}

}  // namespace trellis
