// SPDX-License-Identifier: Apache-2.0
// Before the sizing kernel, for launches with many records that say their grids: one workgroup a part adds up its workgroups.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "../shared/kernel.glsl"
#include "launch_size.glsl"

layout(local_size_x = kLevelsWorkgroup) in;

void main() {
  const SizingPlan plan = SizingPlanReference(push.plan).plan;
  const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (workgroup >= plan.summed_count * plan.parts) return;
  const Share share = ShareOf(plan, workgroup);
  const LaunchPlan launch = LaunchPlanReference(plan.launches).at[share.launch];
  RegionReference region = RegionOf(CurrentRegions(plan.consumed), launch.slot);
  const Part part = PartOf(share, RecordsIn(region));
  if (IsEmpty(part)) return;  // and so are all parts behind it: their sums are not read
  uint total;
  ScanWorkgroup(CountRecords(plan, launch, region, part.begin, part.end), total);
  if (gl_LocalInvocationIndex == 0u) SumOfPart(plan, share, share.part).value = total;
}
