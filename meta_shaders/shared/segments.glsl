// SPDX-License-Identifier: Apache-2.0
// Records of a region that has grown beyond those that lie dense.
//
// Let the first 2^d records lie dense. Each octave of ranks from there on, [2^o, 2^(o + 1)), has four segments of 2^(o - 2) records, so that at most a
// quarter of what a region has is not used. Segments come from the level's pool. The reservation that has a segment's first rank provides the segment;
// those that have others of its ranks wait until they can see it. A wait has an end, whatever the scheduler does: then one of those that wait claims the
// segment and provides it.
#ifndef TRELLIS_META_SHADERS_SHARED_SEGMENTS_GLSL
#define TRELLIS_META_SHADERS_SHARED_SEGMENTS_GLSL

#include "buffers.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer PlaceReference { uint place; };
layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer RecordsReference { Records records; };

// count * stride bytes, rounded up, in units of 16 bytes. Saturates.
uint RecordUnits(uint count, uint stride) {
  const uvec2 bytes = AddressAdd64(Multiply64(count, stride), uvec2(15u, 0u));
  return bytes.y >> 4u != 0u ? 0xffffffffu : bytes.y << 28u | bytes.x >> 4u;
}

// Ranks [begin, end).
struct Segment {
  uint number;
  uint begin;
  uint end;
};

// Returns the segment of a rank that does not lie dense.
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
  if (place == 0u || place >= kFirstClaim) return uvec2(0u);
  return ElementAddress(AddressAdd64(records.base, Multiply64(place, 16u)), rank - segment.begin, records.stride);
}

// Null if memory for it was lacking.
uvec2 RecordAddress(Records records, uint rank) {
  uvec2 address = ElementAddress(records.base, rank, records.stride);
  if (rank >= records.dense) address = AddressInSegment(records, SegmentOf(records, rank), rank);
  return address;
}

// From one address to another one behind it, at most 64 GiB, in units of 16 bytes.
uint UnitsBetween(uvec2 from, uvec2 to) {
  uint borrow;
  const uint low = usubBorrow(to.x, from.x, borrow);
  return to.y - from.y - borrow << 28u | low >> 4u;
}

// What does not fit leaves the rest to others.
bool TakeUnits(RegionReference pool, uint units, out uint first) {
  const uint all = pool.region.capacity;
  first = atomicOr(pool.region.reserved, 0u);
  while (first <= all && units <= all - first) {
    const uint before = atomicCompSwap(pool.region.reserved, first, first + units);
    if (before == first) return true;
    first = before;
  }
  return false;
}

bool IsPlace(uint place) { return place != 0u && place < kFirstClaim || place == kNoMemory; }

// Returns the units of the pool for the state of `records` records of a region that grows, for all its launches together.
uint StateUnits(RegionReference region, uint records) { return SaturatingMultiply(RecordUnits(records, 4u), region.region.state_words); }

// Size of a segment, in units of the pool.
struct SegmentUnits {
  uint records;
  uint record_state;
};

SegmentUnits UnitsOf(RegionReference region, RegionReference pool, Records records, Segment segment) {
  const uint count = segment.end - segment.begin;
  const uint record_state = pool.region.state_words == 0u ? 0u : StateUnits(region, count);
  return SegmentUnits(RecordUnits(count, records.stride), record_state);
}

bool TakeSegment(RegionReference pool, SegmentUnits units, out uint first) {
  const bool wraps = units.record_state > ~units.records;
  if (wraps || !TakeUnits(pool, units.records + units.record_state, first)) return false;
  if (pool.region.state_words == 0u) return true;
  // Taken together, they lie at both ends: what all have taken is never more than there is.
  first = atomicAdd(pool.region.placed, units.records);
  atomicAdd(pool.region.state_units_taken, units.record_state);
  return true;
}

// `before`: what the block said, which was no place. Of those that claim a segment, the first that has memory provides it.
void ProvideOver(uint before, PlaceReference block, uvec2 base, RegionReference pool, SegmentUnits units) {
  const uint claim = before == 0u ? kFirstClaim : min(before + 1u, kNoMemory - 1u);
  if (atomicCompSwap(block.place, before, claim) != before) return;
  uint first;
  if (!TakeSegment(pool, units, first)) {
    // The claim that was taken over may have the memory, and gets a second wait.
    if (claim != kFirstClaim + 1u) atomicCompSwap(block.place, claim, kNoMemory);
    return;
  }
  const uint place = UnitsBetween(base, pool.region.records.base) + first;
  for (uint stands = claim; !IsPlace(stands);) {
    const uint found = atomicCompSwap(block.place, stands, place);
    if (found == stands) return;
    stands = found;
  }
  // Another one was faster. It is given back, if nothing behind it is taken.
  if (pool.region.state_words == 0u) atomicCompSwap(pool.region.reserved, first + units.records, first);
}

