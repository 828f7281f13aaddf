// Bounded mode (layer/graph/step_schedule.h): what the steps read.
#include <span>
#include <vector>

#include "layer/replay/level_planner.h"

namespace trellis {

Expected<void> LevelPlanner::PlanSteps() {
  std::vector<shared::StepLaunch> launches;
  for (uint32_t level = 0; level < schedule().level_count(); ++level)
    if (Expected<void> done = PlanStepLevel(level, launches); !done) return done;

  shared::StepPlan step = {};
  step.totals = environment_.scratch + scratch().totals;
  step.state = environment_.scratch + scratch().steps;
  step.launch_count = static_cast<uint32_t>(launches.size());
  if (environment_.reports_steps) step.reported_steps = static_cast<uint32_t>(steps()->steps);
  step.entry_launches = placement_.root_inputs.empty() ? schedule().launch_begin[1] : 0;
  const std::vector<shared::StepTurn> turns = DescribeTurns();
  if (Expected<void> done = Upload(CommonClosePlan(), step.close); !done) return done;
  if (Expected<void> done = Upload(std::span<const shared::StepLaunch>(launches), step.launches); !done) return done;
  if (Expected<void> done = Upload(std::span<const shared::StepTurn>(turns), step.turns); !done) return done;
  const std::span<const shared::RegionPlan> openings = steps()->openings;
  if (Expected<void> done = Upload(openings, step.openings); !done) return done;
  return UploadStepPlans(step);
}

Expected<void> LevelPlanner::PlanStepLevel(uint32_t level, std::vector<shared::StepLaunch>& launches) {
  const std::span<const VkDeviceAddress> root_inputs = placement_.root_inputs;
  plan_.AddLevel();
  for (const RelocatableLaunch& launch : counted_->levels[level].launches) {
    const uint32_t position = launch.described.position;
    shared::StepLaunch& step = launches.emplace_back();
    step.launch = launch.described;
    step.region = scratch().region(level, launch.launch.input);
    if (position < root_inputs.size()) step.root = root_inputs[position];
    step.level = level;
    step.turn = steps()->turn_of[position];
    step.quota = steps()->quotas[position];

    NodeLaunch& node = AddLaunch(launch);
    node.arguments = scratch().argument(position);
    const VkDeviceAddress input = environment_.scratch + scratch().input(position);
    if (Expected<void> done = UploadBlock(level, launch.described, input, false, node.block); !done) return done;
  }
  return {};
}

std::vector<shared::StepTurn> LevelPlanner::DescribeTurns() const {
  std::vector<shared::StepTurn> turns;
  for (size_t i = 0; i < steps()->turns.size(); ++i) {
    const StepTurn& turn = steps()->turns[i];
    const auto openings = static_cast<uint32_t>(steps()->openings_of(i).size());
    shared::StepTurn& described = turns.emplace_back();
    described.opening_begin = turn.opening_begin;
    described.opening_end = turn.opening_begin + openings;
    if (turn.level + 1 == schedule().level_count()) continue;
    described.consumer_begin = schedule().launch_begin[turn.level + 1];
    described.consumer_end = schedule().launch_begin[turn.level + 2];
  }
  return turns;
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
