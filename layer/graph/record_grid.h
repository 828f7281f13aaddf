// SPDX-License-Identifier: Apache-2.0
// The grid that a record asks for: the host's side of meta_shaders/shared/grid.glsl. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace trellis {

using RecordGrid = std::array<uint32_t, 3>;

// `grid_member`: as LaunchPlan::grid_member. Components that the record lacks are 1. Nothing if the record ends before
// the grid does.
[[nodiscard]] std::optional<RecordGrid> ReadRecordGrid(uint32_t grid_member, std::span<const std::byte> record);
// Each component at most its bound; a bound of 0 is none.
[[nodiscard]] RecordGrid ClampGrid(const RecordGrid& grid, const RecordGrid& bounds);
// Product of the components, at most 2^32 - 1.
[[nodiscard]] uint32_t GridWorkgroups(const RecordGrid& grid);

}  // namespace trellis
