// SPDX-License-Identifier: Apache-2.0
// Level 0 of a dispatch from the host: its records in plan memory, and how large its launches are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layer/graph/graph.h"
#include "layer/memory/plan_arena.h"
#include "layer/replay/planning/entry_inputs.h"
#include "layer/replay/planning/launch_size.h"
#include "meta_shaders/shared/graph_data.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

// One launch of level 0.
struct RootLaunch {
  Launch launch;
  shared::LaunchPlan described = {};
  shared::LaunchInput input = {};
  uint64_t record_state_offset = 0;  // of the record state from the records, if it keeps any
  LaunchSize size;
};

// A root of the dispatch, with its records in plan memory.
struct Root {
  const RootInput* input = nullptr;
  PlanSpan records;                  // and behind them the record state of all launches
  std::vector<RootLaunch> launches;  // those with workgroups: its own, and of nodes that share its input
  bool copied = false;               // the records are read from the ring: a node writes them
};

// Those that launch anything. `inputs` must live as long as they do. `limits`: of dispatches. `complaints` gets what
// could not be done as asked. Fails when plan memory runs out.
[[nodiscard]] Expected<std::vector<Root>> PrepareRoots(const Graph& graph, const EntryInputs& inputs,
                                                       const LaunchLimits& limits, PlanArena& arena,
                                                       std::vector<std::string>& complaints);

}  // namespace trellis
