// SPDX-License-Identifier: Apache-2.0
// Addresses in recorded streams: plan memory and scratch are host memory here, the rest is nowhere.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "layer/graph/memory_plan.h"
#include "meta_shaders/shared/graph_data.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis::test {

// The ring has no address before execution, and the application's memory is anywhere: both get places that no host
// allocation has.
inline constexpr uint64_t kRing = 1ull << 60;
inline constexpr uint64_t kRingEnd = kRing + (1ull << 50);
inline constexpr uint64_t kApplication = 1ull << 62;

template <typename T>
const T& At(uint64_t address, uint64_t index = 0) {
  return reinterpret_cast<const T*>(address)[index];
}

inline constexpr uint64_t kSliceTableBytes = (shared::kMaxSlices + 1) * sizeof(shared::Slice);

// What a sizing kernel, or the copy kernel, prepared for a launch.
struct PreparedInput {
  uint32_t slot = shared::kNoSlot;  // that runs; its records may be another one's
  uint64_t arguments = 0;           // 0 for level 0
  uint64_t records = 0;             // offset in the ring
  uint64_t record_bytes = 0;
  uint64_t record_state = 0;
  uint64_t record_state_bytes = 0;
  uint64_t pool = 0;  // where the region has grown
  uint64_t pool_bytes = 0;
  uint64_t search_index = 0;
  uint64_t search_index_bytes = 0;
  uint64_t slices = 0;                 // table of them; 0: none
  std::optional<uint32_t> level = {};  // where the stream does not tell: in bounded mode
};

[[nodiscard]] inline bool HoldsOutputs(uint64_t address, const std::vector<shared::NodeOutput>& outputs) {
  return outputs.empty() || std::memcmp(&At<shared::NodeOutput>(address), outputs.data(),
                                        outputs.size() * sizeof(shared::NodeOutput)) == 0;
}

// The records of an open region.
inline PreparedInput InRegion(const shared::RegionPlan& opening) {
  PreparedInput input;
  input.records = kRing + opening.offset;
  input.record_bytes = uint64_t{opening.stride} * opening.dense;
  return input;
}

// Record state of a launch that reads the region.
inline void PlaceRecordState(const shared::RegionPlan& opening, const shared::LaunchPlan& launch,
                             PreparedInput& input) {
  if (opening.state_words != 0) return;  // in the pool
  input.record_state = input.records + RegionBytes(opening.stride, launch.state_words_before, opening.capacity);
  input.record_state_bytes = uint64_t{opening.capacity} * launch.state_words * 4;
}

// What the copy kernel makes of an input.
inline PreparedInput CopiedInput(const shared::InputCopy& copy) {
  const shared::LaunchInput& input = At<shared::LaunchInput>(copy.input_template);
  PreparedInput launch;
  launch.slot = copy.slot;
  launch.records = kRing + copy.ring_offset;
  launch.record_bytes = uint64_t{input.records.count} * input.records.stride;
  if (input.record_state == 0) return launch;
  launch.record_state = kRing + copy.record_state_offset;
  launch.record_state_bytes = uint64_t{input.records.count} * sizeof(uint32_t);  // at least
  return launch;
}

}  // namespace trellis::test
