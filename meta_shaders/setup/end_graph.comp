// Last kernel of a graph: gives the ring back, then reports what the regions lost.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "../shared/kernel.glsl"

layout(local_size_x = 128) in;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer EndPlanReference { EndPlan plan; };

void ReleaseRing(EndPlan plan) {
  const uint entry = ControlBlockReference(plan.control).control.ring_entry;
  if (entry != kNoSlot) atomicExchange(RingEntryOf(plan.ring_table, entry).entry.owner, 0u);
}

// Regions lie in scratch, which is this graph's own until its last kernel has ended.
void ReportRegion(EndPlan plan, RegionPlan opening) {
  ReportLoss(plan.reports, plan.origin, opening.slot, opening.level, RegionOf(plan.regions, opening.region).region.lost);
}

void main() {
  const EndPlan plan = EndPlanReference(push.plan).plan;
  const uint index = gl_GlobalInvocationID.x;
  if (index == 0u) ReleaseRing(plan);
  if (index < plan.opening_count) ReportRegion(plan, LoadRegionPlan(plan.openings, index));
}
