// What lies in a region: its records, then the notes of each launch that reads it. Records take whole units of 16 bytes; so does one word of notes about
// all of them, and notes of n words take n times that. layer/graph/memory_plan.cpp counts in the same way. Where the region grows, notes come from the
// pool when the number of records is known.
#ifndef TRELLIS_META_SHADERS_SHARED_REGIONS_GLSL
#define TRELLIS_META_SHADERS_SHARED_REGIONS_GLSL

#include "segments.glsl"

// Place of a launch's notes; `words_before`: LaunchPlan::notes_before. Not where the region grows.
uvec2 NotesOf(RegionReference region, uint words_before) {
  const uvec2 end = AddressAdd64(region.region.records.base, Multiply64(RecordUnits(region.region.capacity, region.region.records.stride), 16u));
  return AddressAdd64(end, Multiply64(words_before * RecordUnits(region.region.capacity, 4u), 16u));
}

// The same where it does. `address`, `pool`: of the Regions. `provides`: others will look for what this invocation provides. Null if there is no memory.
uvec2 NotesFromPool(uvec2 address, uvec2 pool, uint words_before, uint records, bool provides) {
  RegionReference region = RegionReference(address);
  const uint word_units = RecordUnits(records, 4u);
  const uint units = SaturatingMultiply(word_units, region.region.note_words);
  const uvec2 base = region.region.records.base;
  const uint place = PlaceFor(provides, PlaceReference(AddressAdd(address, kRegionNotesOffset)), base, pool, NotePart(pool), units);
  if (place == kNoMemory) return uvec2(0u);
  return AddressAdd64(AddressAdd64(base, Multiply64(place, 16u)), Multiply64(words_before * word_units, 16u));
}

#endif  // TRELLIS_META_SHADERS_SHARED_REGIONS_GLSL
