// First kernel of a graph, one workgroup: claims a ring, writes the control block, opens regions.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "../shared/kernel.glsl"

layout(local_size_x = 128) in;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer BeginPlanReference { BeginPlan plan; };

// There is a ring for every queue, so a free one exists at any moment; but while one scan runs, graphs on other queues may swap theirs behind its back. With many
// queues of short graphs that happens several times in a row. The bound only makes sure that nothing hangs, whatever went wrong.
const uint kMostScans = 4096u;

shared uvec2 claimed_ring;

// Index of the ring claimed, kNoSlot if there is none.
uint ClaimRing(BeginPlan plan, out uvec2 base) {
  const uint count = RingTableHeaderReference(plan.ring_table).header.count;
  // Mostly the first one does, so it is asked for together with the count: what follows one after the other, nothing hides.
  const uvec2 first_base = RingEntryOf(plan.ring_table, 0u).entry.base;
  const uvec2 first_bytes = RingEntryOf(plan.ring_table, 0u).entry.bytes;
  bool any_fits = true;
  for (uint scan = 0u; any_fits && scan < kMostScans; ++scan) {
    any_fits = false;
    for (uint index = 0u; index < count; ++index) {
      RingEntryReference candidate = RingEntryOf(plan.ring_table, index);
      const uvec2 bytes = index == 0u && scan == 0u ? first_bytes : candidate.entry.bytes;
      if (!GreaterOrEqual64(bytes, plan.ring_bytes)) continue;
      any_fits = true;
      if (atomicCompSwap(candidate.entry.owner, 0u, 1u) != 0u) continue;
      base = index == 0u ? first_base : candidate.entry.base;
      return index;
    }
  }
  base = uvec2(0u);
  return kNoSlot;
}

void WriteControlBlock(BeginPlan plan) {
  const bool needs_ring = !IsNull(plan.ring_bytes);
  ControlBlock control;
  control.ring = uvec2(0u);
  uint entry = kNoSlot;
  if (needs_ring) entry = ClaimRing(plan, control.ring);
  control.dump = plan.dump;
  control.ring_entry = entry;
  control.heap_slot = plan.heap_slot;
  control.reports = plan.reports;
  control.origin = plan.origin;
  control.unused = 0u;
  ControlBlockReference(plan.control).control = control;
  claimed_ring = control.ring;
}

void main() {
  const BeginPlan plan = BeginPlanReference(push.plan).plan;
  // Asked for while the ring is being claimed.
  RegionPlan opening;
  if (gl_LocalInvocationIndex < plan.opening_count) opening = LoadRegionPlan(plan.openings, gl_LocalInvocationIndex);
  if (gl_LocalInvocationIndex == gl_WorkGroupSize.x - 1u) WriteControlBlock(plan);
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < plan.opening_count; i += gl_WorkGroupSize.x) {
    if (i != gl_LocalInvocationIndex) opening = LoadRegionPlan(plan.openings, i);
    OpenRegion(plan.regions, claimed_ring, plan.dump, opening);
  }
}
