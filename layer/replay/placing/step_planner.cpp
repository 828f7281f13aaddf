// SPDX-License-Identifier: Apache-2.0
// Bounded mode (layer/graph/step_schedule.h): what the steps read.
#include <algorithm>
#include <span>
#include <vector>

#include "layer/replay/placing/level_planner.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/step_plan.h"

namespace trellis {
namespace {

// Dispatches and draws, by position.
std::vector<const RelocatableLaunch*> LaunchesOf(const RelocatableLevel& level) {
  std::vector<const RelocatableLaunch*> launches;
  launches.reserve(level.launches.size() + level.draws.size());
  for (const RelocatableLaunch& launch : level.launches) launches.push_back(&launch);
  for (const RelocatableLaunch& draw : level.draws) launches.push_back(&draw);
  std::sort(launches.begin(), launches.end(), [](const RelocatableLaunch* a, const RelocatableLaunch* b) {
    return a->described.position < b->described.position;
  });
  return launches;
}

}  // namespace

Expected<void> LevelPlanner::PlanSteps() {
  std::vector<shared::StepLaunch> launches;
  std::vector<shared::StepLevel> levels;
  for (uint32_t level = 0; level < schedule().level_count(); ++level) {
    if (Expected<void> done = PlanStepLevel(level, launches); !done) return done;
    levels.push_back({schedule().launch_begin[level], schedule().launch_begin[level + 1], memory().opening_begin[level],
                      memory().opening_begin[level + 1]});
  }

  shared::StepPlan step = {};
  step.totals = environment_.scratch + scratch().workgroup_counts;
  step.state = environment_.scratch + scratch().steps;
  step.launch_count = static_cast<uint32_t>(launches.size());
  if (environment_.reports_steps) step.reported_steps = static_cast<uint32_t>(steps()->steps);
  step.entry_launches = placement_.root_inputs.empty() ? schedule().launch_begin[1] : 0;
  step.level_count = static_cast<uint32_t>(levels.size());
  if (Expected<void> done = Upload(CommonSizingPlan(), step.sizing); !done) return done;
  if (Expected<void> done = Upload(std::span<const shared::StepLaunch>(launches), step.launches); !done) return done;
  if (Expected<void> done = Upload(std::span<const shared::StepLevel>(levels), step.levels); !done) return done;
  if (Expected<void> done = Upload(std::span<const shared::RegionPlan>(memory().openings), step.openings); !done)
    return done;
  return UploadStepPlans(step);
}

Expected<void> LevelPlanner::PlanStepLevel(uint32_t level, std::vector<shared::StepLaunch>& launches) {
  const std::span<const VkDeviceAddress> root_inputs = placement_.root_inputs;
  // The dispatch itself has the draws of its roots.
  const bool brings_draws = level == 0 && !root_inputs.empty();
  plan_.AddLevel();
  for (const RelocatableLaunch* launch : LaunchesOf(counted_->levels[level])) {
    const uint32_t position = launch->described.position;
    const bool is_drawn = launch->described.draws != 0;
    shared::StepLaunch& step = launches.emplace_back();
    step.launch = launch->described;
    if (brings_draws) step.launch.draws = 0;
    step.region = scratch().region(level, launch->launch.input);
    if (position < root_inputs.size()) step.root = root_inputs[position];
    step.level = level;
    step.pool = scratch().region(level, graph_.HeapSlot());
    step.load = steps()->loads[position];
    if (is_drawn) continue;
    if (Expected<void> done = PlanFromInput(level, *launch, position); !done) return done;
  }
  return brings_draws ? Expected<void>() : PlanDraws(level);
}

Expected<void> LevelPlanner::UploadStepPlans(shared::StepPlan step) {
  StepPasses& passes = plan_.steps.emplace();
  passes.count = static_cast<uint32_t>(steps()->steps);
  step.phase = shared::kFirstStep;
  if (Expected<void> done = Upload(step, passes.first); !done) return done;
  step.phase = shared::kLaterStep;
  if (Expected<void> done = Upload(step, passes.later); !done) return done;
  step.phase = shared::kAfterSteps;
  return Upload(step, passes.after);
}

}  // namespace trellis
