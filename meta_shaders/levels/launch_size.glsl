// SPDX-License-Identifier: Apache-2.0
// How many records of a region a launch takes, how many workgroups it needs for them, and its state per record.
#ifndef TRELLIS_META_SHADERS_LEVELS_LAUNCH_SIZE_GLSL
#define TRELLIS_META_SHADERS_LEVELS_LAUNCH_SIZE_GLSL

#include "../shared/buffers.glsl"
#include "../shared/grid.glsl"
#include "../shared/segments.glsl"
#include "../shared/scan.glsl"


layout(buffer_reference, scalar, buffer_reference_align = 4) buffer ArgumentsReference { uvec4 at[]; };

struct LaunchSize {
  uint records;     // fewer than the region holds if there are too many for the maximum of slices
  uint workgroups;  // of the largest slice
  uint slices;
};

// Workgroups that two dimensions of a dispatch can have: those of a slice. The rounding up in SplitIntoRows adds fewer than 2^16, and must not wrap.
uint MaxWorkgroups(SizingPlan plan) { return min(SaturatingMultiply(plan.max_workgroups_x, plan.max_workgroups_y), 0xffff0000u); }

bool IsDrawn(LaunchPlan launch) { return launch.draws != 0u; }

// Returns the maximum workgroups of one slice of the launch, or of all of its draws together.
uint MaxWorkgroupsOf(SizingPlan plan, LaunchPlan launch) {
  return IsDrawn(launch) ? min(SaturatingMultiply(plan.max_draw_workgroups, launch.draws), 0xffff0000u) : MaxWorkgroups(plan);
}

// The whole dispatch: each slice as near to one row as the limits allow. The node finds its workgroup as y * NumWorkgroups.x + x.
uvec4 SplitIntoRows(uint workgroups, uint max_x, uint slices) {
  if (workgroups == 0u) return uvec4(0u);
  const uint rows = (workgroups - 1u) / max_x + 1u;
  return uvec4((workgroups - 1u) / rows + 1u, rows, slices, 0u);
}

// That so many workgroups of LaunchInput take, and of the dispatch for them.
uint PackedWorkgroups(LaunchPlan launch, uint workgroups) { return DivideUp(workgroups, launch.packed); }
uint DispatchedWorkgroups(LaunchPlan launch, uint workgroups) { return min(PackedWorkgroups(launch, workgroups), launch.max_workgroups); }

// One of SizingPlan::inputs.
LaunchInputReference InputOf(SizingPlan sizing, uint position) { return LaunchInputReference(ElementAddress(sizing.inputs, position, kLaunchInputBytes)); }

// Workgroups of a draw count on from those of the draws before it.
void WriteDraws(SizingPlan plan, LaunchPlan launch, LaunchInput whole) {
  for (uint draw = 0u; draw < launch.draws; ++draw) {
    const uint first = min(SaturatingMultiply(draw, plan.max_draw_workgroups), whole.workgroup_count);
    const uint count = min(whole.workgroup_count - first, plan.max_draw_workgroups);
    LaunchInput part = whole;
    part.first_workgroup = first;
    part.workgroup_count = first + count;
    InputOf(plan, launch.first_draw + draw).launch = part;
    ArgumentsReference(plan.arguments).at[launch.first_draw + draw] = SplitIntoRows(count, plan.max_draw_x, 1u);
  }
}

// A region holds its records, then the record state of each launch that reads it. Records take whole units of 16 bytes; so does one word of state about all of
// them, and n words take n times that. layer/graph/memory_plan.cpp counts in the same way. Where the region grows, record state comes from the pool when
// the number of records is known; where no bound was, segments have taken the room for them.
//
// Place of a launch's record state; `words_before`: LaunchPlan::state_words_before. Not where the region grows.
uvec2 RecordStateOf(RegionReference region, uint words_before) {
  const Records records = region.region.records;
  uvec2 end = AddressAdd(ElementAddress(records.base, region.region.capacity, records.stride), 15u);  // may be more units than 32 bits count
  end.x &= ~15u;
  return AddressAdd64(end, Multiply64(RecordUnits(region.region.capacity, 4u), words_before * 16u));
}

