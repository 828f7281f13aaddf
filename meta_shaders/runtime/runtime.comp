// Functions that lowering links into nodes by name. Compiled four times: for both memory models, with and without subgroup aggregation
// (TRELLIS_VULKAN_MEMORY_MODEL, TRELLIS_SUBGROUP_AGGREGATION). Built-ins come in as parameters, because the node may declare the same ones.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#ifdef TRELLIS_VULKAN_MEMORY_MODEL
#pragma use_vulkan_memory_model
#endif
#ifdef TRELLIS_SUBGROUP_AGGREGATION
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#endif

#include "meta_shaders/shared/buffers.glsl"
#include "meta_shaders/shared/grid.glsl"
#include "meta_shaders/shared/reports.glsl"

layout(local_size_x = 1) in;

// Workgroups of one launch see each other's writes to payloads. Device is a scope that the Vulkan memory model has only with a feature of its own.
#ifdef TRELLIS_VULKAN_MEMORY_MODEL
const int kPayloadScope = gl_ScopeQueueFamily;
#else
const int kPayloadScope = gl_ScopeDevice;
#endif

// Payload words that other invocations of the workgroup wrote.
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer SharedUintReference { uint value; };
layout(buffer_reference, scalar, buffer_reference_align = 16) coherent buffer HeapHeaderReference {
  uint slot;
  uint count;
  uint stride;
  uint of_workgroup;  // 1: one allocation for the whole workgroup
};

// A node payload array: {address low, address high, count, stride}. Stride 0: the records are lost (or empty) and all elements are one dump area.
uvec2 trellis_launch;
uint trellis_local_index;
uvec3 trellis_workgroup_id;
uvec4 trellis_input;
uint trellis_record;  // number of the input's first record among those of the launch
uint trellis_turn;    // which of the two words is next

// Two, in turns: whoever writes one of them again has passed a barrier since everybody read it, that of the other one.
shared uvec4 trellis_shared_even;
shared uvec4 trellis_shared_odd;

