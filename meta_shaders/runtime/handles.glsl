// Targets of outputs, and node payload arrays: handles, {address low, address high, count, stride}. Stride 0: the records are lost (or empty), all
// elements are one. Address 0: they are lost; what is written goes to the dump area.
#ifndef TRELLIS_META_SHADERS_RUNTIME_HANDLES_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_HANDLES_GLSL

#include "meta_shaders/runtime/workgroup.glsl"

NodeOutput OutputOf(const uint output_number) { return NodeOutputReference(AddressAdd(trellis_launch, kLaunchBlockBytes)).at[output_number]; }

// The slot that receives what is sent to shader index `index` of output `output_number`; kNoSlot if there is no such node.
uint FindSlot(const uint output_number, const uint index) {
  NodeOutput target = OutputOf(output_number);
  uvec2 slots = target.slots;
  uint count = target.index_count;
  uint place = index - target.first_index;
  if ((count & kSlotProgression) != 0u) return place < (count & ~kSlotProgression) ? slots.x + place * slots.y : kNoSlot;
  if ((count & kSortedSlotPairs) == 0u) return place < count ? UintReference(ElementAddress(slots, place, 4u)).value : kNoSlot;
  uint low = 0u;
  uint high = count & ~kSortedSlotPairs;
  while (high - low > 1u) {
    uint middle = low + (high - low) / 2u;
    if (UintReference(ElementAddress(slots, middle, 8u)).value <= index) {
      low = middle;
    } else {
      high = middle;
    }
  }
  if (high == 0u || UintReference(ElementAddress(slots, low, 8u)).value != index) return kNoSlot;
  return UintReference(AddressAdd(ElementAddress(slots, low, 8u), 4u)).value;
}

bool trellis_valid(const uint output_number, const uint index) { return FindSlot(output_number, index) != kNoSlot; }

// Nothing to look up before somebody writes to it.
uvec4 LostHandle(const uint count) { return uvec4(0u, 0u, count, 0u); }

// An index past the end reaches the last element, so that no index leaves the array.
uvec2 trellis_input_element(const uvec4 handle, const uint index) { return ElementAddress(handle.xy, min(index, max(handle.z, 1u) - 1u), handle.w); }

uvec2 Dump() { return ControlBlockReference(LaunchBlockReference(trellis_launch).block.control).control.dump; }

uvec2 trellis_element(const uvec4 handle, const uint index) {
  if (IsNull(handle.xy)) return Dump();
  return trellis_input_element(handle, index);
}

// The same for CPUs: lavapipe goes through a short branch even if no invocation takes it, loads and all.
uvec2 trellis_dump;
void trellis_find_dump() { trellis_dump = Dump(); }
uvec2 trellis_element_or_dump(const uvec4 handle, const uint index) {
  const uvec2 element = trellis_input_element(handle, index);
  return IsNull(handle.xy) ? trellis_dump : element;
}

// A store to a whole array: each record, as far as both arrays reach. Strides differ where other nodes receive them.
void trellis_copy_array(const uvec4 from, const uvec4 to) {
  uint records = min(from.z, to.z);
  uint words = min(from.w, to.w) / 4u;
  for (uint record = 0u; record < records; ++record) {
    uvec2 source = ElementAddress(from.xy, record, from.w);
    uvec2 target = ElementAddress(to.xy, record, to.w);
    for (uint word = 0u; word < words; ++word) {
      SharedUintReference(ElementAddress(target, word, 4u)).value = SharedUintReference(ElementAddress(source, word, 4u)).value;
    }
  }
}

RegionReference RegionOf(const uint slot) { return RegionOf(trellis_regions, slot); }

#endif  // TRELLIS_META_SHADERS_RUNTIME_HANDLES_GLSL