// The same where it does. `before`: units that regions before this one take. Null if there is no room.
uvec2 RecordStateInPool(RegionReference region, RegionReference pool, uint before, uint words_before, uint records) {
  const uint room = pool.region.state_units + pool.region.state_units_taken;
  if (before > room || StateUnits(region, records) > room - before) return uvec2(0u);
  const uvec2 place = AddressAdd64(pool.region.records.base, Multiply64(pool.region.capacity - pool.region.state_units_taken + before, 16u));
  return AddressAdd64(place, Multiply64(RecordUnits(records, 4u), words_before * 16u));
}

uint GridWorkgroups(LaunchPlan launch) { return SaturatingMultiply(SaturatingMultiply(launch.grid_x, launch.grid_y), launch.grid_z); }

LaunchSize SizeStaticGrid(LaunchPlan launch, uint records, uint max_workgroups) {
  const uint each = GridWorkgroups(launch);
  if (each == 0u) return LaunchSize(records, 0u, 1u);
  const uint max_records = max_workgroups / each;
  if (records <= max_records) return LaunchSize(records, records * each, 1u);
  if (max_records == 0u) return LaunchSize(0u, 0u, 1u);
  const uint slices = IsDrawn(launch) ? 1u : min((records - 1u) / max_records + 1u, kMaxStaticSlices);
  const uint taken = min(records, SaturatingMultiply(slices, max_records));
  return LaunchSize(taken, ((taken - 1u) / slices + 1u) * each, slices);
}

LaunchSize SizeCoalescing(LaunchPlan launch, uint records, uint max_workgroups) {
  const uint each = max(launch.coalesce, 1u);
  const uint workgroups = min(DivideUp(records, each), max_workgroups);
  return LaunchSize(min(records, SaturatingMultiply(workgroups, each)), workgroups, 1u);
}

// What a workgroup has to do with: part `part` of `parts` of one launch.
struct Share {
  uint launch;
  uint part;
  uint parts;
};

Share ShareOf(SizingPlan plan, uint workgroup) {
  const uint parted = plan.parted_count * plan.parts;
  if (workgroup >= parted) return Share(plan.parted_count + (workgroup - parted), 0u, 1u);
  return Share(workgroup / plan.parts, workgroup % plan.parts, plan.parts);
}

// Its records; none if there are too few for so many parts.
struct Part {
  uint begin;
  uint end;
};

uint RecordsOfPart(Share share, uint records) { return max((records + share.parts - 1u) / share.parts, kLevelsTile); }

Part PartOf(Share share, uint records) {
  const uint each = RecordsOfPart(share, records);
  const uint begin = min(share.part * each, records);
  return Part(begin, min(begin + each, records));
}

// Workgroups with such a part leave before the first barrier: where a level could have had many records and has few, nearly all do.
bool IsEmpty(Part part) { return part.begin >= part.end; }

// Record state of records that all have the same number of workgroups.
void WriteUnfinished(uvec2 record_state, Part part, uint records, uint workgroups) {
  for (uint record = part.begin + gl_LocalInvocationIndex; record < min(part.end, records); record += kLevelsWorkgroup)
    UintReference(ElementAddress(record_state, record, 4u)).value = workgroups;
}

// ---- dynamic grids ----------------------------------------------------------------------------------------------------------------------------------

// Records of a tile that one invocation looks at: neighbours look at neighbours, which makes accesses to memory wide; and all of its reads are under way
// at once, because their number is a constant. No loop asks to be unrolled: drivers do it, but SwiftShader takes minutes and gigabytes if it is asked to.
const uint kTileRecords = kLevelsTile / kLevelsWorkgroup;

uint TileRecord(uint i) { return i * kLevelsWorkgroup + gl_LocalInvocationIndex; }

