// SPDX-License-Identifier: Apache-2.0
// Regions side by side in one part of the ring: the half that a level appends to, or its queue in bounded mode.
#pragma once

#include <cstdint>
#include <span>

#include "layer/graph/graph.h"
#include "meta_shaders/shared/graph_data.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {

// A region counts its records in 31 bits.
inline constexpr uint64_t kMaxRegionRecords = (uint64_t{1} << 31) - 1;
// Bytes of what the heap's region counts as a record.
inline constexpr uint32_t kHeapUnit = 16;
// Every region begins at a multiple of it.
inline constexpr uint64_t kRegionAlignment = 16;
// Bytes that segments take for each byte of records: meta_shaders/shared/segments.glsl.
inline constexpr double kSegmentWaste = 1.25;
// A segment ends at most so many bytes behind its region's first record: its word counts kHeapUnit, and has values that
// are no place.
inline constexpr uint64_t kReachOfSegments = uint64_t{shared::kFirstClaim - 1} * kHeapUnit;
// Where not all that can be sent fits, the dense parts get this part of the room, and the pool all the rest.
inline constexpr uint64_t kDensePart = 8;

// One region that a level appends to.
struct RegionNeed {
  uint32_t slot = 0;
  uint32_t stride = 0;
  uint32_t state_words = 0;  // a record, over all launches that read the region
  uint64_t bound = 0;        // records
  uint64_t arrivals = 0;     // records, whatever has room
  uint64_t dense = 0;        // of the bound; less than it where the region grows
  uint64_t bytes = 0;        // for the dense ones, alignment included
  bool state_from_pool = false;
};

// Most that the records behind the dense ones can have, a quarter of which at least stay dense (DensePart in
// meta_shaders/shared/kernel_plans.h). 0 where all are dense.
[[nodiscard]] uint64_t SegmentsOf(const RegionNeed& need);

// Bytes that a region takes whose launches keep `state_words` words about each record. Saturates.
[[nodiscard]] uint64_t RegionBytes(uint32_t stride, uint32_t state_words, uint64_t records);

// All of it is dense. What stands besides place and size is left to the launch planner.
[[nodiscard]] shared::RegionPlan DenseRegion(uint64_t offset, uint32_t slot, uint32_t stride, uint32_t capacity,
                                             uint32_t level);
// The same for a need that has its `dense`, with what it gets from the pool.
[[nodiscard]] shared::RegionPlan OpeningOf(const RegionNeed& need, uint64_t offset, uint32_t level);

struct DenseParts {
  uint64_t bytes = 0;  // of all; more than was asked for only if that is not enough for the least there can be
  bool cut = false;    // state of records without bytes does not grow: a bound had to become smaller
};

// Divides `bytes`: small needs are dense, each large one gets its first part. Time: a sort.
DenseParts ShareDense(std::span<RegionNeed> needs, uint64_t bytes);

}  // namespace trellis
