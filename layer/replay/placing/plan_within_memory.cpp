// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/placing/plan_within_memory.h"

#include <utility>

#include "layer/memory/ring_pool.h"
#include "layer/replay/planning/relocatable_plan.h"

namespace trellis {
namespace {

class Planner {
 public:
  Planner(const DispatchEnvironment& environment, RingPool& rings, const std::shared_ptr<PlanBlockPool>& blocks,
          const PlanFunction& plan)
      : environment_(environment), rings_(rings), blocks_(blocks), plan_(plan) {}

  Expected<PlannedDispatch> Run() {
    const VkDeviceSize budget = rings_.budget();
    Expected<PlannedDispatch> first = PlanWith(budget, rings_.step_budget());
    if (!first) return first;
    if (RingBytes(*first) > budget && !HasRing(*first)) {
      Expected<PlannedDispatch> in_steps = PlanWith(budget);
      if (!in_steps) return in_steps;
      // Inputs may need as much in any case.
      if (RingBytes(*in_steps) < RingBytes(*first)) rings_.GiveUpStepBudget();
      first = std::move(in_steps);
    }
    if (budget < rings_.full_budget() && !KeepsAll(*first)) {
      Expected<PlannedDispatch> whole = PlanWith(rings_.full_budget());
      if (!whole || KeepsAll(*whole)) return whole;
    }
    if (HasRing(*first)) return first;
    return PlanSmaller(*std::move(first), budget);
  }

 private:
  Expected<PlannedDispatch> PlanWith(VkDeviceSize budget, VkDeviceSize step_budget = 0) {
    environment_.ring_budget = budget;
    environment_.step_budget = step_budget;
    PlannedDispatch planned = {{}, std::make_shared<PlanArena>(blocks_, PlanLifetime::kRecording)};
    Expected<DispatchPlan> plan = plan_(environment_, *planned.arena);
    if (!plan) return plan.error();
    planned.arena->Close();
    planned.plan = *std::move(plan);
    return planned;
  }

  // `first`: planned with `budget`, without a ring.
  Expected<PlannedDispatch> PlanSmaller(PlannedDispatch first, VkDeviceSize budget) {
    const VkDeviceSize wanted = RingBytes(first);
    VkDeviceSize missing = wanted;
    while ((budget = rings_.SmallerBudget(budget, missing)) != 0) {
      Expected<PlannedDispatch> smaller = PlanWith(budget);
      if (!smaller || (KeepsAll(first) && !KeepsAll(*smaller))) break;
      if (HasRing(*smaller)) {
        rings_.LowerBudget(budget, wanted);
        return smaller;
      }
      missing = RingBytes(*smaller);
    }
    return first;
  }

  [[nodiscard]] static VkDeviceSize RingBytes(const PlannedDispatch& planned) {
    return planned.plan.placed ? planned.plan.placed->ring_bytes : 0;
  }
  [[nodiscard]] bool HasRing(const PlannedDispatch& planned) {
    return RingBytes(planned) == 0 || rings_.RingWith(RingBytes(planned)) != 0;
  }
  // The ring, or one portion of a step, has room for all that nodes may allocate.
  [[nodiscard]] static bool KeepsAll(const PlannedDispatch& planned) {
    return !planned.plan.placed || planned.plan.placed->counted->memory.bounded;
  }

  DispatchEnvironment environment_;
  RingPool& rings_;
  const std::shared_ptr<PlanBlockPool>& blocks_;
  const PlanFunction& plan_;
};

}  // namespace

Expected<PlannedDispatch> PlanWithinMemory(const DispatchEnvironment& environment, RingPool& rings,
                                           const std::shared_ptr<PlanBlockPool>& blocks, const PlanFunction& plan) {
  return Planner(environment, rings, blocks, plan).Run();
}

}  // namespace trellis
