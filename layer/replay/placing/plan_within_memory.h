// SPDX-License-Identifier: Apache-2.0
// Plans a dispatch so that the driver has memory for its ring.
#pragma once

#include <functional>
#include <memory>

#include "layer/memory/plan_arena.h"
#include "layer/replay/placing/dispatch_plan.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

// A plan, and the memory that a recording of it has to keep.
struct PlannedDispatch {
  DispatchPlan plan;
  std::shared_ptr<PlanArena> arena;
};

// PlanDispatch for one dispatch.
using PlanFunction = std::function<Expected<DispatchPlan>(const DispatchEnvironment& environment, PlanArena& arena)>;

// Plans with RingPool::budget(), or step_budget() instead of steps, and makes the ring. Where the driver has no memory
// for it, plans with less until there is a ring, and lowers the pool's budget. Never takes less than a graph needs to
// drop nothing, if RingBudget is enough for that: then the plan may come without a ring, and vkQueueSubmit* tries once
// more. Fails when plan memory runs out. `environment`: its budgets are ignored. `blocks`: for the arena, which is
// closed. Threading: any thread.
[[nodiscard]] Expected<PlannedDispatch> PlanWithinMemory(const DispatchEnvironment& environment, RingPool& rings,
                                                         const std::shared_ptr<PlanBlockPool>& blocks,
                                                         const PlanFunction& plan);

}  // namespace trellis
