// SPDX-License-Identifier: Apache-2.0
// Before level 0: gives every input that is written a copy of its own.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "../shared/kernel.glsl"

layout(local_size_x = kCopyWorkgroup) in;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer CopyPlanReference { CopyPlan plan; };
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer InputCopyReference { InputCopy at[]; };

// Without a ring the launch has nothing to do.
void WriteInput(CopyPlan plan, InputCopy copy, uvec2 ring) {
  LaunchInput launch = LaunchInputReference(copy.input_template).launch;
  if (IsNull(ring)) {
    if (copy.pieces != 0u) ReportLoss(plan.reports, plan.origin, copy.slot, 0u, launch.records.count);
    launch.records.count = 0u;
    launch.workgroup_count = 0u;
  } else {
    launch.records.base = AddressAdd64(ring, copy.ring_offset);
    if (!IsNull(launch.record_state)) launch.record_state = AddressAdd64(ring, copy.record_state_offset);
  }
  LaunchInputReference(copy.target).launch = launch;
}

void main() {
  const CopyPlan plan = CopyPlanReference(push.plan).plan;
  const InputCopy copy = InputCopyReference(plan.copies).at[gl_WorkGroupID.y];
  const uvec2 ring = ControlBlockReference(plan.control).control.ring;
  if (gl_WorkGroupID.x == 0u && gl_LocalInvocationIndex == 0u) WriteInput(plan, copy, ring);
  if (IsNull(ring)) return;
  const uvec2 target = AddressAdd64(ring, copy.ring_offset);
  const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_WorkGroupID.x * gl_WorkGroupSize.x + gl_LocalInvocationIndex; i < copy.pieces; i += step)
    UnitReference(ElementAddress(target, i, 16u)).unit = UnitReference(ElementAddress(copy.source, i, 16u)).unit;
}