// Places of a tile's records; the last one's for those from `end` on. No choice stands between the reads of a dense tile: they would wait for one another.
void FindTile(Records records, uint tile, uint end, out uvec2 places[kTileRecords]) {
  if (min(tile + kLevelsTile, end) <= records.dense) {
    for (uint i = 0u; i < kTileRecords; ++i) places[i] = ElementAddress(records.base, min(tile + TileRecord(i), end - 1u), records.stride);
  } else {
    for (uint i = 0u; i < kTileRecords; ++i) places[i] = RecordAddress(records, min(tile + TileRecord(i), end - 1u));
  }
}

void MultiplyComponent(LaunchPlan launch, const uvec2 places[kTileRecords], uint component, uint bound, inout uint counts[kTileRecords]) {
  for (uint i = 0u; i < kTileRecords; ++i) counts[i] = SaturatingMultiply(counts[i], ReadGridComponent(places[i], launch.grid_member, component, bound));
}

// Workgroups of the records of a tile; none for those from `end` on. `end` is above `tile`.
void CountTile(SizingPlan plan, LaunchPlan launch, RegionReference region, uint tile, uint end, out uint counts[kTileRecords]) {
  for (uint i = 0u; i < kTileRecords; ++i) counts[i] = 1u;
  uvec2 places[kTileRecords];
  FindTile(region.region.records, tile, end, places);
  const uint components = GridComponents(launch.grid_member);
  MultiplyComponent(launch, places, 0u, launch.grid_x, counts);
  if (components > 1u) MultiplyComponent(launch, places, 1u, launch.grid_y, counts);
  if (components > 2u) MultiplyComponent(launch, places, 2u, launch.grid_z, counts);
  for (uint i = 0u; i < kTileRecords; ++i) counts[i] = tile + TileRecord(i) < end ? min(counts[i], plan.max_grid_workgroups) : 0u;
}

// This invocation's portion of the workgroups of all records in [begin, end).
uint CountRecords(SizingPlan plan, LaunchPlan launch, RegionReference region, uint begin, uint end) {
  uint sum = 0u;
  for (uint tile = begin; tile < end; tile += kLevelsTile) {
    uint counts[kTileRecords];
    CountTile(plan, launch, region, tile, end, counts);
    for (uint i = 0u; i < kTileRecords; ++i) sum = SaturatingAdd(sum, counts[i]);
  }
  return sum;
}

UintReference SumOfPart(SizingPlan plan, Share share, uint part) { return UintReference(ElementAddress(plan.sums, share.launch * share.parts + part, 4u)); }

// This invocation's portion of what sum_grids has counted for the parts before `end`, which is not 0.
uint AddSums(SizingPlan plan, Share share, uint end) {
  uint sum = 0u;
  for (uint i = 0u; i < kMaxParts / kLevelsWorkgroup; ++i) {
    const uint part = i * kLevelsWorkgroup + gl_LocalInvocationIndex;
    const uint value = SumOfPart(plan, share, min(part, end - 1u)).value;
    sum = SaturatingAdd(sum, part < end ? value : 0u);
  }
  return sum;
}

// Workgroups of all parts before this one.
uint WorkgroupsBefore(SizingPlan plan, LaunchPlan launch, Share share, RegionReference region, Part part) {
  if (share.part == 0u) return 0u;
  uint total;
  ScanWorkgroup(share.launch < plan.summed_count ? AddSums(plan, share, share.part) : CountRecords(plan, launch, region, 0u, part.begin), total);
  return total;
}

// Where the counts of a tile change hands: from those who read the records to those who add up neighbours. The gaps keep the banks of shared memory apart.
const uint kTileGap = 32u;
shared uint tile_counts[kLevelsTile + kLevelsTile / kTileGap];

uint TilePlace(uint record) { return record + record / kTileGap; }

