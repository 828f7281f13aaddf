// How one dispatch divides the ring: where each level's producers append, and how much fits. Sizes and offsets are
// bytes unless said otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layer/graph/graph.h"
#include "layer/graph/levels.h"
#include "meta_shaders/shared/graph_data.h"

namespace trellis {

// What the dispatch sends to one slot of level 0, over all its infos. Several entries may name the same slot.
struct RootCount {
  uint32_t slot = 0;
  uint64_t records = 0;
  uint64_t workgroups = 0;  // exact total
};

struct MemoryLimits {
  uint64_t half_bytes = 0;           // at most this for each half of the ring
  uint64_t max_workgroups = 0;       // most workgroups of one launch
  uint64_t max_grid_workgroups = 0;  // most workgroups of one record (maxExecutionGraphWorkgroups)
};

// Immutable once made.
struct GraphPlan {
  // For each level except the last, one opening for each slot of the next level, in the order of LevelSchedule::level(L
  // + 1), then, where an allocation of level L may need it, one for the heap. Level L's openings are
  // openings[opening_begin[L]] to openings[opening_begin[L + 1]].
  std::vector<shared::RegionPlan> openings;
  // By opening: place of the prefix sums (uint32_t[capacity]) of a slot with dynamic grids, from the ring's base; else
  // 0.
  std::vector<uint64_t> first_workgroup_offsets;
  std::vector<uint32_t> opening_begin;
  // Level L appends to half L & 1: bytes [0, half_bytes[0]) and [half_bytes[0], half_bytes[0] + half_bytes[1]) of the
  // ring. Multiples of 256.
  uint64_t half_bytes[2] = {0, 0};
  bool bounded = true;  // every region has room for everything that can arrive; otherwise records can be lost

  [[nodiscard]] uint64_t ring_bytes() const { return half_bytes[0] + half_bytes[1]; }
  // What level `level` appends to; empty for the last level.
  [[nodiscard]] std::span<const shared::RegionPlan> openings_of(uint32_t level) const {
    return std::span(openings).subspan(opening_begin[level], opening_begin[level + 1] - opening_begin[level]);
  }
  [[nodiscard]] std::span<const uint64_t> first_workgroup_offsets_of(uint32_t level) const {
    return std::span(first_workgroup_offsets)
        .subspan(opening_begin[level], opening_begin[level + 1] - opening_begin[level]);
  }
};

// `schedule` must come from the slots of `roots`; one without levels gives an empty plan. Never fails: where the bounds
// do not fit, small needs are served exactly and the large ones share what is left. Time: slots and edges of each
// level.
[[nodiscard]] GraphPlan PlanMemory(const Graph& graph, const LevelSchedule& schedule, std::span<const RootCount> roots,
                                   const MemoryLimits& limits);

}  // namespace trellis
