// SPDX-License-Identifier: Apache-2.0
// With the setting `validate`: grids that records ask for and may not have (maxComputeWorkGroupCount-09186).
#ifndef TRELLIS_META_SHADERS_LEVELS_CHECK_GRIDS_GLSL
#define TRELLIS_META_SHADERS_LEVELS_CHECK_GRIDS_GLSL

#include "../shared/grid.glsl"
#include "../shared/kernel.glsl"
#include "launch_size.glsl"

shared uint large_components;
shared uint largest_component;
shared uint large_grids;
shared uint largest_grid;

void CheckGrid(SizingPlan plan, LaunchPlan launch, uvec2 record) {
  const uvec3 no_bounds = uvec3(0u);
  const uvec3 grid = ReadRecordGrid(record, launch.grid_member, no_bounds);
  const uvec3 clamped = ReadRecordGrid(record, launch.grid_member, uvec3(launch.grid_x, launch.grid_y, launch.grid_z));
  if (grid != clamped) {
    atomicAdd(large_components, 1u);
    atomicMax(largest_component, max(grid.x, max(grid.y, grid.z)));
    return;
  }
  const uint workgroups = SaturatingMultiply(SaturatingMultiply(grid.x, grid.y), grid.z);
  if (workgroups <= plan.max_grid_workgroups) return;
  atomicAdd(large_grids, 1u);
  atomicMax(largest_grid, workgroups);
}

// Checks the grids of a part's records. Called by all invocations of a workgroup.
void CheckGrids(SizingPlan plan, LaunchPlan launch, RegionReference region, Part part) {
  if (gl_LocalInvocationIndex == 0u) {
    large_components = largest_component = 0u;
    large_grids = largest_grid = 0u;
  }
  barrier();
  for (uint record = part.begin + gl_LocalInvocationIndex; record < part.end; record += kLevelsWorkgroup)
    CheckGrid(plan, launch, RecordAddress(region.region.records, record));
  barrier();
  if (gl_LocalInvocationIndex != 0u) return;
  Report(plan.reports, DeviceReport(plan.origin, kReportGridComponent, launch.identity, plan.level, largest_component, large_components));
  Report(plan.reports, DeviceReport(plan.origin, kReportGridWorkgroups, launch.identity, plan.level, largest_grid, large_grids));
}

#endif  // TRELLIS_META_SHADERS_LEVELS_CHECK_GRIDS_GLSL
