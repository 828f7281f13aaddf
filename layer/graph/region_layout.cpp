// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/region_layout.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "layer/graph/saturating.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {
namespace {

// Returns the minimum of dense records in a region that grows: segments, a quarter as long, are then whole units of 16
// bytes.
uint64_t FewestDense(uint64_t stride) {
  uint64_t fewest = 4;
  while (fewest / 4 * stride % kRegionAlignment != 0) fewest *= 2;
  return fewest;
}

}  // namespace

uint64_t SegmentsOf(const RegionNeed& need) {
  if (need.dense >= need.bound) return 0;
  uint64_t segments = 0;
  for (uint64_t octave = std::max<uint64_t>(need.dense / 4, 1); octave < need.bound; octave *= 2) segments += 4;
  return segments;
}

uint64_t RegionBytes(uint32_t stride, uint32_t state_words, uint64_t records) {
  const auto padded = [records](uint64_t each) {
    return SaturatingRoundUp(SaturatingMultiply(records, each), kRegionAlignment);
  };
  return SaturatingAdd(padded(stride), SaturatingMultiply(padded(sizeof(uint32_t)), state_words));
}

shared::RegionPlan DenseRegion(uint64_t offset, uint32_t slot, uint32_t stride, uint32_t capacity, uint32_t level) {
  shared::RegionPlan region = {};
  region.offset = offset;
  region.slot = slot;
  region.stride = stride;
  region.capacity = region.dense = capacity;
  region.level = level;
  return region;
}

shared::RegionPlan OpeningOf(const RegionNeed& need, uint64_t offset, uint32_t level) {
  shared::RegionPlan region = DenseRegion(offset, need.slot, need.stride, static_cast<uint32_t>(need.bound), level);
  region.dense = static_cast<uint32_t>(need.dense);
  if (need.state_from_pool) region.state_words = need.state_words;
  return region;
}

DenseParts ShareDense(std::span<RegionNeed> needs, uint64_t bytes) {
  DenseParts result;
  std::vector<RegionNeed*> by_bytes;
  for (RegionNeed& need : needs) {
    need.dense = need.bound;
    need.bytes = RegionBytes(need.stride, need.state_words, need.bound);
    need.state_from_pool = false;
    if (need.bytes != 0) by_bytes.push_back(&need);
  }
  std::ranges::sort(by_bytes, {}, &RegionNeed::bytes);
  uint64_t left = bytes;
  for (size_t i = 0; i < by_bytes.size(); ++i) {
    RegionNeed& need = *by_bytes[i];
    const uint64_t share = left / (by_bytes.size() - i);
    if (need.bytes > share && need.stride == 0) {
      // Nothing but record state.
      need.bound = need.dense = share / (need.state_words * sizeof(uint32_t));
      need.bytes = RegionBytes(0, need.state_words, need.bound);
      result.cut = true;
    } else if (need.bytes > share) {
      need.state_from_pool = true;
      const uint64_t max_dense = share / (need.stride + sizeof(uint32_t) * need.state_words);
      const uint64_t least =
          std::max(std::bit_ceil(need.bound) >> (shared::kSegments / 4 - 1), FewestDense(need.stride));
      need.dense = std::min(std::max(std::bit_floor(max_dense), least), need.bound);
      need.bytes = SaturatingRoundUp(need.dense * need.stride, kRegionAlignment);
    }
    left -= std::min(left, need.bytes);
    result.bytes += need.bytes;
  }
  return result;
}

}  // namespace trellis
