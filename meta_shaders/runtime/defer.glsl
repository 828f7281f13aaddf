// SPDX-License-Identifier: Apache-2.0
// Allocations that are committed by OpEnqueueNodePayloadsAMDX: bytes of the heap first, ranks and a copy at enqueue.
#ifndef TRELLIS_META_SHADERS_RUNTIME_DEFER_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_DEFER_GLSL

#include "meta_shaders/runtime/reserve.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 16) coherent buffer HeapHeaderReference {
  uint slot;
  uint of_workgroup;  // 1: one allocation for the whole workgroup
};

// A large allocation that fails leaves the pool to the segments of regions, which TakeRanks would not.
bool TakeHeap(const RegionReference heap, const uint units, out uint first) {
  if (units > kMaxPlainCount) return TakeUnits(heap, units, first);
  return TakeRanks(heap, units, first);
}

uvec4 ReserveHeap(const uint slot, const uint count, const uint of_workgroup) {
  if (slot == kNoSlot || count == 0u) return LostHandle(count);
  uint stride = RegionOf(slot).region.records.stride;
  uvec2 bytes = Multiply64(count, stride);
  RegionReference heap = RegionOf(HeapSlot());
  bool is_placed = heap.region.state_words != 0u;
  uint rank;
  uint units = (kHeapHeaderBytes + bytes.x + 15u) / 16u;
  bool fits = bytes.y == 0u && bytes.x <= 0xffffff00u && TakeHeap(heap, units, rank);
  if (fits && is_placed) rank = atomicAdd(heap.region.placed, units);
  if (!fits) {
    CountLost(RegionOf(slot), count);
    return LostHandle(count);
  }
  uvec2 header = ElementAddress(heap.region.records.base, rank, 16u);
  HeapHeaderReference(header).slot = slot;
  HeapHeaderReference(header).of_workgroup = of_workgroup;
  return uvec4(AddressAdd(header, kHeapHeaderBytes), count, stride);
}

uvec4 trellis_defer_workgroup(const uint output_number, const uint count, const uint index, const uint limit) {
  uvec4 handle = uvec4(0u);
  if (trellis_local_index == 0u) handle = ReserveHeap(FindSlot(output_number, index), min(min(count, limit), kMaxRecords), 1u);
  return BroadcastInWorkgroup(handle);
}

uvec4 trellis_defer_invocation(const uint output_number, const uint count, const uint index, const uint limit) {
  return ReserveHeap(FindSlot(output_number, index), min(min(count, limit), kMaxRecords), 0u);
}

bool HasHeapHeader(const uvec4 handle) { return handle.z != 0u && !IsNull(handle.xy); }

// `source`: on the heap.
void CopyWords(const uvec4 source, const uvec4 target, const uint first, const uint step) {
  if (target.w == 0u) return;
  uint each = source.w / 4u;
  uint words = source.z * each;
  for (uint word = first; word < words; word += step) {
    uvec2 place = ElementAddress(target.xy, word, 4u);
    if (IsScattered(target)) place = ElementAddress(trellis_element(target, word / each), word % each, 4u);
    SharedUintReference(place).value = SharedUintReference(ElementAddress(source.xy, word, 4u)).value;
  }
}

HeapHeaderReference HeaderOf(const uvec4 handle) {
  return HeapHeaderReference(AddressAdd64(handle.xy, uvec2(0u - kHeapHeaderBytes, 0xffffffffu)));
}

// The header lies where an index past the end of a record's member can reach it.
uint SlotOf(const uvec4 handle) {
  uint slot = HeaderOf(handle).slot;
  return slot < HeapSlot() ? slot : kNoSlot;
}

void trellis_enqueue_invocation(const uvec4 handle) {
  if (HasHeapHeader(handle)) CopyWords(handle, Reserve(SlotOf(handle), handle.z), 0u, 1u);
}

// Where allocations of either scope may arrive: all invocations hold the same one, or each its own. `workgroup_size`: invocations in the workgroup.
void trellis_enqueue_workgroup(const uvec4 handle, const uint workgroup_size) {
  PayloadBarrier();
  bool of_workgroup = HasHeapHeader(handle) && HeaderOf(handle).of_workgroup != 0u;
  if (!of_workgroup) trellis_enqueue_invocation(handle);
  uvec4 target = uvec4(0u);
  if (of_workgroup && trellis_local_index == 0u) target = Reserve(SlotOf(handle), handle.z);
  target = BroadcastInWorkgroup(target);
  if (of_workgroup) CopyWords(handle, target, trellis_local_index, workgroup_size);
}

#endif  // TRELLIS_META_SHADERS_RUNTIME_DEFER_GLSL