// Times that an invocation looks for a segment that nobody has claimed yet: for some milliseconds at the least.
#ifndef TRELLIS_MAX_LOOKS
#define TRELLIS_MAX_LOOKS 0x40000u
#endif
// The one that claimed it has a few instructions left, and what it took from the pool is lost if it comes too late: on a CPU it may have to wait for a core.
const uint kMaxLooksForClaim = 8u * TRELLIS_MAX_LOOKS;
// Waits that end without a place. No invocation waits for ever, whatever the scheduler does.
const uint kMaxWaits = kNoMemory - 1u - kFirstClaim;

// The block's place; who `provides` it, because others will look for it, does not wait first. Each claim that is seen gets a wait of its own: waits for the
// same word begin together, so that without it the end of one would be the end of all, and each would take from the pool.
uint PlaceFor(bool provides, PlaceReference block, uvec2 base, RegionReference pool, SegmentUnits units) {
  uint place = atomicOr(block.place, 0u);
  for (uint waits = 0u; !IsPlace(place) && waits < kMaxWaits; ++waits) {
    const uint before = place;
    const uint max_looks = before != 0u ? kMaxLooksForClaim : provides ? 0u : TRELLIS_MAX_LOOKS;
    for (uint looks = 0u; place == before && looks < max_looks; ++looks) place = atomicOr(block.place, 0u);
    if (place != before) continue;
    ProvideOver(before, block, base, pool, units);
    place = atomicOr(block.place, 0u);
  }
  // llvmpipe of Mesa 22 ends all loops of an invocation after 65,535 iterations together: `place` may be old.
  place = atomicOr(block.place, 0u);
  if (IsPlace(place)) return place;
  const uint last = atomicCompSwap(block.place, place, kNoMemory);
  return IsPlace(last) ? last : kNoMemory;
}

void PlaceSegment(bool provides, RegionReference region, RegionReference pool, Records records, Segment segment) {
  const SegmentUnits units = UnitsOf(region, pool, records, segment);
  const uint place = PlaceFor(provides, PlaceOf(records, segment), records.base, pool, units);
  if (place == kNoMemory) atomicMin(region.region.records.count, segment.begin);
}

// For ranks that have been taken, and do not all lie dense: from here on they have their places. 
void Grow(RegionReference region, RegionReference pool, Records records, uint rank, uint count) {
  const uint last = rank + (count - 1u);
  const Segment first = SegmentOf(records, max(rank, records.dense));
  // What others may wait for goes before what is waited for.
  for (Segment segment = first; segment.begin <= last; segment = SegmentOf(records, segment.end)) {
    if (segment.begin >= rank) PlaceSegment(true, region, pool, records, segment);
  }
  if (first.begin < rank) PlaceSegment(false, region, pool, records, first);
}

// Counters of a region's records saturate at this.
const uint kMaxCounted = 0x80000000u;
// Up to it, all additions that a device can have in flight at once cannot carry a counter from where it stops to 2^32.
const uint kMaxPlainCount = 0x1000u;

// Up to kMaxCounted at once.
void CountLost(const RegionReference region, const uint count) {
  if (count <= kMaxPlainCount) {
    if (atomicAdd(region.region.lost, count) > kMaxCounted - count) atomicMin(region.region.lost, kMaxCounted);
    return;
  }
  // A few large ones at once would take the counter past 2^32 before the first of them takes it back.
  uint lost = atomicOr(region.region.lost, 0u);
  while (lost < kMaxCounted) {
    uint before = atomicCompSwap(region.region.lost, lost, min(lost + count, kMaxCounted));
    if (before == lost) break;
    lost = before;
  }
}

// Records that found no place, whichever the reason.
uint LostOf(RegionReference region) {
  const uint taken = min(region.region.reserved, region.region.refused);
  return SaturatingAdd(region.region.lost, taken - min(taken, region.region.records.count));
}

#endif  // TRELLIS_META_SHADERS_SHARED_SEGMENTS_GLSL
