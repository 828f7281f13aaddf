// SPDX-License-Identifier: Apache-2.0
// Last kernel of a graph that claimed a ring: gives it back.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "../shared/kernel.glsl"

layout(local_size_x = 1) in;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer ReleasePlanReference { ReleasePlan plan; };

void main() {
  const ReleasePlan plan = ReleasePlanReference(push.plan).plan;
  const uint entry = ControlBlockReference(plan.control).control.ring_entry;
  if (entry == kNoSlot) return;
  // The graph that claims the ring next may run on another queue, and no barrier stands between the two.
  memoryBarrierBuffer();
  atomicExchange(RingTableReference(plan.ring_table).rings[entry].owner, 0u);
}
