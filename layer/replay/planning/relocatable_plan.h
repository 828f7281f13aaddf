// SPDX-License-Identifier: Apache-2.0
// What of a dispatch's plan depends on no address. An application that dispatches the same counts again, as most do in
// every frame, gets it again and plans only where things lie.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "layer/graph/levels.h"
#include "layer/graph/memory_plan.h"
#include "layer/graph/step_schedule.h"
#include "layer/memory/scratch_layout.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/replay/planning/dispatch_environment.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {

struct RelocatableLaunch {
  Launch launch;
  shared::LaunchPlan described;
  bool from_region = false;  // counters in its region are its dispatch's arguments, and no kernel has to size it
  // Then: for as many records as the region holds, and for as many as may be sent to it.
  uint64_t max_workgroups = 0;
  uint64_t arriving_workgroups = 0;
  std::string label;  // of the dispatch, for tools
};

// Launches of one level that become one dispatch.
struct RelocatableBatch {
  uint32_t launch_begin = 0;  // among those of the level
  uint32_t launch_end = 0;
  // Producers count its workgroups, those of the member i in uint i behind this place in scratch. 0: they do not.
  uint64_t counts = 0;
  std::string label;
};

struct RelocatableLevel {
  // In the order of LevelSchedule::launches_of, but those in batches at the end, batch by batch.
  std::vector<RelocatableLaunch> launches;
  std::vector<RelocatableLaunch> draws;  // launches of mesh nodes, in the same order; they come after all levels
  std::vector<RelocatableBatch> batches;
  // Launches that the sizing kernel prepares. None in bounded mode.
  std::vector<shared::LaunchPlan> sized;
  uint32_t summed_count = 0;  // the first of them, whose grids are added up before
  uint32_t parted_count = 0;  // those and the next, whose records `parts` workgroups share. The rest: one each
  uint32_t parts = 1;
  bool sizes_draws_alone = false;

  // Those with a dispatch of their own.
  [[nodiscard]] std::span<const RelocatableLaunch> single_launches() const {
    return std::span(launches).first(batches.empty() ? launches.size() : batches.front().launch_begin);
  }
};

struct RelocatablePlan {
  std::shared_ptr<const LevelSchedule> schedule;
  ScratchLayout scratch;
  GraphPlan memory;                   // openings are complete
  std::optional<StepSchedule> steps;  // bounded mode; `memory` then has the openings of before the first step
  // Infos on the device: of the ring, for the records that they bring. Level 0 consumes from the second half, where
  // level 1 appends when all of that has been read; in bounded mode and with draws from what is behind everything else.
  // Else 0.
  uint64_t entry_bytes = 0;
  std::vector<RelocatableLevel> levels;
  bool can_prepare = false;  // executions can prepare the regions of level 1 for one another (CanPrepareRegions)
  std::string root_labels;   // of the nodes that the dispatch starts, each behind a space

  // Each slot behind level 0 is launched once, and all levels append to the same regions.
  [[nodiscard]] bool UsesLongestPaths() const { return scratch.region_levels == 1; }
};

// What it depends on besides the graph and its device.
struct RelocatablePlanKey {
  std::vector<RootCount> counts;  // launches of one slot's records stand together, slots in their order
  uint64_t reserved = 0;          // bytes of the ring that something else takes as long as steps run
  uint64_t ring_budget = 0;       // DispatchEnvironment's; FindOrMakePlan sets them
  uint64_t step_budget = 0;
  bool may_prepare = false;  // DispatchEnvironment::rings
  bool operator==(const RelocatablePlanKey&) const = default;
};

// Returns the most records that a slot can get which the application launches with infos on the device.
[[nodiscard]] uint32_t MaxInfoRecords(const Graph& graph, const RelocatablePlan& plan, uint32_t slot);

// One that was made before, if it is still kept. Of `environment` only what is the device's matters. Threading: any
// thread.
[[nodiscard]] std::shared_ptr<const RelocatablePlan> FindOrMakePlan(const ExecutionGraphPipeline& pipeline,
                                                                    RelocatablePlanKey key,
                                                                    const DispatchEnvironment& environment);

}  // namespace trellis
