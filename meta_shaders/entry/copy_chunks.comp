// SPDX-License-Identifier: Apache-2.0
// Entry, last pass: workgroup i copies chunk i. Dispatched indirectly, with the arguments in EntryState.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "copy_records.glsl"

layout(local_size_x = kEntryWorkgroup) in;

void main() {
  const EntryPlan plan = EntryPlanReference(push.plan).plan;
  const uvec2 table = AddressAdd64(ControlBlockReference(plan.control).control.ring, plan.chunks_offset);
  CopyTogether(EntryChunkReference(table).at[gl_WorkGroupID.x]);
}
