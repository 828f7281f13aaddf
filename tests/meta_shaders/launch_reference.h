// SPDX-License-Identifier: Apache-2.0
// How large a launch has to be, for comparison with layer/replay/planning/launch_size.cpp and
// meta_shaders/levels/launch_size.glsl. Calls neither: a rule that both of them forget is kept here.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "layer/replay/planning/launch_size.h"
#include "meta_shaders/shared/graph_data.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis::test {

struct ReferenceSize {
  uint64_t records = 0;
  uint64_t workgroups = 0;  // of the largest slice
  uint64_t slices = 1;
  std::vector<shared::Slice> table;  // of grids from records, if there are several slices
  std::vector<uint32_t> record_state;
};

// The grid that a record asks for, within the node's bounds (0: none). Components that it lacks are 1.
inline std::array<uint64_t, 3> ReferenceGrid(const shared::LaunchPlan& launch, const std::byte* record) {
  const uint32_t offset = launch.grid_member % 65536;
  const uint32_t width = launch.grid_member >> shared::kGridMemberWidthShift & 15;
  const uint32_t count = launch.grid_member >> shared::kGridMemberCountShift & 15;
  const uint32_t bounds[3] = {launch.grid_x, launch.grid_y, launch.grid_z};
  std::array<uint64_t, 3> grid = {1, 1, 1};
  for (uint32_t i = 0; i < 3; ++i) {
    if (i < count) {
      grid[i] = 0;
      for (uint32_t byte = width; byte-- > 0;)
        grid[i] = grid[i] * 256 + std::to_integer<uint64_t>(record[offset + i * width + byte]);
    }
    if (bounds[i] != 0 && grid[i] > bounds[i]) grid[i] = bounds[i];
  }
  return grid;
}

// At most `limit`. The product of three components can have 96 bits.
inline uint64_t ReferenceWorkgroups(const std::array<uint64_t, 3>& grid, uint64_t limit) {
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) return 0;
  if (grid[0] * grid[1] > limit) return limit;
  return std::min(grid[0] * grid[1] * grid[2], limit);
}

// A slice has at most max_workgroups_x * max_workgroups_y workgroups; rounding up to whole rows adds fewer than 2^16
// and must stay below 2^32. A record is in one slice with all of its workgroups. Records beyond the last slice are
// dropped.
inline ReferenceSize ReferenceLaunch(const shared::LaunchPlan& launch, std::span<const std::byte> bytes, uint32_t count,
                                     uint32_t stride, const LaunchLimits& limits) {
  const uint64_t most = std::min<uint64_t>(uint64_t{limits.max_workgroups_x} * limits.max_workgroups_y, 4294901760u);
  ReferenceSize size;
  if (launch.kind == shared::kLaunchCoalescing) {
    size.records = std::min<uint64_t>(count, most * launch.coalesce);
    size.workgroups = size.records / launch.coalesce + (size.records % launch.coalesce == 0 ? 0 : 1);
    return size;
  }
  if (launch.kind == shared::kLaunchStaticGrid) {
    const uint64_t each = uint64_t{launch.grid_x} * launch.grid_y * launch.grid_z;
    const uint64_t of_slice = each == 0 ? count : most / each;
    size.records = std::min<uint64_t>(count, of_slice * 65535);
    while (size.slices * of_slice < size.records) ++size.slices;
    size.workgroups = (size.records + size.slices - 1) / size.slices * each;
    if (launch.state_words != 0) size.record_state.assign(size.records, static_cast<uint32_t>(each));
    return size;
  }
  std::vector<shared::Slice> table = {{0, 0}};
  for (; size.records < count; ++size.records) {
    const std::array<uint64_t, 3> grid = ReferenceGrid(launch, bytes.data() + size.records * stride);
    const uint64_t workgroups = ReferenceWorkgroups(grid, limits.max_grid_workgroups);
    if (workgroups > most) break;
    if (table.back().workgroup_count + workgroups > most) {
      if (table.size() == 63) break;
      table.push_back({static_cast<uint32_t>(size.records), 0});
    }
    size.record_state.push_back(table.back().workgroup_count);
    if (launch.state_words == 4)
      for (const uint64_t word : {grid[0], grid[1], workgroups})
        size.record_state.push_back(static_cast<uint32_t>(word));
    table.back().workgroup_count += static_cast<uint32_t>(workgroups);
    size.workgroups = std::max<uint64_t>(size.workgroups, table.back().workgroup_count);
  }
  size.slices = table.size();
  table.push_back({static_cast<uint32_t>(size.records), 0});
  if (size.slices > 1) size.table = table;
  return size;
}

// Workgroups of the dispatch behind `workgroups` of the launch's own.
inline uint64_t ReferenceDispatched(const shared::LaunchPlan& launch, uint64_t workgroups) {
  const uint64_t packed = workgroups / launch.packed + (workgroups % launch.packed == 0 ? 0 : 1);
  return std::min<uint64_t>(packed, launch.max_workgroups);
}

// As few rows as the limit allows, and rows as short as so many allow.
inline void ExpectRows(const shared::DispatchArguments& arguments, uint64_t workgroups, uint32_t max_x,
                       uint64_t slices = 1) {
  if (workgroups == 0) {
    EXPECT_EQ(uint64_t{arguments.x} * arguments.y * arguments.z, 0u);
    return;
  }
  EXPECT_LE(arguments.x, max_x);
  EXPECT_EQ(arguments.z, slices);
  ASSERT_GE(uint64_t{arguments.x} * arguments.y, workgroups);
  EXPECT_LT((uint64_t{arguments.y} - 1) * max_x, workgroups) << "fewer rows are enough";
  EXPECT_LT((uint64_t{arguments.x} - 1) * arguments.y, workgroups) << "shorter rows are enough";
}

}  // namespace trellis::test
