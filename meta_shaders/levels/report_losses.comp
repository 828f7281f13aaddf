// Beside the launches of the last level: reports what the regions lost. Those launches append to none of them.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "../shared/kernel.glsl"

layout(local_size_x = 128) in;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer LossPlanReference { LossPlan plan; };

void main() {
  const LossPlan plan = LossPlanReference(push.plan).plan;
  const uint index = gl_GlobalInvocationID.x;
  if (index >= plan.opening_count) return;
  const RegionPlan opening = LoadRegionPlan(plan.openings, index);
  ReportLoss(plan.reports, plan.origin, opening.slot, opening.level, RegionOf(plan.regions, opening.region).region.lost);
}
