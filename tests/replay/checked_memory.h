// Addresses in recorded streams: plan memory and scratch are host memory here, the rest is nowhere.
#pragma once

#include <cstdint>

#include "meta_shaders/shared/graph_data.h"

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

// What a close kernel, or the copy kernel, prepared for a launch.
struct PreparedInput {
  uint32_t slot = shared::kNoSlot;  // that runs; its records may be another one's
  uint64_t arguments = 0;           // 0 for level 0
  uint64_t records = 0;             // offset in the ring
  uint64_t record_bytes = 0;
  uint64_t notes = 0;
  uint64_t notes_bytes = 0;
};

// The records of an open region.
inline PreparedInput InRegion(const shared::RegionPlan& opening) {
  PreparedInput input;
  input.records = kRing + opening.offset;
  input.record_bytes = uint64_t{opening.stride} * opening.capacity;
  return input;
}

}  // namespace trellis::test
