// SPDX-License-Identifier: Apache-2.0
// First kernel of a graph, one workgroup: finds a ring, writes the control block, opens regions.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "../shared/kernel.glsl"

layout(local_size_x = 128) in;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer BeginPlanReference { BeginPlan plan; };

// Where rings are claimed there is one for every queue, so a free one exists at any moment; but while one scan runs, graphs on other queues may swap theirs behind its back. With many
// queues of short graphs that happens several times in a row. The bound only makes sure that nothing hangs, whatever went wrong.
const uint kMaxScans = 4096u;

shared uvec2 found_ring;

// Index of the ring to use, kNoSlot if there is none.
uint FindRing(BeginPlan plan) {
  RingTableReference table = RingTableReference(plan.ring_table);
  const uint count = table.header.count;
  bool any_fits = true;
  for (uint scan = 0u; any_fits && scan < kMaxScans; ++scan) {
    any_fits = false;
    for (uint index = 0u; index < count; ++index) {
      if (!GreaterOrEqual64(table.rings[index].bytes, plan.ring_bytes)) continue;
      any_fits = true;
      if (plan.claims_ring == 0u) return index;
      if (atomicCompSwap(table.rings[index].owner, 0u, 1u) != 0u) continue;
      memoryBarrierBuffer();  // after the one of release_ring: what the last graph did to the ring is done
      return index;
    }
  }
  return kNoSlot;
}

void WriteControlBlock(BeginPlan plan) {
  const uint entry = IsNull(plan.ring_bytes) ? kNoSlot : FindRing(plan);
  uvec2 ring = uvec2(0u);
  if (entry != kNoSlot) ring = RingTableReference(plan.ring_table).rings[entry].base;
  ControlBlockReference(plan.control).control = ControlBlock(ring, plan.dump, entry, plan.heap_slot, plan.reports, plan.origin, 0u);
  found_ring = ring;
}

void main() {
  const BeginPlan plan = BeginPlanReference(push.plan).plan;
  if (gl_LocalInvocationIndex == 0u) WriteControlBlock(plan);
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < plan.opening_count; i += gl_WorkGroupSize.x)
    OpenRegion(plan.regions, found_ring, plan.dump, RegionPlanReference(plan.openings).at[i]);
}
