// Beside the launches of the last level: reports what the regions lost. Those launches append to none of them. Where regions are prepared: turns
// to the set of the next execution.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "../shared/kernel.glsl"
#include "../shared/segments.glsl"

layout(local_size_x = 128) in;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer LossPlanReference { LossPlan plan; };

// Nobody reads it now but this workgroup: level 0 has ended.
void TurnToOther(AlternatingRegionsReference sets) {
  memoryBarrierBuffer();
  barrier();
  if (gl_LocalInvocationIndex != 0u) return;
  const uint current = sets.regions.current;
  sets.regions.current = sets.regions.other;
  sets.regions.other = current;
}

void ReportRegion(LossPlan plan, uvec2 regions, uint index) {
  const RegionPlan opening = LoadRegionPlan(plan.openings, index);
  ReportLoss(plan.reports, plan.origin, opening.slot, opening.level, LostOf(RegionOf(regions, opening.region)));
}

void main() {
  const LossPlan plan = LossPlanReference(push.plan).plan;
  if (IsNull(plan.prepared)) {
    if (gl_GlobalInvocationID.x < plan.opening_count) ReportRegion(plan, plan.regions, gl_GlobalInvocationID.x);
  } else if (gl_WorkGroupID.x == 0u) {
    const uvec2 regions = CurrentRegions(plan.prepared);
    for (uint index = gl_LocalInvocationIndex; index < plan.prepared_count; index += gl_WorkGroupSize.x) ReportRegion(plan, regions, index);
    TurnToOther(AlternatingRegionsOf(plan.prepared));
  } else {
    const uint index = plan.prepared_count + gl_GlobalInvocationID.x - gl_WorkGroupSize.x;
    if (index < plan.opening_count) ReportRegion(plan, plan.regions, index);
  }
}
