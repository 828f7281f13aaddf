// SPDX-License-Identifier: Apache-2.0
// How many workgroups a launch needs: the host's side of meta_shaders/levels/launch_size.glsl, for the launches whose
// records the host knows. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "meta_shaders/shared/graph_data.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {

struct LaunchLimits {
  uint32_t max_workgroups_x = 0;  // VkPhysicalDeviceLimits::maxComputeWorkGroupCount
  uint32_t max_workgroups_y = 0;
  uint32_t max_workgroups_z = 0;
  uint32_t max_grid_workgroups = 0;  // maxExecutionGraphWorkgroups: most workgroups of one record with a dynamic grid
  bool has_slices = true;            // false for draws, whose workgroups are in one slice
  uint64_t max_workgroups = UINT64_MAX;  // of all dimensions together
};

// VkPhysicalDeviceMeshShaderPropertiesEXT.
struct DrawLimits {
  std::array<uint32_t, 3> max_workgroup_count = {};
  uint32_t max_workgroup_total_count = 0;
};

// The largest of the draws that a launch is split into.
struct LargestDraw {
  explicit LargestDraw(const DrawLimits& limits);
  uint32_t x;           // workgroups in a row, at most
  uint32_t workgroups;  // whole rows, so that as many fit whatever their number
};

// Returns the limits of all draws of a mesh node's launch together, which number workgroups in 32 bits.
[[nodiscard]] LaunchLimits LimitsOfDraws();
// Returns the limits of one draw, whose dimensions are not chosen.
[[nodiscard]] LaunchLimits LimitsOfOneDraw(const DrawLimits& limits);

struct LaunchSize {
  uint32_t records = 0;     // fewer than there are if they are too many for the maximum of slices
  uint32_t workgroups = 0;  // of the largest slice, as LaunchInput counts them
  uint32_t slices = 1;
  uint64_t all_workgroups = 0;       // of all slices
  std::vector<shared::Slice> table;  // of grids from records, if there are several slices
};

// Records that the host can read. The last one may end before its stride does.
struct RecordArray {
  std::span<const std::byte> bytes;  // looked at for dynamic grids only
  uint32_t count = 0;
  uint64_t stride = 0;
};

struct DispatchSize {
  uint32_t x = 0;
  uint32_t y = 0;
  uint32_t z = 0;
};

// Maximum of workgroups in two dimensions of a dispatch, which is that of a slice.
[[nodiscard]] uint64_t MaxWorkgroupsOfDispatch(const LaunchLimits& limits);

// `record_state` gets launch.state_words words for each record taken.
[[nodiscard]] LaunchSize SizeLaunch(const shared::LaunchPlan& launch, const RecordArray& records,
                                    const LaunchLimits& limits, std::vector<uint32_t>& record_state);

// Whether counters that producers keep in a region can be the arguments of its slot's own launch, whatever arrives (see
// shared::Region). Then `opening` gets what stands besides the counts. Grids from records: of nodes that launch bounds.
[[nodiscard]] bool LaunchFromRegion(const shared::LaunchPlan& launch, const LaunchLimits& limits,
                                    shared::RegionPlan& opening);

// Workgroups of such a launch, if so many records arrive.
[[nodiscard]] uint64_t WorkgroupsFor(const shared::LaunchPlan& launch, uint32_t records);

// Returns the workgroups of the dispatch that runs `workgroups` of LaunchInput (LaunchPlan::packed, max_workgroups).
[[nodiscard]] uint32_t DispatchedWorkgroups(const shared::LaunchPlan& launch, uint64_t workgroups);

// A dispatch of `slices` slices with at least `workgroups` workgroups each (below 2^32 - 2^16), as near to one row as
// the limit allows. 0, 0, 0 for none.
[[nodiscard]] DispatchSize SplitIntoRows(uint32_t workgroups, uint32_t max_x, uint32_t slices = 1);

}  // namespace trellis
