// SPDX-License-Identifier: Apache-2.0
// Next to the launches of the last level, or the draws: reports what the regions lost. Those launches append to none of them. Where regions are
// prepared: turns to the set of the next execution.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "../shared/scan.glsl"
#include "count_regions.glsl"

layout(local_size_x = kLevelsWorkgroup) in;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer LossPlanReference { LossPlan plan; };

// Only this workgroup reads it now: level 0 has ended.
void TurnToOther(AlternatingRegionsReference sets) {
  memoryBarrierBuffer();
  barrier();
  if (gl_LocalInvocationIndex != 0u) return;
  const uint current = sets.regions.current;
  sets.regions.current = sets.regions.other;
  sets.regions.other = current;
}

void ReportRegion(LossPlan plan, uvec2 regions, uint index) {
  const RegionPlan opening = RegionPlanReference(plan.openings).at[index];
  ReportLoss(plan.reports, plan.origin, opening.slot, opening.level, LostOf(RegionOf(regions, opening.region)));
}

const uint kFewestAdaptedDense = 16u;  // a quarter of it takes whole units

// A power of two with room for what was sent and an eighth more. Not less than a quarter of what was planned: plans count pieces of regions with that
// (SegmentsOf in layer/graph/region_layout.cpp), and the next execution may send elsewhere. And not so little that segments do not reach the capacity.
uint WantedDense(RegionPlan opening, RegionReference region) {
  const uint sent = min(region.region.reserved, opening.capacity);
  const uint wanted = min(sent + sent / 8u, opening.capacity);
  const uint power = wanted < 2u ? 1u : 1u << findMSB(wanted - 1u) + 1;
  const uint fewest = max(max(opening.dense / 4u, kFewestAdaptedDense), 1u << max(findMSB(opening.capacity) - 14, 0));
  return min(max(power, fewest), opening.capacity);
}

// Returns the dense units of the region `index`, with `adapted` sizes or planned ones. 0 behind the last one, which is the pool.
uint DenseUnits(LossPlan plan, uvec2 regions, uint index, bool adapted, out DensePart part) {
  RegionPlanReference openings = RegionPlanReference(plan.openings);
  const RegionPlan opening = openings.at[min(index, plan.prepared_count - 1u)];
  part = DensePart(UnitsBetween(uvec2(0u), opening.offset), opening.dense);
  if (index + 1u >= plan.prepared_count) return 0u;
  if (!adapted || opening.dense >= opening.capacity) return UnitsBetween(opening.offset, openings.at[index + 1u].offset);
  part.dense = WantedDense(opening, RegionOf(regions, opening.region));
  return RecordUnits(part.dense, opening.stride);
}

// Called by all invocations of a workgroup.
void AdaptDenseParts(LossPlan plan, uvec2 regions) {
  uint all = 0u;
  DensePart part;
  for (uint tile = 0u; tile < plan.prepared_count; tile += kScanWorkgroup) {
    uint total;
    ScanWorkgroup(DenseUnits(plan, regions, tile + gl_LocalInvocationIndex, true, part), total);
    all = SaturatingAdd(all, total);
  }
  const bool adapted = all <= plan.dense_units;
  uint before = UnitsBetween(uvec2(0u), RegionPlanReference(plan.openings).at[0].offset);
  for (uint tile = 0u; tile < plan.prepared_count; tile += kScanWorkgroup) {
    const uint index = tile + gl_LocalInvocationIndex;
    uint total;
    const uint first = before + ScanWorkgroup(DenseUnits(plan, regions, index, adapted, part), total);
    if (adapted && index + 1u < plan.prepared_count) part.units = first;
    if (index < plan.prepared_count) DensePartReference(plan.dense_parts).at[index] = part;
    before += total;
  }
}

// Called by all invocations of a workgroup.
void CountLastLevel(CountPlan plan) {
  const uint end = max(plan.region_count, plan.dump_count);
  for (uint index = gl_LocalInvocationIndex; index < end; index += gl_WorkGroupSize.x) CountRegions(plan, index);
}

void main() {
  const LossPlan plan = LossPlanReference(push.plan).plan;
  if (IsNull(plan.prepared)) {
    if (gl_GlobalInvocationID.x < plan.opening_count) ReportRegion(plan, plan.regions, gl_GlobalInvocationID.x);
  } else if (gl_WorkGroupID.x == 0u) {
    const uvec2 regions = CurrentRegions(plan.prepared);
    for (uint index = gl_LocalInvocationIndex; index < plan.prepared_count; index += gl_WorkGroupSize.x) ReportRegion(plan, regions, index);
    if (!IsNull(plan.dense_parts)) AdaptDenseParts(plan, regions);
    if (!IsNull(plan.counted)) CountLastLevel(CountPlanReference(plan.counted).plan);
    TurnToOther(AlternatingRegionsOf(plan.prepared));
  } else {
    const uint index = plan.prepared_count + gl_GlobalInvocationID.x - gl_WorkGroupSize.x;
    if (index < plan.opening_count) ReportRegion(plan, plan.regions, index);
  }
}
