// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/placing/placed_plan.h"

#include <utility>

#include "layer/replay/placing/level_planner.h"
#include "layer/replay/planning/recent_cache.h"

namespace trellis {
namespace {

// Enough for a few counts with a few scratch buffers in turns. Scratch addresses that change in every frame make plans
// that are never asked for again: not many of those are kept.
constexpr size_t kMaxPlans = 16;

// What a plan depends on besides the graph and its device. Of the environment, all that is not the device's or the
// dispatch's own.
struct PlacedPlanKey {
  std::shared_ptr<const RelocatablePlan> counted;  // of one ring_budget
  VkDeviceAddress scratch = 0;
  VkDeviceAddress ring_table = 0;
  VkDeviceAddress device_reports = 0;
  uint32_t origin = 0;
  bool reports_steps = false;
  VkDeviceAddress ring = 0;
  bool operator==(const PlacedPlanKey&) const = default;
};

using Cache = RecentCache<PlacedPlanKey, PlacedPlan, kMaxPlans>;

Expected<std::shared_ptr<const PlacedPlan>> Place(const ExecutionGraphPipeline& pipeline,
                                                  const DispatchEnvironment& environment, const Placement& placement) {
  const auto plan = std::make_shared<PlacedPlan>();
  plan->memory = std::make_shared<PlanArena>(PlanBlockPool::Of(pipeline.device), PlanLifetime::kPlan);
  if (Expected<void> done = LevelPlanner(pipeline, environment, placement, *plan).Run(); !done) return done.error();
  plan->memory->Close();
  return std::shared_ptr<const PlacedPlan>(plan);
}

}  // namespace

Expected<std::shared_ptr<const PlacedPlan>> FindOrPlacePlan(const ExecutionGraphPipeline& pipeline,
                                                            const DispatchEnvironment& environment,
                                                            const Placement& placement) {
  // Steps read what this dispatch brings where no other one does.
  if (!placement.root_inputs.empty()) return Place(pipeline, environment, placement);
  const std::shared_ptr<Cache> cache = pipeline.components.GetOrCreate<Cache>([] { return std::make_shared<Cache>(); });
  PlacedPlanKey key = {
      placement.counted,  environment.scratch,       environment.ring_table, environment.device_reports,
      environment.origin, environment.reports_steps, placement.ring};
  if (std::shared_ptr<const PlacedPlan> plan = cache->Find(key)) return plan;
  Expected<std::shared_ptr<const PlacedPlan>> plan = Place(pipeline, environment, placement);
  if (!plan) return plan;
  return cache->Keep(std::move(key), *std::move(plan));
}

}  // namespace trellis
