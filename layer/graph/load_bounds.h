// SPDX-License-Identifier: Apache-2.0
// Joint bounds: the most that a workgroup can cause in each later level, whichever nodes its outputs choose. Bounds of
// single nodes do not add up to them: what goes to one node of an array does not go to the others.
#pragma once

#include <cstdint>
#include <vector>

#include "layer/graph/graph.h"

namespace trellis {

// Not exact: rounded where numbers have more than 53 bits.
struct Load {
  double records = 0;
  double bytes = 0;  // of records, and what allocations take from the heap
  double state_bytes = 0;

  // Either may be infinite where the other is nothing.
  void Add(double times, const Load& load);
  void RaiseTo(const Load& load);
};

// At most, of the node's own, on average over many records. In addition to them a launch that coalesces has a last one
// that may have fewer: the planner adds it.
[[nodiscard]] double WorkgroupsOfRecord(const spirv::NodeInfo& info, uint64_t max_grid_workgroups);

// Immutable, so any thread may read it. Takes as many Loads as the graph has slots, for each level of its depth.
class LoadBounds {
 public:
  // `max_grid_workgroups`: most workgroups of one record (maxExecutionGraphWorkgroups). Time: targets of all outputs,
  // and for each level different lists of targets.
  LoadBounds(const Graph& graph, uint64_t max_grid_workgroups);

  // Returns what one workgroup of the slot's node causes `distance` levels later, at least 1, over all nodes.
  [[nodiscard]] Load Of(uint32_t slot, uint32_t distance) const;

 private:
  uint32_t slot_count_;
  std::vector<Load> loads_;  // by distance, from 1 on, then by slot
};

}  // namespace trellis
