// SPDX-License-Identifier: Apache-2.0
// Bounded mode: how a graph runs whose levels do not fit into the ring. It runs in steps: each lets the deepest level
// that has anything to do run a portion. The device chooses the portion, from what is left of each launch and from what
// one of its workgroups can send at most, such that the next level's queue has room for it. Sizes and offsets are
// bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "layer/graph/graph.h"
#include "layer/graph/levels.h"
#include "layer/graph/load_bounds.h"
#include "layer/graph/memory_plan.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {

// Immutable once made.
struct StepSchedule {
  // By launch, like LevelSchedule::launches: how much of the next level's queue `packed` workgroups of the node can
  // fill. A queue has room for shared::kWholeQueue. 0: it sends nothing.
  std::vector<uint32_t> loads;
  // The queues: as in GraphPlan, but each level's has a place of its own.
  std::vector<shared::RegionPlan> openings;
  std::vector<uint32_t> opening_begin;
  uint64_t ring_bytes = 0;  // a multiple of 256
  uint64_t steps = 0;       // enough, whatever the graph sends within its bounds; saturates

  [[nodiscard]] std::span<const shared::RegionPlan> openings_of(uint32_t level) const {
    return std::span(openings).subspan(opening_begin[level], opening_begin[level + 1] - opening_begin[level]);
  }
};

// `schedule` must come from the input slots of `roots`; all queues fit into `ring_bytes`. Nothing if the ring cannot
// hold, for each level at once, what one workgroup can send. Time: launches, edges and slots of each level, a few dozen
// times.
[[nodiscard]] std::optional<StepSchedule> ScheduleSteps(const Graph& graph, const LoadBounds& bounds,
                                                        const LevelSchedule& schedule, std::span<const RootCount> roots,
                                                        uint64_t ring_bytes);

}  // namespace trellis
