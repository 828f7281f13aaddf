// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/record_grid.h"

#include <algorithm>
#include <cstring>

#include "meta_shaders/shared/graph_data.h"

namespace trellis {

std::optional<RecordGrid> ReadRecordGrid(uint32_t grid_member, std::span<const std::byte> record) {
  const uint32_t offset = grid_member & 0xffffu;
  const uint32_t width = (grid_member >> shared::kGridMemberWidthShift) & 0xfu;
  const uint32_t count = std::min((grid_member >> shared::kGridMemberCountShift) & 0xfu, 3u);
  if (offset + count * width > record.size()) return std::nullopt;
  RecordGrid grid = {1, 1, 1};
  for (uint32_t i = 0; i < count; ++i) {
    grid[i] = 0;
    std::memcpy(&grid[i], record.data() + offset + i * width, width);  // little endian, like every device
  }
  return grid;
}

RecordGrid ClampGrid(const RecordGrid& grid, const RecordGrid& bounds) {
  RecordGrid clamped = grid;
  for (size_t i = 0; i < clamped.size(); ++i)
    if (bounds[i] != 0) clamped[i] = std::min(clamped[i], bounds[i]);
  return clamped;
}

uint32_t GridWorkgroups(const RecordGrid& grid) {
  constexpr uint64_t kSaturated = 0xffffffffu;
  const uint64_t layer = std::min(uint64_t{grid[0]} * grid[1], kSaturated);
  return static_cast<uint32_t>(std::min(layer * grid[2], kSaturated));
}

}  // namespace trellis
