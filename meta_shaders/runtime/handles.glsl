// SPDX-License-Identifier: Apache-2.0
// Targets of outputs, and node payload arrays: handles, {address low, address high, count, stride}. Stride 0: the records are lost (or empty), all
// elements are one. Address 0: they are lost; what is written goes to the dump area. Allocated records in several pieces (shared/segments.glsl): {address of their
// Records, count, kScattered | rank of the first one}.
#ifndef TRELLIS_META_SHADERS_RUNTIME_HANDLES_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_HANDLES_GLSL

#include "meta_shaders/runtime/workgroup.glsl"
#include "meta_shaders/shared/segments.glsl"

// The slot that receives what is sent to the node `index` of output `output_number`, counted from its PayloadNodeBaseIndexAMDX; kNoSlot if there is
// none.
uint FindSlot(const uint output_number, const uint index) {
  NodeOutput target = LaunchBlockReference(trellis_launch).outputs[output_number];
  uvec2 slots = target.slots;
  uint count = target.index_count;
  uint place = index - target.first_index;
  if ((count & kSlotProgression) != 0u) return place < (count & ~kSlotProgression) ? slots.x + place * slots.y : kNoSlot;
  if ((count & kSortedSlotPairs) == 0u) return place < count ? UintReference(ElementAddress(slots, place, 4u)).value : kNoSlot;
  uint pairs = count & ~kSortedSlotPairs;
  uvec2 pair = ElementAddress(slots, FindNotAbove(slots, 8u, 0u, pairs, place), 8u);
  if (pairs == 0u || UintReference(pair).value != place) return kNoSlot;
  return UintReference(AddressAdd(pair, 4u)).value;
}

bool trellis_valid(const uint output_number, const uint index) { return FindSlot(output_number, index) != kNoSlot; }

// Nothing to look up before it is written.
uvec4 LostHandle(const uint count) { return uvec4(0u, 0u, count, 0u); }

const uint kScattered = 0x80000000u;
bool IsScattered(const uvec4 handle) { return (handle.w & kScattered) != 0u; }
uint RankOf(const uvec4 handle) { return handle.w & ~kScattered; }

// Records of which the Records at `block` say where they lie, and which have their places.
uvec4 SpanOf(const uvec2 block, const Records records, const uint rank, const uint count) {
  if (rank + count <= records.dense) return uvec4(ElementAddress(records.base, rank, records.stride), count, records.stride);
  if (rank >= records.dense) {
    Segment segment = SegmentOf(records, rank);
    if (rank + count <= segment.end) {
      uvec2 address = AddressInSegment(records, segment, rank);
      return IsNull(address) ? LostHandle(count) : uvec4(address, count, records.stride);
    }
  }
  return uvec4(block, count, kScattered | rank);
}

// An index past the end reaches the last element, so that no index leaves the array.
uint ElementInside(const uvec4 handle, const uint index) { return min(index, max(handle.z, 1u) - 1u); }

// Null if memory for it was lacking.
uvec2 ScatteredElement(const uvec4 handle, const uint index) {
  return RecordAddress(RecordsReference(handle.xy).records, RankOf(handle) + ElementInside(handle, index));
}

// Inputs lie in one piece.
uvec2 trellis_input_element(const uvec4 handle, const uint index) { return ElementAddress(handle.xy, ElementInside(handle, index), handle.w); }

uvec2 Dump() { return ControlBlockReference(LaunchBlockReference(trellis_launch).block.control).control.dump; }

uvec2 trellis_element(const uvec4 handle, const uint index) {
  if (IsNull(handle.xy)) return Dump();
  if (IsScattered(handle)) {
    uvec2 element = ScatteredElement(handle, index);
    return IsNull(element) ? Dump() : element;
  }
  return ElementAddress(handle.xy, ElementInside(handle, index), handle.w);
}

// The same for CPUs: lavapipe goes through a short branch even if no invocation takes it, loads and all.
uvec2 trellis_dump;
void trellis_find_dump() { trellis_dump = Dump(); }
uvec2 trellis_element_or_dump(const uvec4 handle, const uint index) {
  uvec2 element = IsNull(handle.xy) ? trellis_dump : ElementAddress(handle.xy, ElementInside(handle, index), handle.w);
  if (IsScattered(handle)) element = ScatteredElement(handle, index);
  return IsNull(element) ? trellis_dump : element;
}

// For handles that have one record at most.
uvec2 trellis_only_element(const uvec4 handle) { return IsNull(handle.xy) ? Dump() : handle.xy; }
uvec2 trellis_only_element_or_dump(const uvec4 handle) { return IsNull(handle.xy) ? trellis_dump : handle.xy; }

uint StrideOf(const uvec4 handle) { return IsScattered(handle) ? RecordsReference(handle.xy).records.stride : handle.w; }

// A store to a whole array: each record, as far as both arrays reach. Strides differ where other nodes receive them.
void trellis_copy_array(const uvec4 from, const uvec4 to) {
  uint records = min(from.z, to.z);
  uint words = min(StrideOf(from), StrideOf(to)) / 4u;
  for (uint record = 0u; record < records; ++record) {
    uvec2 source = trellis_element(from, record);
    uvec2 target = trellis_element(to, record);
    for (uint word = 0u; word < words; ++word) {
      SharedUintReference(ElementAddress(target, word, 4u)).value = SharedUintReference(ElementAddress(source, word, 4u)).value;
    }
  }
}

uvec2 AddressOf(const uint slot) { return ElementAddress(trellis_regions, slot, kRegionBytes); }
RegionReference RegionOf(const uint slot) { return RegionOf(trellis_regions, slot); }
uint HeapSlot() { return ControlBlockReference(LaunchBlockReference(trellis_launch).block.control).control.heap_slot; }

#endif  // TRELLIS_META_SHADERS_RUNTIME_HANDLES_GLSL
