// SPDX-License-Identifier: Apache-2.0
// Before a level whose launches run in batches: numbers the workgroups of each batch, one batch a workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "../shared/kernel.glsl"
#include "launch_size.glsl"

layout(local_size_x = kLevelsWorkgroup) in;

// What the region would be dispatched with, but for records that found no place.
uint WorkgroupsOf(LaunchBatch batch, uint member) {
  LaunchBlockReference launch = LaunchBlockReference(ElementAddress(batch.members, member, batch.member_bytes));
  RegionReference from = RegionReference(launch.block.source);
  if (batch.kind == kLaunchCoalescing) return from.region.workgroups;
  return SaturatingMultiply(RecordsIn(from), SaturatingMultiply(from.region.grid_x, from.region.grid_yz));
}

void main() {
  // As many workgroups as batches: the planner makes no more of them than fit into a row.
  const LaunchBatch batch = LaunchBatchReference(ElementAddress(push.plan, gl_WorkGroupID.x, kLaunchBatchBytes)).batch;
  UintArrayReference sums = UintArrayReference(batch.sums);
  uint before = 0u;
  for (uint tile = 0u; tile < batch.member_count; tile += kLevelsWorkgroup) {
    const uint member = tile + gl_LocalInvocationIndex;
    uint total;
    const uint first = ScanWorkgroup(member < batch.member_count ? WorkgroupsOf(batch, member) : 0u, total);
    if (member < batch.member_count) sums.at[member] = SaturatingAdd(before, first);
    before = SaturatingAdd(before, total);
  }
  if (gl_LocalInvocationIndex != 0u) return;
  sums.at[batch.member_count] = before;
  ArgumentsReference(batch.arguments).at[0] = SplitIntoRows(before, batch.max_workgroups_x, 1u);
}
