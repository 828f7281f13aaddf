// Records of a region that has grown beyond those that lie dense.
//
// Let the first 2^d records lie dense. Each octave of ranks from there on, [2^o, 2^(o + 1)), has four segments of 2^(o - 2) records, so that at most a
// quarter of what a region has is not used. Segments come from the level's pool. The reservation that has a segment's first rank provides the segment;
// those that have others of its ranks wait until they can see it. A wait has an end, whatever the scheduler does: then the waiting one provides it too, and
// the first of both is what all use.
#ifndef TRELLIS_META_SHADERS_SHARED_SEGMENTS_GLSL
#define TRELLIS_META_SHADERS_SHARED_SEGMENTS_GLSL

#include "buffers.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer PlaceReference { uint place; };
layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer RecordsReference { Records records; };

// count * stride bytes, rounded up, in units of 16 bytes.
uint RecordUnits(uint count, uint stride) {
  const uvec2 bytes = AddressAdd64(Multiply64(count, stride), uvec2(15u, 0u));
  return bytes.y >> 28u != 0u ? 0xffffffffu : bytes.y << 28u | bytes.x >> 4u;
}

// Ranks [begin, end).
struct Segment {
  uint number;
  uint begin;
  uint end;
};

// Of a rank that does not lie dense.
Segment SegmentOf(Records records, uint rank) {
  const int octave = findMSB(rank);
  const uint shift = uint(octave - 2);
  const uint quarter = rank >> shift;  // 4 to 7
  const uint number = uint(octave - findMSB(records.dense)) * 4u + (quarter & 3u);
  return Segment(min(number, kSegments - 1u), quarter << shift, quarter + 1u << shift);
}

PlaceReference PlaceOf(Records records, Segment segment) { return PlaceReference(AddressAdd(records.segments, segment.number * 4u)); }

// Null if it has no place.
uvec2 AddressInSegment(Records records, Segment segment, uint rank) {
  const uint place = PlaceOf(records, segment).place;
  if (place == 0u || place == kNoMemory) return uvec2(0u);
  return ElementAddress(AddressAdd64(records.base, Multiply64(place, 16u)), rank - segment.begin, records.stride);
}

// Null if memory for it was lacking.
uvec2 RecordAddress(Records records, uint rank) {
  if (rank < records.dense) return ElementAddress(records.base, rank, records.stride);
  return AddressInSegment(records, SegmentOf(records, rank), rank);
}

// Up to it, all reservations that a device can have in flight at once cannot carry a counter from its capacity to 2^32.
const uint kMostPlainRanks = 0x1000u;

// Takes `count` ranks (below 2^30) of a region. False: they do not fit; then no later reservation fits either.
bool TakeRanks(RegionReference region, uint count, out uint rank) {
  const uint capacity = region.region.capacity;
  if (count <= kMostPlainRanks) {
    rank = atomicAdd(region.region.reserved, count);
    if (rank <= capacity && count <= capacity - rank) return true;
    // Every addition that failed is followed by this, so that the counter ends as a dispatch's argument that the device can take.
    atomicMin(region.region.reserved, capacity + 1u);
  } else {
    // Large ones never move the counter further than just past the capacity.
    rank = atomicOr(region.region.reserved, 0u);
    while (rank <= capacity) {
      const bool fits = count <= capacity - rank;
      const uint before = atomicCompSwap(region.region.reserved, rank, fits ? rank + count : capacity + 1u);
      if (before == rank) {
        if (fits) return true;
        break;
      }
      rank = before;
    }
  }
  atomicMin(region.region.records.count, rank);
  atomicMin(region.region.refused, rank);
  return false;
}

// A reservation's count is clamped to this before it meets a counter, so that counters cannot wrap.
const uint kMostRecords = 0x3fffffffu;

// From one address to another one behind it, at most 64 GiB, in units of 16 bytes.
uint UnitsBetween(uvec2 from, uvec2 to) {
  uint borrow;
  const uint low = usubBorrow(to.x, from.x, borrow);
  return to.y - from.y - borrow << 28u | low >> 4u;
}

// Gives a block of `units` its place if it has none yet, and returns the place that it has.
uint Provide(PlaceReference block, uvec2 base, RegionReference pool, uint units) {
  uint rank;
  const bool taken = units <= kMostRecords && TakeRanks(pool, units, rank);
  const uint place = taken ? UnitsBetween(base, pool.region.records.base) + rank : kNoMemory;
  const uint before = atomicCompSwap(block.place, 0u, place);
  if (before == 0u) return place;
  // Another one was faster. Given back, if nobody has taken what lies behind it.
  if (taken) atomicCompSwap(pool.region.reserved, rank + units, rank);
  return before;
}

// The same for notes, which have a part of the pool for themselves: when segments have taken all of theirs, the records have their notes nevertheless.
uint ProvideNotes(PlaceReference block, uvec2 base, RegionReference pool, uint units) {
  const uint most = pool.region.note_units;
  uint first = atomicOr(pool.region.taken_note_units, 0u);
  bool taken = false;
  while (!taken && units <= most - min(first, most)) {
    const uint before = atomicCompSwap(pool.region.taken_note_units, first, first + units);
    taken = before == first;
    first = before;
  }
  const uint place = taken ? UnitsBetween(base, pool.region.records.base) + pool.region.capacity + first : kNoMemory;
  const uint before = atomicCompSwap(block.place, 0u, place);
  if (before == 0u) return place;
  if (taken) atomicCompSwap(pool.region.taken_note_units, first + units, first);
  return before;
}

// Times that somebody looks for the place that another one provides: for some milliseconds at the least.
#ifndef TRELLIS_MOST_LOOKS
#define TRELLIS_MOST_LOOKS 0x40000u
#endif

// 0 if there was none to the end.
uint Await(PlaceReference block) {
  uint place = atomicOr(block.place, 0u);
  for (uint looks = 0u; place == 0u && looks < TRELLIS_MOST_LOOKS; ++looks) place = atomicOr(block.place, 0u);
  return place;
}

void ProvideSegment(RegionReference region, RegionReference pool, Records records, Segment segment) {
  const uint place = Provide(PlaceOf(records, segment), records.base, pool, RecordUnits(segment.end - segment.begin, records.stride));
  if (place == kNoMemory) atomicMin(region.region.records.count, segment.begin);
}

// For ranks that have been taken, and do not all lie dense: from here on they have their places.
void Grow(RegionReference region, RegionReference pool, Records records, uint rank, uint count) {
  const uint last = rank + (count - 1u);
  const Segment first = SegmentOf(records, max(rank, records.dense));
  // What others may wait for goes before what is waited for.
  for (Segment segment = first; segment.begin <= last; segment = SegmentOf(records, segment.end)) {
    if (segment.begin >= rank) ProvideSegment(region, pool, records, segment);
  }
  if (first.begin >= rank) return;
  if (Await(PlaceOf(records, first)) == 0u) ProvideSegment(region, pool, records, first);
}

// Records that found no place, whichever the reason.
uint LostOf(RegionReference region) {
  const uint taken = min(region.region.reserved, region.region.refused);
  return SaturatingAdd(region.region.lost, taken - min(taken, region.region.records.count));
}

#endif  // TRELLIS_META_SHADERS_SHARED_SEGMENTS_GLSL
