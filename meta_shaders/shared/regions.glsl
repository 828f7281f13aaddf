// What lies in a region: its records, then the notes of each launch that reads it. Records take whole units of 16 bytes; so does one word of notes about
// all of them, and notes of n words take n times that. layer/graph/memory_plan.cpp counts in the same way.
#ifndef TRELLIS_META_SHADERS_SHARED_REGIONS_GLSL
#define TRELLIS_META_SHADERS_SHARED_REGIONS_GLSL

#include "buffers.glsl"

// count * stride bytes, rounded up, in units of 16 bytes.
uint RecordUnits(uint count, uint stride) {
  const uvec2 bytes = AddressAdd64(Multiply64(count, stride), uvec2(15u, 0u));
  return bytes.y >> 28u != 0u ? 0xffffffffu : bytes.y << 28u | bytes.x >> 4u;
}

// Place of a launch's notes; `words_before`: LaunchPlan::notes_before.
uvec2 NotesOf(RegionReference region, uint words_before) {
  const uvec2 end = AddressAdd64(region.region.records.base, Multiply64(RecordUnits(region.region.capacity, region.region.records.stride), 16u));
  return AddressAdd64(end, Multiply64(words_before * RecordUnits(region.region.capacity, 4u), 16u));
}

#endif  // TRELLIS_META_SHADERS_SHARED_REGIONS_GLSL
