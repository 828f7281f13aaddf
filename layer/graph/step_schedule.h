// Bounded mode: how a graph runs whose levels do not fit into the ring. It runs in steps: each lets the deepest level
// that has anything to do run a portion, such that what the portion can send fits in the next level's queue. Sizes and
// offsets are bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "layer/graph/graph.h"
#include "layer/graph/levels.h"
#include "layer/graph/memory_plan.h"
#include "meta_shaders/shared/graph_data.h"

namespace trellis {

struct StepLimits {
  uint64_t ring_bytes = 0;           // for the queues of all levels
  uint64_t max_workgroups = 0;       // most workgroups of one dispatch
  uint64_t max_grid_workgroups = 0;  // most workgroups of one record (maxExecutionGraphWorkgroups)
};

// Launches of one level that run side by side, each at most its quota of workgroups.
struct StepTurn {
  uint32_t level = 0;
  // The queue of the next level while they run: StepSchedule::openings from here to where the next turn's begin, one
  // for each slot of that level, in the order of LevelSchedule::level(), then, where an allocation of this level may
  // need it, one for the heap. What a RegionPlan says beside place and size is left to whoever plans the launches.
  uint32_t opening_begin = 0;
};

// Immutable once made.
struct StepSchedule {
  std::vector<StepTurn> turns;    // in the order of their levels; a later one goes first
  std::vector<uint32_t> turn_of;  // by launch, like LevelSchedule::launches: position in `turns`
  std::vector<uint32_t> quotas;   // by launch: most workgroups (of the dispatch) in one step
  std::vector<shared::RegionPlan> openings;
  uint64_t ring_bytes = 0;  // a multiple of 256
  uint64_t steps = 0;       // enough, whatever the graph sends within its bounds; saturates

  [[nodiscard]] std::span<const shared::RegionPlan> openings_of(size_t turn) const;
  // One for each slot and level.
  [[nodiscard]] std::vector<shared::RegionPlan> FirstOpenings() const;
};

// `schedule` must come from the input slots of `roots`. Nothing if the ring cannot hold, for each level at once, what
// one workgroup can send. Time: launches, edges and slots of each level, a few dozen times.
[[nodiscard]] std::optional<StepSchedule> ScheduleSteps(const Graph& graph, const LevelSchedule& schedule,
                                                        std::span<const RootCount> roots, const StepLimits& limits);

}  // namespace trellis