// Waits for the workgroup; payloads that any invocation wrote, or saw, before it are seen by all after it.
void PayloadBarrier() {
  controlBarrier(gl_ScopeWorkgroup, kPayloadScope, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
}

// What the workgroup's first invocation has, in all of them. In uniform control flow; a barrier, but not for payloads.
uvec4 BroadcastInWorkgroup(const uvec4 value) {
  bool odd = trellis_turn != 0u;
  trellis_turn ^= 1u;
  if (trellis_local_index == 0u) {
    if (odd) {
      trellis_shared_odd = value;
    } else {
      trellis_shared_even = value;
    }
  }
  barrier();
  return odd ? trellis_shared_odd : trellis_shared_even;
}

// ---- entry: from the dispatch's workgroup to (record, workgroup of the record); false: past the end ------------------------------------------------

LaunchInputReference InputOf(const uvec2 launch) { return LaunchInputReference(LaunchBlockReference(launch).block.source); }

void SetRecord(const Records records, const uint record, const uint count) {
  trellis_record = record;
  trellis_input = uvec4(ElementAddress(records.base, record, records.stride), count, records.stride);
}

// The workgroup with this number among those of a grid whose first two sides are `grid`.
uvec3 WorkgroupOfGrid(const uint number, const uvec2 grid) {
  uint number_yz = number / grid.x;
  return uvec3(number - number_yz * grid.x, number_yz % grid.y, number_yz / grid.y);
}

const uint kNoWorkgroup = 0xffffffffu;

// Number of a workgroup of the dispatch among those of the launch; kNoWorkgroup if it has nothing to do. A dispatch whose arguments are the region's
// has one row.
uint LaunchWorkgroup(const uvec2 launch, const uvec3 id, const uint row) {
  if (LaunchBlockReference(launch).block.from_region != 0u) return id.x;
  LaunchInputReference from = InputOf(launch);
  uint workgroup = from.launch.first_workgroup + id.y * row + id.x;
  return workgroup < from.launch.workgroup_count ? workgroup : kNoWorkgroup;
}

bool trellis_enter_static(const uvec2 launch, const uvec3 id, const uint row, const uint local_index, const uvec3 grid) {
  trellis_launch = launch;
  trellis_local_index = local_index;
  trellis_turn = 0u;
  Records records = InputOf(launch).launch.records;
  uint record = id.x;
  trellis_workgroup_id = uvec3(id.y, id.z % grid.y, id.z / grid.y);
  if (LaunchBlockReference(launch).block.from_region == 0u) {
    uint linear = LaunchWorkgroup(launch, id, row);
    if (linear == kNoWorkgroup) return false;
    record = linear / (grid.x * grid.y * grid.z);
    trellis_workgroup_id = WorkgroupOfGrid(linear - record * (grid.x * grid.y * grid.z), grid.xy);
  }
  if (record >= records.count) return false;
  SetRecord(records, record, 1u);
  return true;
}

// `grid_member` as LaunchPlan::grid_member. The grid's bounds come from the launch block: whoever counted the workgroups clamped with the same.
// `note_words`: kFullNotes if the record may have changed since then; the notes know its grid.
bool trellis_enter_dynamic(const uvec2 launch, const uvec3 id, const uint row, const uint local_index, const uint grid_member,
                           const uint note_words) {
  trellis_launch = launch;
  trellis_local_index = local_index;
  trellis_turn = 0u;
  LaunchBlockReference l = LaunchBlockReference(launch);
  LaunchInput from = InputOf(launch).launch;
  uint linear = LaunchWorkgroup(launch, id, row);
  if (linear == kNoWorkgroup) return false;
  // The last record whose first workgroup is not above `linear`: records without workgroups share the number of their successor.
  uint note_bytes = note_words * 4u;
  uint low = 0u;
  uint high = from.records.count;
  while (high - low > 1u) {
    uint middle = low + (high - low) / 2u;
    if (UintReference(ElementAddress(from.notes, middle, note_bytes)).value <= linear) {
      low = middle;
    } else {
      high = middle;
    }
  }
  SetRecord(from.records, low, 1u);
  uvec2 note = ElementAddress(from.notes, low, note_bytes);
  uvec2 grid;
  if (note_words == kFullNotes) {
    grid = uvec2(UintReference(AddressAdd(note, 4u)).value, UintReference(AddressAdd(note, 8u)).value);
  } else {
    grid = ReadRecordGrid(trellis_input.xy, grid_member, uvec3(l.block.grid_x, l.block.grid_y, l.block.grid_z)).xy;
  }
  trellis_workgroup_id = WorkgroupOfGrid(linear - UintReference(note).value, max(grid, uvec2(1u)));
  return true;
}

// Where no kernel closed the level, the number of records is the producers' counter.
Records CountedRecords(const uvec2 launch) {
  LaunchBlockReference l = LaunchBlockReference(launch);
  Records records = InputOf(launch).launch.records;
  if (l.block.from_region != 0u) records.count = min(records.count, RegionReference(l.block.source).region.reserved);
  return records;
}

bool trellis_enter_coalescing(const uvec2 launch, const uvec3 id, const uint row, const uint local_index, const uint coalesce) {
  trellis_launch = launch;
  trellis_local_index = local_index;
  trellis_turn = 0u;
  Records records = CountedRecords(launch);
  uint linear = LaunchWorkgroup(launch, id, row);
  uint first = linear * coalesce;
  if (linear == kNoWorkgroup || first >= records.count) return false;
  trellis_workgroup_id = uvec3(0u);
  SetRecord(records, first, min(coalesce, records.count - first));
  return true;
}

// `packed_workgroups` of one invocation and one record each, side by side in the invocations of this one.
bool trellis_enter_packed(const uvec2 launch, const uvec3 id, const uint row, const uint local_index, const uint packed_workgroups) {
  trellis_launch = launch;
  trellis_local_index = 0u;
  Records records = CountedRecords(launch);
  uint linear = LaunchWorkgroup(launch, id, row);
  uint record = linear * packed_workgroups + local_index;
  if (linear == kNoWorkgroup || record >= records.count) return false;
  trellis_workgroup_id = uvec3(0u);
  SetRecord(records, record, 1u);
  return true;
}

uint trellis_shader_index() { return LaunchBlockReference(trellis_launch).block.shader_index; }
uint trellis_remaining_recursion() { return LaunchBlockReference(trellis_launch).block.remaining_recursion; }

// ---- finish-writing ---------------------------------------------------------------------------------------------------------------------------------

// True in the last workgroup of the record: every other one has called it, and what it wrote to the record before can be seen now.
bool trellis_finish_writing(const uint note_words) {
  uvec2 note = ElementAddress(InputOf(trellis_launch).launch.notes, trellis_record, note_words * 4u);
  UintReference unfinished = UintReference(AddressAdd(note, note_words * 4u - 4u));
  PayloadBarrier();
  uint before = 0u;
  if (trellis_local_index == 0u) {
    before = atomicAdd(unfinished.value, 0xffffffffu, kPayloadScope, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  }
  before = BroadcastInWorkgroup(uvec4(before)).x;
  PayloadBarrier();
  return before == 1u;
}

// ---- handles ---------------------------------------------------------------------------------------------------------------------------------------



// The slot that receives what is sent to shader index `index` of output `output_number`; kNoSlot if there is no such node.
uint FindSlot(const uint output_number, const uint index) {
  NodeOutput target = NodeOutputReference(AddressAdd(trellis_launch, kLaunchBlockBytes)).at[output_number];
  uvec2 slots = target.slots;
  uint count = target.index_count;
  if (count == kOneSlot) return index == target.first_index ? slots.x : kNoSlot;
  if ((count & kSortedSlotPairs) == 0u) {
    uint place = index - target.first_index;
    return place < count ? UintReference(ElementAddress(slots, place, 4u)).value : kNoSlot;
  }
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

uvec4 LostHandle(const uint count) {
  return uvec4(ControlBlockReference(LaunchBlockReference(trellis_launch).block.control).control.dump, count, 0u);
}

// An index past the end reaches the last element, so that no index leaves the array; a handle that was never written reaches the dump.
uvec2 trellis_element(const uvec4 handle, const uint index) {
  uvec2 base = handle.xy;
  if (IsNull(base)) base = LostHandle(0u).xy;
  return ElementAddress(base, min(index, max(handle.z, 1u) - 1u), handle.w);
}

RegionReference RegionOf(const uint slot) { return RegionOf(LaunchBlockReference(trellis_launch).block.regions, slot); }

void CountLost(const RegionReference region, const uint count) {
  if (atomicAdd(region.region.lost, count) >= 0x80000000u) atomicMin(region.region.lost, 0x80000000u);
}

// Below it, all reservations that a device can have in flight at once cannot carry a counter from its capacity to 2^32.
const uint kMostPlainRanks = 0x1000u;

// Takes `count` ranks (below 2^30) of a region. False: they do not fit; then no later reservation fits either.
bool TakeRanks(const RegionReference region, const uint count, out uint rank) {
  uint capacity = region.region.capacity;
  if (count <= kMostPlainRanks) {
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
  return false;
}

// A reservation's count is clamped to this before it meets a counter, so that counters cannot wrap.
const uint kMostRecords = 0x3fffffffu;

uint WorkgroupsFor(const uint records, const uint each) { return records / each + uint(records % each != 0u); }

// The shares of all reservations that succeeded add up to the workgroups for their sum: ranks leave no gaps.
void CountWorkgroups(const RegionReference region, const uint each, const uint rank, const uint count) {
  if (each == 0u) return;
  uint workgroups = WorkgroupsFor(rank + count, each) - WorkgroupsFor(rank, each);
  if (workgroups != 0u) atomicAdd(region.region.workgroups, workgroups);
}

uvec4 Reserve(const uint slot, const uint count) {
  if (slot == kNoSlot || count == 0u) return LostHandle(count);
  RegionReference region = RegionOf(slot);
  // Before the atomics, so that all of it arrives together.
  Records records = region.region.records;
  uint coalesce = region.region.coalesce;
  uint rank;
  if (!TakeRanks(region, count, rank)) {
    CountLost(region, count);
    return LostHandle(count);
  }
  CountWorkgroups(region, coalesce, rank, count);
  return uvec4(ElementAddress(records.base, rank, records.stride), count, records.stride);
}

// Allocations that are committed at once. `limit`: NodeMaxPayloadsAMDX.
uvec4 trellis_reserve_workgroup(const uint output_number, const uint count, const uint index, const uint limit) {
  uvec4 handle = uvec4(0u);
  if (trellis_local_index == 0u) handle = Reserve(FindSlot(output_number, index), min(min(count, limit), kMostRecords));
  return BroadcastInWorkgroup(handle);
}

#ifdef TRELLIS_SUBGROUP_AGGREGATION
// How an invocation takes part in the reservations of its subgroup.
struct Share {
  bool leads;    // it reserves, for its group or for itself alone
  bool grouped;  // it gets its part of what `leader` reserves
  uint leader;
  uint before;  // records of the group's invocations before this one
  uint total;   // of the group
};

// This many invocations alone in their groups tell that slots are mostly different: the others reserve for themselves.
const uint kMostLoners = 2u;

// Invocations that want the same number of records of the same slot form a group. Groups are found in registers first, one in each round, so that all
// the atomics happen at once afterwards. The whole subgroup goes through every round together (allocations stand in uniform control flow, and the
// loop's condition is uniform), so that nothing depends on where divergent invocations meet again.
Share FindShare(const uint slot, const uint count) {
  Share share = Share(true, false, 0u, 0u, count);
  // So that no sum over a subgroup (at most 128 invocations) wraps.
  bool open = slot != kNoSlot && count != 0u && count <= kMostRecords / 128u;
  uvec4 rest = subgroupBallot(open);
  uint loners = 0u;
  while (rest != uvec4(0u) && loners < kMostLoners) {
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

uvec4 trellis_reserve_invocation(const uint output_number, const uint count, const uint index, const uint limit) {
  uint slot = FindSlot(output_number, index);
  uint clamped = min(min(count, limit), kMostRecords);
#ifdef TRELLIS_SUBGROUP_AGGREGATION
  Share share = FindShare(slot, clamped);
  uvec4 handle = uvec4(0u);
  if (share.leads) handle = Reserve(slot, share.total);
  uvec2 first = subgroupShuffle(handle.xy, share.leader);
  uint stride = subgroupShuffle(handle.w, share.leader);
  return share.grouped ? uvec4(ElementAddress(first, share.before, stride), clamped, stride) : handle;
#else
  return Reserve(slot, clamped);
#endif
}

// ---- reservations of a whole workgroup whose invocations send to different nodes: one for each of these nodes ---------------------------------------

const uint kBinBits = 8u;
const uint kBins = 1u << kBinBits;
const uint kMostProbes = 8u;

// A hash table by slot: first {slot, records}, then the address of the records and their stride.
shared uint trellis_bin_low[kBins];
shared uint trellis_bin_high[kBins];
shared uint trellis_bin_stride[kBins];

// The bin of a slot; kBins if all that it may have are taken.
uint FindBin(const uint slot) {
  uint bin = slot * 0x9e3779b1u >> (32u - kBinBits);
  for (uint probe = 0u; probe < kMostProbes; ++probe) {
    uint held = atomicCompSwap(trellis_bin_low[bin], kNoSlot, slot);
    if (held == kNoSlot || held == slot) return bin;
    bin = (bin + 1u) % kBins;
  }
  return kBins;
}

// In uniform control flow, as allocations are.
uvec4 trellis_reserve_invocations(const uint output_number, const uint count, const uint index, const uint limit, const uint workgroup_size) {
  uint slot = FindSlot(output_number, index);
  uint clamped = min(min(count, limit), kMostRecords);
  for (uint bin = trellis_local_index; bin < kBins; bin += workgroup_size) {
    trellis_bin_low[bin] = kNoSlot;
    trellis_bin_high[bin] = 0u;
  }
  barrier();
  uint own_bin = kBins;
  uint before = 0u;
  // So that no sum over a workgroup wraps.
  if (slot != kNoSlot && clamped != 0u && clamped <= kMostRecords / workgroup_size) own_bin = FindBin(slot);
  if (own_bin != kBins) before = atomicAdd(trellis_bin_high[own_bin], clamped);
  barrier();
  for (uint bin = trellis_local_index; bin < kBins; bin += workgroup_size) {
    if (trellis_bin_high[bin] == 0u) continue;
    uvec4 all = Reserve(trellis_bin_low[bin], trellis_bin_high[bin]);
    trellis_bin_low[bin] = all.x;
    trellis_bin_high[bin] = all.y;
    trellis_bin_stride[bin] = all.w;
  }
  barrier();
  uvec4 handle;
  if (own_bin != kBins) {
    uint stride = trellis_bin_stride[own_bin];
    handle = uvec4(ElementAddress(uvec2(trellis_bin_low[own_bin], trellis_bin_high[own_bin]), before, stride), clamped, stride);
  } else {
    handle = Reserve(slot, clamped);
  }
  // Nobody may clear the bins for the next allocation before all have read them.
  barrier();
  return handle;
}

// ---- allocations that are committed by OpEnqueueNodePayloadsAMDX: bytes of the heap first, ranks and a copy at enqueue -----------------------------

uvec4 ReserveHeap(const uint slot, const uint count, const uint of_workgroup) {
  if (slot == kNoSlot || count == 0u) return LostHandle(count);
  LaunchBlockReference l = LaunchBlockReference(trellis_launch);
  uint stride = RegionOf(slot).region.records.stride;
  uint bytes_high;
  uint bytes_low;
  umulExtended(count, stride, bytes_high, bytes_low);
  RegionReference heap = RegionOf(ControlBlockReference(l.block.control).control.heap_slot);
  uint rank;
  if (bytes_high != 0u || bytes_low > 0xffffff00u || !TakeRanks(heap, (kHeapHeaderBytes + bytes_low + 15u) / 16u, rank)) {
    CountLost(RegionOf(slot), count);
    return LostHandle(count);
  }
  uvec2 header = ElementAddress(heap.region.records.base, rank, 16u);
  HeapHeaderReference(header).slot = slot;
  HeapHeaderReference(header).count = count;
  HeapHeaderReference(header).stride = stride;
  HeapHeaderReference(header).of_workgroup = of_workgroup;
  return uvec4(AddressAdd(header, kHeapHeaderBytes), count, stride);
}

uvec4 trellis_defer_workgroup(const uint output_number, const uint count, const uint index, const uint limit) {
  uvec4 handle = uvec4(0u);
  if (trellis_local_index == 0u) handle = ReserveHeap(FindSlot(output_number, index), min(min(count, limit), kMostRecords), 1u);
  return BroadcastInWorkgroup(handle);
}

uvec4 trellis_defer_invocation(const uint output_number, const uint count, const uint index, const uint limit) {
  return ReserveHeap(FindSlot(output_number, index), min(min(count, limit), kMostRecords), 0u);
}

bool HasHeapHeader(const uvec4 handle) { return handle.z != 0u && handle.xy != LostHandle(0u).xy; }

void CopyWords(const uvec4 source, const uvec4 target, const uint first, const uint step) {
  if (target.w == 0u) return;
  uint words = source.z * source.w / 4u;
  for (uint word = first; word < words; word += step) {
    SharedUintReference(ElementAddress(target.xy, word, 4u)).value = SharedUintReference(ElementAddress(source.xy, word, 4u)).value;
  }
}

HeapHeaderReference HeaderOf(const uvec4 handle) {
  return HeapHeaderReference(AddressAdd64(handle.xy, uvec2(0u - kHeapHeaderBytes, 0xffffffffu)));
}

void trellis_enqueue_invocation(const uvec4 handle) {
  if (HasHeapHeader(handle)) CopyWords(handle, Reserve(HeaderOf(handle).slot, handle.z), 0u, 1u);
}

// Where allocations of either scope may arrive: all invocations hold the same one, or each its own. `workgroup_size`: invocations in the workgroup.
void trellis_enqueue_workgroup(const uvec4 handle, const uint workgroup_size) {
  PayloadBarrier();
  bool of_workgroup = HasHeapHeader(handle) && HeaderOf(handle).of_workgroup != 0u;
  if (!of_workgroup) trellis_enqueue_invocation(handle);
  uvec4 target = uvec4(0u);
  if (of_workgroup && trellis_local_index == 0u) target = Reserve(HeaderOf(handle).slot, handle.z);
  target = BroadcastInWorkgroup(target);
  if (of_workgroup) CopyWords(handle, target, trellis_local_index, workgroup_size);
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

// ---- allocations against their rules: with the setting `validate`, before each of them ----------------------------------------------------------------

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
    Report(control.reports, LossReport(control.origin, kReportAllocation, wish.slot, 0u, wish.payloads, 1u));
  Report(control.reports, LossReport(control.origin, kReportNoTarget, 0u, 0u, wish.lost_index, wish.lost_payloads));
}

Wish WishFor(const uint output_number, const uint count, const uint index) {
  uint slot = FindSlot(output_number, index);
  return slot == kNoSlot ? Wish(count, slot, count, index) : Wish(count, slot, 0u, 0u);
}

void trellis_check_workgroup(const uint output_number, const uint count, const uint index, const uint limit) {
  if (trellis_local_index == 0u) ReportWish(WishFor(output_number, count, index), limit);
}

// Workgroups of one invocation.
void trellis_check_single(const uint output_number, const uint count, const uint index, const uint limit) {
  ReportWish(WishFor(output_number, count, index), limit);
}

// A Wish; with atomics.
shared uvec4 trellis_wish;

// The sum over a workgroup (at most 2048 invocations) of counts up to this does not wrap.
const uint kMostSummed = 0x1fffffu;

// The limit is one for all invocations of a workgroup. Allocations stand in control flow that is uniform in it.
void trellis_check_invocations(const uint output_number, const uint count, const uint index, const uint limit) {
  barrier();
  if (trellis_local_index == 0u) trellis_wish = uvec4(0u, kNoSlot, 0u, 0u);
  barrier();
  Wish wish = WishFor(output_number, count, index);
  atomicAdd(trellis_wish.x, min(count, kMostSummed));
  atomicMin(trellis_wish.y, wish.slot);
  atomicAdd(trellis_wish.z, min(wish.lost_payloads, kMostSummed));
  atomicMax(trellis_wish.w, wish.lost_index);
  barrier();
  if (trellis_local_index == 0u) ReportWish(Wish(trellis_wish.x, trellis_wish.y, trellis_wish.z, trellis_wish.w), limit);
}

// Parameters of linked functions are const, so that they are passed by value.

// Every function once, so that the compiler keeps them all.
void main() {
  bool entered = trellis_enter_static(uvec2(0), gl_WorkGroupID, 1u, 0u, uvec3(1u)) || trellis_enter_dynamic(uvec2(0), gl_WorkGroupID, 1u, 0u, 0u, 1u) ||
                 trellis_enter_coalescing(uvec2(0), gl_WorkGroupID, 1u, 0u, 1u) || trellis_enter_packed(uvec2(0), gl_WorkGroupID, 1u, 0u, 1u);
  uvec4 handle = trellis_reserve_workgroup(0u, 1u, 0u, 1u) + trellis_reserve_invocation(0u, 1u, 0u, 1u) + trellis_defer_workgroup(0u, 1u, 0u, 1u) +
                 trellis_defer_invocation(0u, 1u, 0u, 1u) + trellis_reserve_invocations(0u, 1u, 0u, 1u, 1u);
  trellis_enqueue_workgroup(handle, 1u);
  trellis_enqueue_invocation(handle);
  trellis_copy_array(handle, handle);
  trellis_check_workgroup(0u, 1u, 0u, 1u);
  trellis_check_single(0u, 1u, 0u, 1u);
  trellis_check_invocations(0u, 1u, 0u, 1u);
  if (entered && trellis_valid(0u, 0u) && trellis_finish_writing(1u)) handle.xy = trellis_element(handle, trellis_shader_index() + trellis_remaining_recursion());
}