// Gets for each record of a tile the workgroups before it, and the `total` of all of them.
void ScanTile(uint before, const uint counts[kTileRecords], out uint firsts[kTileRecords], out uint total) {
  for (uint i = 0u; i < kTileRecords; ++i) tile_counts[TilePlace(TileRecord(i))] = counts[i];
  barrier();
  const uint own = gl_LocalInvocationIndex * kTileRecords;
  uint sum = 0u;
  for (uint i = 0u; i < kTileRecords; ++i) sum = SaturatingAdd(sum, tile_counts[TilePlace(own + i)]);
  uint next = SaturatingAdd(before, ScanWorkgroup(sum, total));
  for (uint i = 0u; i < kTileRecords; ++i) {
    const uint count = tile_counts[TilePlace(own + i)];
    tile_counts[TilePlace(own + i)] = next;
    next = SaturatingAdd(next, count);
  }
  barrier();
  for (uint i = 0u; i < kTileRecords; ++i) firsts[i] = tile_counts[TilePlace(TileRecord(i))];
  barrier();
}

void WriteGridState(LaunchPlan launch, RegionReference region, uvec2 record_state, uint record, uint first, uint workgroups) {
  if (launch.state_words != kFullRecordState) {
    UintReference(ElementAddress(record_state, record, 4u)).value = first;
    return;
  }
  const uvec2 address = RecordAddress(region.region.records, record);
  const uvec3 grid = ReadRecordGrid(address, launch.grid_member, uvec3(launch.grid_x, launch.grid_y, launch.grid_z));
  UnitReference(ElementAddress(record_state, record, 16u)).unit = uvec4(first, grid.xy, workgroups);  // kFullRecordState
}

// LaunchInput::search_index.
struct SearchIndex {
  uvec2 address;
  uint shift;
};

// Returns the search index of a launch whose parts have been summed, as dense as its memory allows for the workgroups of all records. Else none.
SearchIndex SearchIndexFor(SizingPlan plan, LaunchPlan launch, Share share, uint records) {
  if (launch.has_search_index == 0u || share.launch >= plan.summed_count) return SearchIndex(uvec2(0u), 0u);
  uint total;
  ScanWorkgroup(AddSums(plan, share, (records - 1u) / RecordsOfPart(share, records) + 1u), total);
  const uint room = share.parts * kSearchEntriesOfPart;
  const int shift = findMSB(max(total, 1u) - 1u) + 1 - findMSB(room);
  return SearchIndex(ElementAddress(plan.search_index, share.launch * room, 4u), uint(max(shift, 0)));
}

// The record of a tile, counted from its first one, that has this workgroup. After ScanTile.
uint FindInTile(uint workgroup) {
  uint low = 0u;
  for (uint step = kLevelsTile / 2u; step != 0u; step /= 2u) {
    if (tile_counts[TilePlace(low + step)] <= workgroup) low += step;
  }
  return low;
}

uint SearchEntriesBefore(uint workgroup, uint shift) { return workgroup != 0u ? (workgroup - 1u >> shift) + 1u : 0u; }

// Those among the workgroups [begin, end), which are the tile's.
void WriteSearchIndex(SearchIndex search_index, uint tile, uint begin, uint end) {
  const uint last = SearchEntriesBefore(end, search_index.shift);
  for (uint k = SearchEntriesBefore(begin, search_index.shift) + gl_LocalInvocationIndex; k < last; k += kLevelsWorkgroup)
    UintReference(ElementAddress(search_index.address, k, 4u)).value = tile + FindInTile(k << search_index.shift);
  barrier();
}

// The first record that the slice has no workgroups for.
shared uint next_record;
shared uint workgroups_before_next;

// Writes the record state of [begin, end), as far as the slice has workgroups for them. Sums never decrease, so these records are a prefix. `before`:
// workgroups of the slice's earlier records; then, those of all its records, or more than `max_workgroups`.
void WriteStateOfSlice(SizingPlan plan, LaunchPlan launch, RegionReference region, uint begin, uint end, uvec2 record_state, uint max_workgroups,
                       SearchIndex search_index, inout uint before) {
  for (uint tile = begin; tile < end && before <= max_workgroups; tile += kLevelsTile) {
    uint counts[kTileRecords];
    uint firsts[kTileRecords];
    uint total;
    CountTile(plan, launch, region, tile, end, counts);
    ScanTile(before, counts, firsts, total);
    for (uint i = 0u; i < kTileRecords; ++i) {
      const uint record = tile + TileRecord(i);
      if (record >= end || firsts[i] > max_workgroups) break;
      if (SaturatingAdd(firsts[i], counts[i]) > max_workgroups) {
        next_record = record;
        workgroups_before_next = firsts[i];
        break;
      }
      WriteGridState(launch, region, record_state, record, firsts[i], counts[i]);
    }
    const uint tile_end = SaturatingAdd(before, total);
    if (!IsNull(search_index.address)) WriteSearchIndex(search_index, tile, before, tile_end);
    before = tile_end;
  }
  barrier();
}

