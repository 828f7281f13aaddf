// SPDX-License-Identifier: Apache-2.0
// Allocations against their rules: with the setting `validate`, before each of them.
#ifndef TRELLIS_META_SHADERS_RUNTIME_CHECK_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_CHECK_GLSL

#include "meta_shaders/runtime/handles.glsl"
#include "meta_shaders/shared/reports.glsl"

// What one allocation asks for.
struct Wish {
  uint payloads;
  uint slot;           // of one node that is to get them
  uint lost_payloads;  // for nodes that do not exist
  uint lost_index;     // shader index of one of those
};

void ReportWish(const Wish wish, const uint limit) {
  ControlBlock control = ControlBlockReference(LaunchBlockReference(trellis_launch).block.control).control;
  if (wish.payloads > limit && wish.slot != kNoSlot)
    Report(control.reports, DeviceReport(control.origin, kReportAllocation, wish.slot, 0u, wish.payloads, 1u));
  Report(control.reports, DeviceReport(control.origin, kReportNoTarget, 0u, 0u, wish.lost_index, wish.lost_payloads));
}

// `base`: what `index` is relative to.
Wish WishFor(const uint output_number, const uint count, const uint index, const uint base) {
  uint slot = FindSlot(output_number, index);
  return slot == kNoSlot ? Wish(count, slot, count, base + index) : Wish(count, slot, 0u, 0u);
}

void trellis_check_workgroup(const uint output_number, const uint count, const uint index, const uint limit, const uint base) {
  if (trellis_local_index == 0u) ReportWish(WishFor(output_number, count, index, base), limit);
}

// Workgroups of one invocation.
void trellis_check_single(const uint output_number, const uint count, const uint index, const uint limit, const uint base) {
  ReportWish(WishFor(output_number, count, index, base), limit);
}

// A Wish; with atomics.
shared uvec4 trellis_wish;

// The sum over a workgroup (at most 2048 invocations) of counts up to this does not wrap.
const uint kMaxSummed = 0x1fffffu;

// The limit is one for all invocations of a workgroup. Allocations stand in control flow that is uniform in it.
void trellis_check_invocations(const uint output_number, const uint count, const uint index, const uint limit, const uint base) {
  barrier();
  if (trellis_local_index == 0u) trellis_wish = uvec4(0u, kNoSlot, 0u, 0u);
  barrier();
  Wish wish = WishFor(output_number, count, index, base);
  atomicAdd(trellis_wish.x, min(count, kMaxSummed));
  atomicMin(trellis_wish.y, wish.slot);
  atomicAdd(trellis_wish.z, min(wish.lost_payloads, kMaxSummed));
  atomicMax(trellis_wish.w, wish.lost_index);
  barrier();
  if (trellis_local_index == 0u) ReportWish(Wish(trellis_wish.x, trellis_wish.y, trellis_wish.z, trellis_wish.w), limit);
}

#endif  // TRELLIS_META_SHADERS_RUNTIME_CHECK_GLSL
