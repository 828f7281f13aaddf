// SPDX-License-Identifier: Apache-2.0
// Reservations of records: for a workgroup, an invocation, or a subgroup at once.
#ifndef TRELLIS_META_SHADERS_RUNTIME_RESERVE_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_RESERVE_GLSL

#include "meta_shaders/runtime/handles.glsl"

// Takes `count` ranks (below 2^30) of a region. False: they do not fit; then no later reservation fits either.
bool TakeRanks(const RegionReference region, const uint count, out uint rank) {
  uint capacity = region.region.capacity;
  if (count <= kMaxPlainCount) {
    rank = atomicAdd(region.region.reserved, count);
    if (rank <= capacity && count <= capacity - rank) return true;
    // Every addition that failed is followed by this, so that the counter ends as a dispatch's argument that the device can take.
    atomicMin(region.region.reserved, capacity + 1u);
  } else {
    // Large ones never move the counter further than just past the capacity.
    rank = atomicOr(region.region.reserved, 0u);
    while (rank <= capacity) {
      bool fits = count <= capacity - rank;
      uint before = atomicCompSwap(region.region.reserved, rank, fits ? rank + count : capacity + 1u);
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
const uint kMaxRecords = 0x3fffffffu;

uint DivideBy(const uint dividend, const uint divisor, const uint reciprocal) {
  uint high;
  uint low;
  umulExtended(dividend, reciprocal, high, low);
  return high + uint(dividend - high * divisor >= divisor);
}

// The shares of all reservations that succeeded add up to the workgroups for their sum, or to `max_workgroups`: ranks leave no gaps.
void CountWorkgroups(const RegionReference region, const uint each, const uint reciprocal, const uint max_workgroups, const uint rank, const uint count) {
  if (each == 0u) return;
  // Rounded up: of what was there before, and with these.
  uint before = DivideBy(rank + (each - 1u), each, reciprocal);
  if (count <= before * each - rank) return;  // the last of them has room
  uint workgroups = min(DivideBy(rank + (each - 1u) + count, each, reciprocal), max_workgroups) - min(before, max_workgroups);
  if (workgroups == 0u) return;
  uvec2 batch_total = region.region.batch_total;
  if (IsNull(batch_total)) {
    atomicAdd(region.region.workgroups, workgroups);
  } else {
    atomicAdd(UintReference(region.region.batch_count).value, workgroups);
    atomicAdd(UintReference(batch_total).value, workgroups);
  }
}

// Ranks that have been taken, and do not all lie dense. Mostly they lie in a segment whose place is known: an atomic load of it would be one access more
// in the row of those that wait for the same word. What it needs is read here, so that no one else has to keep it.
uvec4 GrownSpan(const uint slot, const uint rank, const uint count) {
  Records records = RegionOf(slot).region.records;
  uvec4 known = SpanOf(AddressOf(slot), records, rank, count);
  if (!IsNull(known.xy) && !IsScattered(known)) return known;
  Grow(RegionOf(slot), RegionOf(HeapSlot()), records, rank, count);
  return SpanOf(AddressOf(slot), records, rank, count);
}

uvec4 Reserve(const uint slot, const uint count) {
  if (slot == kNoSlot || count == 0u) return LostHandle(count);
  RegionReference region = RegionOf(slot);
  // Before the atomics, so that all of it arrives together.
  Records records = region.region.records;
  uint coalesce = region.region.coalesce;
  uint reciprocal = region.region.reciprocal;
  uint max_workgroups = region.region.max_workgroups;
  uint rank;
  if (!TakeRanks(region, count, rank)) {
    CountLost(region, count);
    return LostHandle(count);
  }
  CountWorkgroups(region, coalesce, reciprocal, max_workgroups, rank, count);
  if (rank + count > records.dense) return GrownSpan(slot, rank, count);
  return uvec4(ElementAddress(records.base, rank, records.stride), count, records.stride);
}

// What an invocation has of the reservation that another one made for several: `count` records behind `before`.
uvec4 PartOf(const uvec4 all, const uint before, const uint count) {
  if (IsScattered(all)) return SpanOf(all.xy, RecordsReference(all.xy).records, RankOf(all) + before, count);
  return uvec4(ElementAddress(all.xy, before, all.w), count, all.w);
}

// Allocations that are committed at once. `limit`: NodeMaxPayloadsAMDX.
uvec4 trellis_reserve_workgroup(const uint output_number, const uint count, const uint index, const uint limit) {
  uvec4 handle = uvec4(0u);
  if (trellis_local_index == 0u) handle = Reserve(FindSlot(output_number, index), min(min(count, limit), kMaxRecords));
  return BroadcastInWorkgroup(handle);
}

// How an invocation takes part in the reservations of its subgroup. Without subgroups each one leads, and is no group.
struct Share {
  bool leads;    // it reserves, for its group or for itself alone
  bool grouped;  // it gets its part of what `leader` reserves
  uint leader;
  uint before;  // records of the group's invocations before this one
  uint total;   // of the group
};

#ifdef TRELLIS_SUBGROUP_AGGREGATION
// Whether it can have a group: so that no sum over a subgroup (at most 128 invocations) wraps.
bool MayShare(const uint slot, const uint count) { return slot != kNoSlot && count != 0u && count <= kMaxRecords / 128u; }

// Invocations that want the same number of records of the same slot form a group. Groups are found in registers first, so that all the atomics happen at
// once afterwards.
#ifdef TRELLIS_SUBGROUP_PARTITION
Share FindShare(const uint slot, const uint count) {
  uvec4 group = subgroupPartitionNV(slot);
  if (!subgroupAllEqual(count)) group &= subgroupPartitionNV(count);
  if (!MayShare(slot, count)) return Share(true, false, 0u, 0u, count);
  uint rank = subgroupBallotExclusiveBitCount(group);
  return Share(rank == 0u, true, subgroupBallotFindLSB(group), rank * count, subgroupBallotBitCount(group) * count);
}
#else
// This many invocations alone in their groups tell that slots are mostly different: the others reserve for themselves.
const uint kMaxLoners = 2u;

// One group in each round. The whole subgroup goes through every round together (allocations stand in uniform control flow, and the loop's condition is
// uniform), so that nothing depends on where divergent invocations meet again.
Share FindShare(const uint slot, const uint count) {
  Share share = Share(true, false, 0u, 0u, count);
  bool open = MayShare(slot, count);
  uvec4 rest = subgroupBallot(open);
  uint loners = 0u;
  while (rest != uvec4(0u) && loners < kMaxLoners) {
    // From the end: where one invocation differs from all others, it tends to be the first one.
    uint chosen = subgroupBallotFindMSB(rest);
    uint chosen_slot = subgroupShuffle(slot, chosen);
    uint chosen_count = subgroupShuffle(count, chosen);
    bool joins = open && slot == chosen_slot && count == chosen_count;
    uvec4 group = subgroupBallot(joins);
    uint size = subgroupBallotBitCount(group);
    uint rank = subgroupBallotExclusiveBitCount(group);
    if (joins) {
      share = Share(rank == 0u, true, subgroupBallotFindLSB(group), rank * count, size * count);
      open = false;
    }
    if (size == 1u) ++loners;
    rest &= ~group;
  }
  return share;
}
#endif
#else
Share FindShare(const uint slot, const uint count) { return Share(true, false, 0u, 0u, count); }
#endif

// The same number of records for all invocations of a group.
uvec4 ReserveShared(const uint output_number, const uint count, const uint index) {
  uint slot = count != 0u ? FindSlot(output_number, index) : kNoSlot;
#ifdef TRELLIS_SUBGROUP_AGGREGATION
  Share share = FindShare(slot, count);
  uvec4 handle = uvec4(0u);
  if (share.leads) handle = Reserve(slot, share.total);
  uvec4 all = uvec4(subgroupShuffle(handle.xy, share.leader), 0u, subgroupShuffle(handle.w, share.leader));
  return share.grouped ? PartOf(all, share.before, count) : handle;
#else
  return Reserve(slot, count);
#endif
}

// Whether an invocation of the subgroup, or this one, wants something.
bool AnyWants(const bool wants) {
#ifdef TRELLIS_SUBGROUP_AGGREGATION
  return subgroupBallot(wants) != uvec4(0u);
#else
  return wants;
#endif
}

uvec4 trellis_reserve_invocation(const uint output_number, const uint count, const uint index, const uint limit) {
  uint clamped = min(min(count, limit), kMaxRecords);
#ifdef TRELLIS_SUBGROUP_AGGREGATION
  // Where records may go to several nodes, mostly one output in many is used.
  if (!AnyWants(clamped != 0u)) return LostHandle(0u);
#endif
  return ReserveShared(output_number, clamped, index);
}

uint Chosen(const uvec4 values, const uint number) {
  return number == 0u ? values.x : number == 1u ? values.y : number == 2u ? values.z : values.w;
}

// What an invocation has of several outputs: a handle of the one that it sends to. 4: it sends to none.
struct ChosenHandle {
  uvec4 handle;
  uint number;
};

// Reserves for outputs of which each invocation enqueues to one at most. The code has one reservation, and a subgroup waits for one instead of several.
ChosenHandle trellis_reserve_chosen(const uvec4 output_numbers, const uvec4 counts, const uvec4 indices, const uvec4 limits) {
  uvec4 clamped = min(min(counts, limits), uvec4(kMaxRecords));
  uint number = clamped.x != 0u ? 0u : clamped.y != 0u ? 1u : clamped.z != 0u ? 2u : clamped.w != 0u ? 3u : 4u;
  ChosenHandle chosen = ChosenHandle(LostHandle(0u), number);
  if (AnyWants(number != 4u))
    chosen.handle = ReserveShared(Chosen(output_numbers, number), number != 4u ? Chosen(clamped, number) : 0u, Chosen(indices, number));
  return chosen;
}

uvec4 trellis_handle_of(const ChosenHandle chosen, const uint number) { return chosen.number == number ? chosen.handle : LostHandle(0u); }

#endif  // TRELLIS_META_SHADERS_RUNTIME_RESERVE_GLSL
