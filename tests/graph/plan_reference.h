// SPDX-License-Identifier: Apache-2.0
// Sizes that plans have to reserve, computed without the planner's own functions.
#pragma once

#include <algorithm>
#include <cstdint>

#include "spirv_lowering/reflect/node_info.h"

namespace trellis::test {

// Bytes of a region: its records, then a list for each word of state, every part padded to 16 bytes.
inline uint64_t ReferenceRegionBytes(uint64_t stride, uint64_t state_words, uint64_t records) {
  const auto padded = [](uint64_t bytes) { return (bytes + 15) / 16 * 16; };
  return padded(records * stride) + state_words * padded(records * 4);
}

// Bytes of the segments that the records behind the first `dense` ones take: four for each power of two, a quarter of
// it long.
inline uint64_t ReferenceGrownBytes(uint64_t stride, uint64_t dense, uint64_t records) {
  uint64_t bytes = 0;
  for (uint64_t octave = dense; dense != 0 && octave < records; octave *= 2)
    for (uint64_t quarter = 0; quarter < 4 && octave + quarter * (octave / 4) < records; ++quarter)
      bytes += (octave / 4 * stride + 15) / 16 * 16;
  return bytes;
}

// Workgroups that so many records become at most. A side of 0 bounds no dynamic grid.
inline uint64_t ReferenceMaxWorkgroups(const spirv::NodeInfo& info, uint64_t records, uint64_t max_grid_workgroups) {
  if (info.kind == spirv::LaunchKind::kCoalescing) return (records + info.coalesce - 1) / info.coalesce;
  uint64_t grid = 1;
  for (const uint32_t side : info.grid) {
    if (side == 0 && info.kind == spirv::LaunchKind::kDynamicGrid) return records * max_grid_workgroups;
    grid *= side;
  }
  if (info.kind == spirv::LaunchKind::kDynamicGrid) grid = std::min(grid, max_grid_workgroups);
  return records * grid;
}

}  // namespace trellis::test
