// After the begin kernel, in graphs with many regions: opens those that it did not.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "../shared/kernel.glsl"

layout(local_size_x = 128) in;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer OpenPlanReference { OpenPlan plan; };

void main() {
  const OpenPlan plan = OpenPlanReference(push.plan).plan;
  const ControlBlock control = ControlBlockReference(plan.control).control;
  if (gl_GlobalInvocationID.x < plan.opening_count)
    OpenRegion(plan.regions, control.ring, control.dump, LoadRegionPlan(plan.openings, gl_GlobalInvocationID.x));
}
