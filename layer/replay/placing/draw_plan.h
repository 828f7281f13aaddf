// SPDX-License-Identifier: Apache-2.0
// The draws that a dispatch becomes whose nodes are all mesh nodes of the host's: nothing has to be computed for them.
#pragma once

#include <string>
#include <vector>

#include "layer/memory/plan_arena.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/replay/placing/placed_plan.h"
#include "layer/replay/planning/entry_inputs.h"
#include "layer/replay/planning/launch_size.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

struct DrawPlan {
  // Without labels. In the order of roots; those of one launch one behind the other, in their workgroups' order.
  std::vector<NodeLaunch> draws;
  std::vector<std::string> complaints;  // what could not be done as asked
};

// Whether all that such a dispatch runs are draws for which nothing has to be computed.
[[nodiscard]] bool IsDrawnInPlace(const Graph& graph, const EntryInputs& inputs);

// For inputs that are drawn in place. `arena`: of the recording. Fails when plan memory runs out.
[[nodiscard]] Expected<DrawPlan> PlanDraws(const Graph& graph, const EntryInputs& inputs, const DrawLimits& limits,
                                           PlanArena& arena);

}  // namespace trellis
