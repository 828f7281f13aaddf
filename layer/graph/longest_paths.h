// SPDX-License-Identifier: Apache-2.0
// Memory of graphs in which each slot is launched once, after all that can send to it (LevelSchedule::longest_paths).
// All its records wait for it side by side, whichever level sent them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "layer/graph/graph.h"
#include "layer/graph/levels.h"
#include "layer/graph/memory_plan.h"

namespace trellis {

// The most records that a workgroup can cause at each single slot, over all paths. Immutable, so any thread may read
// it. Takes a number for each pair of slots.
class SlotLoads {
 public:
  // `max_grid_workgroups`: most workgroups of one record (maxExecutionGraphWorkgroups). Time: for each slot, targets of
  // all outputs.
  SlotLoads(const Graph& graph, uint64_t max_grid_workgroups);

  // False for graphs so large that nothing is known.
  [[nodiscard]] bool is_known() const { return !loads_.empty(); }
  // At slot `to`, of one workgroup of slot `from`; rounded where numbers have more than 53 bits.
  [[nodiscard]] double Of(uint32_t from, uint32_t to) const { return loads_[size_t{from} * slot_count_ + to]; }

 private:
  uint32_t slot_count_;
  std::vector<double> loads_;  // by `from`, then by `to`
};

// `schedule`: LevelSchedule::longest_paths. All regions lie dense, each with room for everything that may be sent to
// it, in one part of the ring. Nothing if they do not fit into `room` bytes, or an allocation needs the heap.
[[nodiscard]] std::optional<GraphPlan> PlanLongestPaths(const Graph& graph, const SlotLoads& loads,
                                                        const LevelSchedule& schedule, std::span<const RootCount> roots,
                                                        uint64_t room);

}  // namespace trellis
