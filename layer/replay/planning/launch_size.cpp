// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/planning/launch_size.h"

#include <algorithm>
#include <optional>

#include "layer/device/advertised_properties.h"
#include "layer/graph/record_grid.h"
#include "layer/graph/saturating.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {
namespace {

// The rounding up in SplitIntoRows adds fewer than 2^16, and must not wrap.
constexpr uint64_t kMaxWorkgroups = 0xffff0000u;

RecordGrid GridOf(const shared::LaunchPlan& launch) { return {launch.grid_x, launch.grid_y, launch.grid_z}; }

LaunchSize OneSlice(uint32_t records, uint64_t workgroups) {
  return {records, static_cast<uint32_t>(workgroups), 1, workgroups, {}};
}

LaunchSize SizeStaticGrid(const shared::LaunchPlan& launch, uint32_t records, uint64_t max_workgroups,
                          uint32_t max_slices) {
  const uint64_t each = GridWorkgroups(GridOf(launch));
  const uint64_t max_records = each == 0 ? records : max_workgroups / each;
  if (records <= max_records) return OneSlice(records, records * each);
  if (max_records == 0) return {};
  const uint64_t slices = std::min<uint64_t>((records - 1) / max_records + 1, max_slices);
  const uint64_t taken = std::min<uint64_t>(records, slices * max_records);
  const uint64_t of_slice = (taken - 1) / slices + 1;
  return {static_cast<uint32_t>(taken),
          static_cast<uint32_t>(of_slice * each),
          static_cast<uint32_t>(slices),
          taken * each,
          {}};
}

LaunchSize SizeCoalescing(const shared::LaunchPlan& launch, uint32_t records, uint64_t max_workgroups) {
  const uint32_t each = std::max(launch.coalesce, 1u);
  const uint64_t workgroups = std::min(WorkgroupsFor(launch, records), max_workgroups);
  return OneSlice(static_cast<uint32_t>(std::min<uint64_t>(records, workgroups * each)), workgroups);
}

RecordGrid ClampedGrid(const shared::LaunchPlan& launch, std::span<const std::byte> record) {
  const std::optional<RecordGrid> grid = ReadRecordGrid(launch.grid_member, record);
  if (!grid) return {0, 0, 0};  // cannot be: the stride of a slot fits what its node reads
  return ClampGrid(*grid, GridOf(launch));
}

LaunchSize SizeDynamicGrid(const shared::LaunchPlan& launch, const RecordArray& records, const LaunchLimits& limits,
                           std::vector<uint32_t>& record_state) {
  const uint64_t max_workgroups = MaxWorkgroupsOfDispatch(limits);
  const size_t max_slices = limits.has_slices ? shared::kMaxSlices : 1;
  LaunchSize size;
  uint64_t total = 0;  // of the slice
  uint32_t first = 0;  // of the slice
  uint32_t record = 0;
  const auto end_slice = [&] {
    size.table.push_back({first, static_cast<uint32_t>(total)});
    size.workgroups = std::max(size.workgroups, static_cast<uint32_t>(total));
    size.all_workgroups += total;
    first = record;
    total = 0;
  };
  record_state.reserve(size_t{records.count} * launch.state_words);
  for (; record < records.count; ++record) {
    const std::span<const std::byte> rest = records.bytes.subspan(record * records.stride);
    const RecordGrid grid = ClampedGrid(launch, rest.first(std::min<size_t>(records.stride, rest.size())));
    const uint32_t workgroups = std::min(GridWorkgroups(grid), limits.max_grid_workgroups);
    if (total + workgroups > max_workgroups) {
      if (workgroups > max_workgroups || size.table.size() + 1 == max_slices) break;
      end_slice();
    }
    record_state.push_back(static_cast<uint32_t>(total));
    if (launch.state_words == shared::kFullRecordState)
      record_state.insert(record_state.end(), {grid[0], grid[1], workgroups});
    total += workgroups;
  }
  end_slice();
  size.records = record;
  size.slices = static_cast<uint32_t>(size.table.size());
  size.table.push_back({record, 0});
  if (size.slices == 1) size.table.clear();
  return size;
}

bool LaunchBounds(const shared::LaunchPlan& launch, const LaunchLimits& limits, shared::RegionPlan& opening) {
  const uint32_t bound = GridWorkgroups(GridOf(launch));
  if (launch.state_words != shared::kShortRecordState || bound == 0 || bound > shared::kMaxBoundWorkgroups)
    return false;
  if (uint64_t{opening.capacity} + 1 > limits.max_workgroups_x) return false;
  opening.grid_x = DispatchedWorkgroups(launch, bound);  // no dispatch is allowed less in y
  opening.grid_yz = 1;
  return true;
}

}  // namespace

