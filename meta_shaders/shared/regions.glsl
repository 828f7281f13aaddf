// SPDX-License-Identifier: Apache-2.0
// What lies in a region: its records, then the notes of each launch that reads it. Records take whole units of 16 bytes; so does one word of notes about
// all of them, and notes of n words take n times that. layer/graph/memory_plan.cpp counts in the same way. Where the region grows, notes come from the
// pool when the number of records is known; where no bound was, segments have taken the room for them.
#ifndef TRELLIS_META_SHADERS_SHARED_REGIONS_GLSL
#define TRELLIS_META_SHADERS_SHARED_REGIONS_GLSL

#include "segments.glsl"

// Place of a launch's notes; `words_before`: LaunchPlan::notes_before. Not where the region grows.
uvec2 NotesOf(RegionReference region, uint words_before) {
  const uvec2 end = AddressAdd64(region.region.records.base, Multiply64(RecordUnits(region.region.capacity, region.region.records.stride), 16u));
  return AddressAdd64(end, Multiply64(words_before * RecordUnits(region.region.capacity, 4u), 16u));
}

// The same where it does. `before`: units that regions before this one take. Null if there is no room.
uvec2 NotesInPool(RegionReference region, RegionReference pool, uint before, uint words_before, uint records) {
  const uint room = pool.region.note_units + pool.region.notes_taken;
  if (before > room || NoteUnits(region, records) > room - before) return uvec2(0u);
  const uvec2 place = AddressAdd64(pool.region.records.base, Multiply64(pool.region.capacity - pool.region.notes_taken + before, 16u));
  return AddressAdd64(place, Multiply64(words_before * RecordUnits(records, 4u), 16u));
}

#endif  // TRELLIS_META_SHADERS_SHARED_REGIONS_GLSL
