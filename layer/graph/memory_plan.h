// SPDX-License-Identifier: Apache-2.0
// How one dispatch divides the ring: where each level's producers append, and how much fits. Sizes and offsets are
// bytes unless said otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layer/graph/graph.h"
#include "layer/graph/levels.h"
#include "layer/graph/load_bounds.h"
#include "layer/graph/region_layout.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {

// A launch of level 0. Several entries may be of the same one; launches without an entry have no workgroups.
struct RootCount {
  Launch launch;
  uint64_t workgroups = 0;  // exact total, of the node's own workgroups where it is packed
  bool operator==(const RootCount&) const = default;
};

struct MemoryLimits {
  uint64_t half_bytes = 0;           // at most this for each half of the ring
  uint64_t max_grid_workgroups = 0;  // most workgroups of one record (maxExecutionGraphWorkgroups)
  uint64_t kept_ring_bytes = 0;      // at most this for the whole ring, where draws read records
};

// Immutable once made.
struct GraphPlan {
  // For each level except the last, one opening for each slot of the next level, in the order of LevelSchedule::level(L
  // + 1), then one for the heap, where an allocation of level L may need it or regions of the level grow out of it.
  // Level L's openings are openings[opening_begin[L]] to openings[opening_begin[L + 1]]. The record state of the
  // launches that read a region lies behind its records (meta_shaders/levels/launch_size.glsl), if it does not grow.
  std::vector<shared::RegionPlan> openings;
  std::vector<uint32_t> opening_begin;
  std::vector<uint32_t> arrivals;  // by opening: records that can arrive there at most, whatever has room
  // Level L appends to half L & 1: bytes [0, half_bytes[0]) and [half_bytes[0], half_bytes[0] + half_bytes[1]) of the
  // ring. Multiples of 256. Where draws read records, the first half is all of it and has the parts of all levels
  // (ring_parts.h); where each slot is launched once, it has all regions, and any level appends to them. What a
  // RegionPlan says besides place and size is left to the launch planner.
  uint64_t half_bytes[2] = {0, 0};
  bool bounded = true;  // everything that may arrive has room, wherever it goes; otherwise records can be lost
  // And no shader can send more than it may, and all regions are dense: no reservation of records fails.
  bool cannot_lose = false;

  [[nodiscard]] uint64_t ring_bytes() const { return half_bytes[0] + half_bytes[1]; }
  // The region with the records of `slot` that `level` consumes; `slot` must be one of LevelSchedule::level(level), and
  // `level` not 0.
  [[nodiscard]] shared::RegionPlan& opening_of(uint32_t level, uint32_t slot);
  [[nodiscard]] uint32_t arrivals_of(uint32_t level, uint32_t slot) {
    return arrivals[static_cast<size_t>(&opening_of(level, slot) - openings.data())];
  }
  // What level `level` appends to; empty for the last level.
  [[nodiscard]] std::span<const shared::RegionPlan> openings_of(uint32_t level) const {
    return std::span(openings).subspan(opening_begin[level], opening_begin[level + 1] - opening_begin[level]);
  }
};

// Most workgroups of the node's own, packed or not, that so many records can become. Saturates.
[[nodiscard]] uint64_t MaxWorkgroupsOfRecords(const spirv::NodeInfo& info, uint64_t records,
                                              uint64_t max_grid_workgroups);

// Whether no workgroup of the node sends more than it may, whatever it computes.
[[nodiscard]] bool LimitsHold(const spirv::NodeInfo& info);

// `schedule` must come from the input slots of `roots`; one without levels gives an empty plan. Never fails: where the
// bounds of all regions of a level do not fit side by side, the large ones are dense in their first part only, and grow
// out of what is left. Where draws read records (LevelSchedule::has_mesh_nodes) that holds of the parts of the ring.
// Time: launches and edges of each level.
[[nodiscard]] GraphPlan PlanMemory(const Graph& graph, const LoadBounds& loads, const LevelSchedule& schedule,
                                   std::span<const RootCount> roots, const MemoryLimits& limits);

}  // namespace trellis
