// SPDX-License-Identifier: Apache-2.0
// Opens regions: after the begin kernel those that it did not; where there is no begin kernel, at the same time as level 0, those that level 0 does not append to, the
// set of the next execution among them.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "../shared/kernel.glsl"

layout(local_size_x = kLevelsWorkgroup) in;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer OpenPlanReference { OpenPlan plan; };

void main() {
  const OpenPlan plan = OpenPlanReference(push.plan).plan;
  const uint index = gl_GlobalInvocationID.x;
  if (index >= plan.opening_count) return;
  const ControlBlock control = ControlBlockReference(plan.control).control;
  uvec2 regions = plan.regions;
  if (index < plan.prepared_count) regions = SetOfRegions(plan.prepared, AlternatingRegionsOf(plan.prepared).regions.other);
  RegionPlan opening = RegionPlanReference(plan.openings).at[index];
  if (index < plan.prepared_count && !IsNull(plan.dense_parts)) {
    const DensePart part = DensePartReference(plan.dense_parts).at[index];
    opening.offset = Multiply64(part.units, 16u);
    opening.dense = part.dense;
  }
  OpenRegion(regions, control.ring, control.dump, opening);
}