LargestDraw::LargestDraw(const DrawLimits& limits)
    : x(std::max(std::min(limits.max_workgroup_count[0], limits.max_workgroup_total_count), 1u)),
      workgroups(x * std::max(std::min(limits.max_workgroup_count[1], limits.max_workgroup_total_count / x), 1u)) {}

LaunchLimits LimitsOfDraws() { return {UINT32_MAX, 1, 1, kMaxExecutionGraphWorkgroups, false}; }

LaunchLimits LimitsOfOneDraw(const DrawLimits& limits) {
  const std::array<uint32_t, 3>& max_count = limits.max_workgroup_count;
  return {
      max_count[0], max_count[1], max_count[2], kMaxExecutionGraphWorkgroups, false, limits.max_workgroup_total_count};
}

uint64_t MaxWorkgroupsOfDispatch(const LaunchLimits& limits) {
  return std::min(uint64_t{limits.max_workgroups_x} * limits.max_workgroups_y, kMaxWorkgroups);
}

LaunchSize SizeLaunch(const shared::LaunchPlan& launch, const RecordArray& records, const LaunchLimits& limits,
                      std::vector<uint32_t>& record_state) {
  record_state.clear();
  if (launch.kind == shared::kLaunchDynamicGrid) return SizeDynamicGrid(launch, records, limits, record_state);
  const LaunchSize size = launch.kind == shared::kLaunchStaticGrid
                              ? SizeStaticGrid(launch, records.count, MaxWorkgroupsOfDispatch(limits),
                                               limits.has_slices ? shared::kMaxStaticSlices : 1)
                              : SizeCoalescing(launch, records.count, MaxWorkgroupsOfDispatch(limits));
  if (launch.state_words != shared::kNoRecordState) record_state.assign(size.records, GridWorkgroups(GridOf(launch)));
  return size;
}

bool LaunchFromRegion(const shared::LaunchPlan& launch, const LaunchLimits& limits, shared::RegionPlan& opening) {
  if (launch.kind == shared::kLaunchDynamicGrid) return LaunchBounds(launch, limits, opening);
  // Counting the records is all that producers do: record state is made of records, or of their number.
  if (launch.state_words != shared::kNoRecordState) return false;
  // Allocations that failed leave a counter one past the capacity.
  const uint64_t records = uint64_t{opening.capacity} + 1;
  if (launch.kind == shared::kLaunchCoalescing) {
    const uint32_t each = std::max(launch.coalesce, 1u);
    const uint64_t workgroups = (records + each - 1) / each;
    if (workgroups > MaxWorkgroupsOfDispatch(limits) ||
        std::min<uint64_t>(workgroups, launch.max_workgroups) > limits.max_workgroups_x)
      return false;
    // No more than the region can have make no difference, and sums with them stay below 2^32.
    opening.coalesce = static_cast<uint32_t>(std::min<uint64_t>(each, records));
    opening.max_workgroups = launch.max_workgroups;
    return true;
  }
  const uint64_t grid_yz = uint64_t{launch.grid_y} * launch.grid_z;
  if (launch.kind != shared::kLaunchStaticGrid || records > limits.max_workgroups_x ||
      launch.grid_x > limits.max_workgroups_y || grid_yz > limits.max_workgroups_z ||
      SaturatingMultiply(records, SaturatingMultiply(launch.grid_x, grid_yz)) > limits.max_workgroups)
    return false;
  opening.grid_x = launch.grid_x;
  opening.grid_yz = static_cast<uint32_t>(grid_yz);
  return true;
}

uint64_t WorkgroupsFor(const shared::LaunchPlan& launch, uint32_t records) {
  if (launch.kind == shared::kLaunchStaticGrid) return uint64_t{records} * GridWorkgroups(GridOf(launch));
  const uint64_t each = std::max(launch.coalesce, 1u);
  return (records + each - 1) / each;
}

uint32_t DispatchedWorkgroups(const shared::LaunchPlan& launch, uint64_t workgroups) {
  const uint64_t packed = (workgroups + launch.packed - 1) / launch.packed;
  return static_cast<uint32_t>(std::min<uint64_t>(packed, launch.max_workgroups));
}

DispatchSize SplitIntoRows(uint32_t workgroups, uint32_t max_x, uint32_t slices) {
  if (workgroups == 0) return {};
  const uint32_t rows = (workgroups - 1) / max_x + 1;
  return {(workgroups - 1) / rows + 1, rows, slices};
}

}  // namespace trellis