// Writes the record state of every record of the part. The part in which the first slice ends, or the last one with records, knows the launch's size.
bool SizeDynamicGrid(SizingPlan plan, LaunchPlan launch, Share share, RegionReference region, uint records, uvec2 record_state, uint max_workgroups,
                     out LaunchSize size, out SearchIndex search_index) {
  const Part part = PartOf(share, records);
  search_index = SearchIndex(uvec2(0u), 0u);
  if (IsEmpty(part) && share.part != 0u) return false;
  uint before = WorkgroupsBefore(plan, launch, share, region, part);
  if (before > max_workgroups) return false;
  if (records != 0u) search_index = SearchIndexFor(plan, launch, share, records);
  const uvec2 table = ElementAddress(plan.slices, launch.slice_table, (kMaxSlices + 1u) * kSliceBytes);
  const uint max_slices = IsDrawn(launch) ? 1u : kMaxSlices;
  size = LaunchSize(0u, 0u, 0u);
  Part slice = part;
  SearchIndex of_slice = search_index;
  // One iteration, unless the first slice ends here. Then this workgroup alone makes the others: rare, and short compared with what runs 2^32 workgroups.
  while (size.slices < max_slices) {
    WriteStateOfSlice(plan, launch, region, slice.begin, slice.end, record_state, max_workgroups, of_slice, before);
    const bool takes_all = before <= max_workgroups;
    if (takes_all && size.slices == 0u) {
      size = LaunchSize(part.end, before, 1u);
      return part.end == records;
    }
    const uint end = takes_all ? records : next_record;
    const uint workgroups = takes_all ? before : workgroups_before_next;
    if (size.slices != 0u && end == size.records) break;  // no dispatch can have this one record's workgroups
    if (gl_LocalInvocationIndex == 0u && max_slices != 1u) SliceReference(table).at[size.slices] = Slice(size.records, workgroups);
    size = LaunchSize(end, max(size.workgroups, workgroups), size.slices + 1u);
    if (end == records) break;
    slice = Part(end, records);
    before = 0u;
    of_slice = SearchIndex(uvec2(0u), 0u);
  }
  if (gl_LocalInvocationIndex == 0u && max_slices != 1u) SliceReference(table).at[size.slices] = Slice(size.records, 0u);
  if (size.slices > 1u) search_index = SearchIndex(table, 0u);
  return true;
}

// Called by all invocations of a workgroup, with the same arguments. True in the one workgroup, among those that have parts of the launch, that knows
// its size.
bool SizeLaunch(SizingPlan plan, LaunchPlan launch, Share share, RegionReference region, uint records, uvec2 record_state, out LaunchSize size,
                out SearchIndex search_index) {
  const uint max_workgroups = MaxWorkgroupsOf(plan, launch);
  if (launch.kind == kLaunchDynamicGrid) return SizeDynamicGrid(plan, launch, share, region, records, record_state, max_workgroups, size, search_index);
  search_index = SearchIndex(uvec2(0u), 0u);
  size = launch.kind == kLaunchStaticGrid ? SizeStaticGrid(launch, records, max_workgroups) : SizeCoalescing(launch, records, max_workgroups);
  if (launch.state_words != kNoRecordState) WriteUnfinished(record_state, PartOf(share, records), size.records, GridWorkgroups(launch));
  return share.part == 0u;
}

#endif  // TRELLIS_META_SHADERS_LEVELS_LAUNCH_SIZE_GLSL
