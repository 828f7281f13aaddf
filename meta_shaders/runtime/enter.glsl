// SPDX-License-Identifier: Apache-2.0
// Entry: from the dispatch's workgroup to (record, workgroup of the record). False: past the end.
//
// A dispatch's workgroup is `packed` workgroups of the node side by side; local indices count through all of them. Where a dispatch has fewer workgroups
// than its launch, each strides through it or takes a run: only of nodes that take whole records, one or more a workgroup of the dispatch.
#ifndef TRELLIS_META_SHADERS_RUNTIME_ENTER_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_ENTER_GLSL

#include "meta_shaders/runtime/handles.glsl"
#include "meta_shaders/shared/grid.glsl"

// The workgroup with this number among those of a grid whose first two sides are `grid`.
uvec3 WorkgroupOfGrid(const uint number, const uvec2 grid) {
  uint number_yz = number / grid.x;
  return uvec3(number - number_yz * grid.x, number_yz % grid.y, number_yz / grid.y);
}

const uint kNoWorkgroup = 0xffffffffu;
const uint kMaxStep = 0x80000000u;  // the sum with a record's number does not wrap

// One of an array of exclusive prefix sums, which lie `stride` bytes apart.
uint SumAt(const uvec2 sums, const uint stride, const uint index) { return UintReference(ElementAddress(sums, index, stride)).value; }

// The last prefix sum in [first, end) that is not above `number`, as the first one of them must be: what adds nothing shares the sum of its successor.
uint FindSum(const uvec2 sums, const uint stride, const uint first, const uint end, const uint number, const bool for_cpu) {
  uint low = first;
  uint high = end;
#ifdef TRELLIS_SUBGROUP_AGGREGATION
  // Whole workgroups get here. Where all invocations of a subgroup look for the same, each has a place to look at, so that the loads of a round wait together.
  // A CPU does not wait for loads; a round's ballots and its division take longer than the rounds that they spare.
  const uvec4 together = subgroupBallot(true);
  const uint places = subgroupBallotBitCount(together);
  const uint own = subgroupBallotExclusiveBitCount(together) + 1u;
  const bool is_shared = subgroupBallot(number == subgroupBroadcastFirst(number)) == together;
  while (!for_cpu && is_shared && high - low > 1u) {
    // A division takes longer than all else of a round, and the last one has no need of it.
    uint step = high - low <= places + 1u ? 1u : (high - low + places) / (places + 1u);
    uint index = low + min(own * step, high - low);
    bool after = index >= high || SumAt(sums, stride, index) > number;
    uint not_after = places - subgroupBallotBitCount(subgroupBallot(after));
    low += not_after * step;
    high = min(low + step, high);
  }
#endif
  while (high - low > 1u) {
    uint middle = low + (high - low) / 2u;
    if (SumAt(sums, stride, middle) > number) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return low;
}

// What a workgroup of the dispatch keeps of its launch.
uvec3 trellis_place;  // gl_WorkGroupID
uint trellis_form;    // LaunchBlock::form
uvec2 trellis_source;    // what begins with them
Records trellis_records;
uint trellis_dense_end;  // where it strides: records below it exist and lie dense
uint trellis_group;  // of a coalescing launch: number of the workgroup's first record
uint trellis_rest;   // records of the workgroup behind trellis_record, which its next turn begins with
uvec2 trellis_notes;
uvec2 trellis_landmarks;
uint trellis_landmark_shift;
uint trellis_pack;       // which of the packed workgroups an invocation is in
uint trellis_workgroup;  // number among those of the launch, as LaunchInput counts them; kNoWorkgroup if there is nothing to do
uint trellis_end;        // numbers from it on have nothing to do
uint trellis_slices;     // NumWorkgroups.z; more than 1 with kFormInput: LaunchInput::slices
uint trellis_step;       // workgroups of the dispatch; where it strides, once the launch is entered: to its next record
uvec2 trellis_step_bytes;

// The launch that the workgroup is part of, where what was pushed is a batch. Gives its source.
uvec2 EnterBatch(const uvec2 pushed, const bool for_cpu) {
  LaunchBatch batch = LaunchBatchReference(pushed).batch;
  // The sum of all stands behind those of the members.
  uint found = FindSum(batch.sums, 4u, 0u, batch.member_count + 1u, trellis_workgroup, for_cpu);
  uint member = min(found, batch.member_count - 1u);
  uint before = SumAt(batch.sums, 4u, member);
  trellis_launch = ElementAddress(batch.members, member, batch.member_bytes);
  trellis_workgroup = found == member ? trellis_workgroup - before : kNoWorkgroup;
  trellis_step = SumAt(batch.sums, 4u, member + 1u) - before;
  return LaunchBlockReference(trellis_launch).block.source;
}

// Of those that an invocation asks for at once.
const uint kMaxCounts = 4u;

// The same where producers have counted. Never for a CPU (CountBatches).
uvec2 EnterCountedBatch(const uvec2 pushed) {
  LaunchBatch batch = LaunchBatchReference(pushed).batch;
  UintArrayReference counts = UintArrayReference(batch.sums);
  uint member = 0u, before = 0u;
  uint end = batch.member_count;
  uint count;
  bool found = false;
#ifdef TRELLIS_SUBGROUP_AGGREGATION
  // Each invocation adds up its part of the members among whom the one must be; then that is the part where the sum of all passes the number. The
  // whole subgroup is here, and has one number.
  const uvec4 together = subgroupBallot(true);
  // A power of two, because division takes longer than what some places more would save.
  const uint places_log2 = uint(findMSB(subgroupBallotBitCount(together)));
  const uint place = subgroupBallotExclusiveBitCount(together);
  while (places_log2 != 0u && !found) {
    uint each = (end - member - 1u >> places_log2) + 1u;
    uint own = min(member + place * each, end);
    uint own_end = min(own + each, end);
    uint parts[kMaxCounts];
    uint sum = 0u;
    for (uint i = 0u; i < kMaxCounts; ++i) {
      parts[i] = own + i < own_end ? counts.at[own + i] : 0u;
      sum += parts[i];
    }
    // As many turns in every invocation.
    for (uint i = kMaxCounts; i < each; ++i) {
      uint part = counts.at[min(own + i, end - 1u)];
      sum += own + i < own_end ? part : 0u;
    }
    uint through = before + subgroupInclusiveAdd(sum);
    uint chosen = subgroupBallotFindLSB(subgroupBallot(through > trellis_workgroup || own_end == end));
    before = subgroupShuffle(through - sum, chosen);
    member = subgroupShuffle(own, chosen);
    end = subgroupShuffle(own_end, chosen);
    count = subgroupShuffle(parts[0], chosen);
    if (each > kMaxCounts) continue;
    // What the chosen one has asked for is all that is left.
    for (uint i = 1u; i < kMaxCounts; ++i) {
      uint next = subgroupShuffle(parts[i], chosen);
      bool is_after = trellis_workgroup - before >= count && member + 1u < end;
      before += is_after ? count : 0u;
      member += is_after ? 1u : 0u;
      count = is_after ? next : count;
    }
    found = true;
  }
#endif
  if (!found) {
    count = counts.at[member];
    while (trellis_workgroup - before >= count && member + 1u < end) {
      before += count;
      ++member;
      count = counts.at[member];
    }
  }
  trellis_launch = ElementAddress(batch.members, member, batch.member_bytes);
  trellis_workgroup -= before;
  trellis_step = count;
  return batch.source_step != 0u ? ElementAddress(batch.source, member, batch.source_step) : LaunchBlockReference(trellis_launch).block.source;
}

// Where the workgroup `place` of `size` is in what was pushed, whose source comes back. `is_noted`: the form is kFormInput, because grids come from
// the records and the node does not launch bounds. Several workgroups of `invocations` are packed if that is not 0.
uvec2 EnterDispatch(const uvec2 pushed, const uvec3 place, const uvec3 size, const uint local_index, const uint invocations, const bool is_noted) {
  trellis_pack = invocations == 0u ? 0u : local_index / invocations;
  trellis_local_index = local_index - trellis_pack * invocations;
  trellis_turn = 0u;
  trellis_place = place;
  trellis_launch = pushed;
  trellis_end = kNoWorkgroup;
  LaunchBlockReference l = LaunchBlockReference(pushed);
  uvec2 source = l.block.source;
  trellis_form = is_noted ? kFormInput : l.block.form;
  trellis_slices = size.z;
  // The other dimensions of a region are those of a grid, which has more numbers than there are.
  uint row = trellis_form == kFormRegion ? 0u : place.y;
  trellis_workgroup = row * size.x + place.x;
  trellis_step = trellis_form == kFormRegion ? size.x : size.x * size.y;
  return source;
}

// Where the dispatch has fewer workgroups than the launch, from `first` on: those of it that this one does, neighbours of one another.
void EnterRun(const uint each, const uint first) {
  const uint run = WorkgroupsFor(trellis_end - min(first, trellis_end), max(trellis_step, 1u));
  trellis_workgroup = first + (trellis_workgroup - first) * run;  // kNoWorkgroup stays beyond all records
  trellis_records.count = min(trellis_records.count, SaturatingMultiply(trellis_workgroup + run, each));
}

// The records of the launch. `each`: records that one of the dispatch's workgroups takes where that is all that makes workgroups, else 0. `counted`: of
// the node's own workgroups that run as one, those that LaunchInput counts. `in_runs`: see EnterRun.
void EnterLaunch(const uvec2 source, const uint each, const uint counted, const bool in_runs) {
  trellis_regions = CurrentRegions(LaunchBlockReference(trellis_launch).block.regions);  // asked for together with the input
  LaunchInputReference from = LaunchInputReference(source);
  trellis_source = source;
  trellis_records = from.launch.records;
  uint first = 0u;
  if (trellis_form == kFormInput) {
    trellis_notes = from.launch.notes;
    trellis_landmarks = from.launch.landmarks;
    trellis_landmark_shift = from.launch.landmark_shift;
    first = from.launch.first_workgroup;
    trellis_workgroup = first + trellis_workgroup * counted;
    trellis_end = from.launch.workgroup_count;
    if (each != 0u) trellis_records.count = min(trellis_records.count, SaturatingMultiply(trellis_end, each));
  } else if (each != 0u) {
    // No kernel closed the level: the number of records is the producers' counter.
    trellis_records.count = min(trellis_records.count, RegionReference(source).region.reserved);
    trellis_end = WorkgroupsFor(trellis_records.count, each);
  }
  if (in_runs) {
    EnterRun(each, first);
    return;
  }
  trellis_dense_end = min(trellis_records.count, trellis_records.dense);
  trellis_step = min(SaturatingMultiply(trellis_step, each), kMaxStep);
  trellis_step_bytes = Multiply64(trellis_step, trellis_records.stride);
}

// To be called first, of nodes whose launches are never members of a batch, which spares them the search and its registers.
void trellis_start(const uvec2 pushed, const uvec3 place, const uvec3 size, const uint local_index, const uint each, const uint counted,
                   const uint invocations, const bool is_noted, const bool in_runs) {
  EnterLaunch(EnterDispatch(pushed, place, size, local_index, invocations, is_noted), each, counted, in_runs);
}

// Instead, of nodes whose launches may be members of one.
void trellis_start_in_batch(const uvec2 pushed, const uvec3 place, const uvec3 size, const uint local_index, const uint each, const uint counted,
                            const uint invocations, const bool is_noted, const bool in_runs, const bool for_cpu) {
  uvec2 source = EnterDispatch(pushed, place, size, local_index, invocations, is_noted);
  if (trellis_form == kFormBatch) {
    source = EnterBatch(pushed, for_cpu);
  } else if (!for_cpu && each != 0u && trellis_form == kFormCountedBatch) {
    source = EnterCountedBatch(pushed);
  }
  EnterLaunch(source, each, counted, in_runs);
}

bool HasWork() { return trellis_workgroup < trellis_end; }

void SetRecord(const uint record) {
  trellis_record = record;
  trellis_input = uvec4(RecordAddress(trellis_records, record), 1u, trellis_records.stride);
}

// The records [first, end), or as many of them as lie side by side: the rest is for another turn.
void SetPiece(const Records records, const uint first, const uint end) {
  uvec2 address = ElementAddress(records.base, first, records.stride);
  trellis_record = end;
  if (end > records.dense) {
    trellis_record = records.dense;
    if (first >= records.dense) {
      Segment segment = SegmentOf(records, first);
      address = AddressInSegment(records, segment, first);
      trellis_record = min(end, segment.end);
    }
  }
  trellis_rest = end - trellis_record;
  trellis_input = uvec4(address, trellis_record - first, records.stride);
}

// `packed` is either a multiple of the grid's workgroups, so that several records share a workgroup of the dispatch, or a divisor of them.
bool trellis_enter_static(const uvec3 grid, const uint packed) {
  if (!HasWork()) return false;
  // The product may be 2^32.
  uvec2 sides = max(grid.xy, uvec2(1u));
  uint workgroups = max(grid.x * grid.y * grid.z, 1u);
  uint record;
  if (packed > workgroups) {
    uint pack_record = trellis_pack / workgroups;
    record = trellis_workgroup * (packed / workgroups) + pack_record;
    trellis_workgroup_id = WorkgroupOfGrid(trellis_pack - pack_record * workgroups, sides);
  } else if (trellis_form == kFormRegion && packed == 1u) {
    record = trellis_place.x;
    trellis_workgroup_id = uvec3(trellis_place.y, trellis_place.z % sides.y, trellis_place.z / sides.y);
  } else {
    uint dispatched = workgroups / packed;  // for each record
    uint number = trellis_place.y;
    record = trellis_place.x;
    if (trellis_form != kFormRegion) {
      record = trellis_workgroup / dispatched;
      number = trellis_workgroup - record * dispatched;
      record += trellis_records.first + trellis_place.z * (trellis_end / dispatched);
    }
    trellis_workgroup_id = WorkgroupOfGrid(number * packed + trellis_pack, sides);
  }
  if (record >= trellis_records.count) return false;
  SetRecord(record);
  return true;
}

// To the slice of the workgroup, where grids come from records.
void EnterSlice() {
  SliceReference table = SliceReference(LaunchInputReference(trellis_source).launch.landmarks);
  trellis_landmarks = uvec2(0u);
  trellis_records.first = table.at[trellis_place.z].first_record;
  trellis_records.count = min(trellis_records.count, table.at[trellis_place.z + 1u].first_record);
  trellis_end = table.at[trellis_place.z].workgroup_count;
}

// Of the workgroup `number` of the launch, or of its slice.
uint FindRecord(const uint note_bytes, const uint number, const bool by_landmarks, const bool for_cpu) {
  uint first = trellis_records.first;
  uint end = trellis_records.count;
  if (by_landmarks && !IsNull(trellis_landmarks)) {
    UintArrayReference landmarks = UintArrayReference(trellis_landmarks);
    uint before = number >> trellis_landmark_shift;
    uint last = trellis_end - 1u >> trellis_landmark_shift;
    uint after = landmarks.at[min(before + 1u, last)];  // asked for together with the first one
    first = landmarks.at[before];
    end = before < last ? after + 1u : end;
  }
  return FindSum(trellis_notes, note_bytes, first, end, number, for_cpu);
}

// What a record asks for, clamped to the bounds in the launch block, as whoever counted the workgroups did.
uvec3 GridOfRecord(const uint grid_member) {
  LaunchBlockReference l = LaunchBlockReference(trellis_launch);
  return ReadRecordGrid(trellis_input.xy, grid_member, uvec3(l.block.grid_x, l.block.grid_y, l.block.grid_z));
}

// Of `number` in a grid from a record.
void SetWorkgroupOfGrid(const uint grid_member, const uint number, const uvec2 grid) {
  trellis_workgroup_id = GridComponents(grid_member) == 1u ? uvec3(number, 0u, 0u) : WorkgroupOfGrid(number, max(grid, uvec2(1u)));
}

// Each record has as many workgroups as the bounds allow, and those past its own grid have nothing to do.
bool EnterBounds(const uint grid_member, const uint packed) {
  if (trellis_place.x >= trellis_records.count) return false;
  SetRecord(trellis_place.x);
  const uint number = trellis_place.y * packed + trellis_pack;
  const uvec3 grid = GridOfRecord(grid_member);
  if (number >= grid.x * grid.y * grid.z) return false;  // at most kMaxBoundWorkgroups
  SetWorkgroupOfGrid(grid_member, number, grid.xy);
  return true;
}

// `grid_member` as LaunchPlan::grid_member. `note_words`: kFullNotes if the record may have changed since the workgroups were counted; the notes know
// its grid. The form is kFormInput, because notes are made of records, or kFormRegion for nodes that launch bounds.
bool trellis_enter_dynamic(const uint grid_member, const uint packed, const uint note_words, const bool by_landmarks, const bool for_cpu) {
  if (trellis_form == kFormRegion) return EnterBounds(grid_member, packed);
  if (trellis_slices > 1u) EnterSlice();
  if (!HasWork() || trellis_records.count == 0u) return false;
  // Whoever has nothing to do searches with the others: a subgroup stays together.
  uint number = trellis_workgroup + trellis_pack;
  uint note_bytes = note_words * 4u;
  uint record = FindRecord(note_bytes, min(number, trellis_end - 1u), by_landmarks, for_cpu);
  SetRecord(record);
  if (number >= trellis_end) return false;
  uvec2 note = ElementAddress(trellis_notes, record, note_bytes);
  uvec2 grid;
  if (note_words == kFullNotes) {
    grid = uvec2(UintReference(AddressAdd(note, 4u)).value, UintReference(AddressAdd(note, 8u)).value);
  } else {
    grid = GridOfRecord(grid_member).xy;
  }
  SetWorkgroupOfGrid(grid_member, number - UintReference(note).value, grid);
  return true;
}

uint EndOfGroup(const uint coalesce) { return trellis_group + min(coalesce, trellis_records.count - trellis_group); }

bool trellis_enter_coalescing(const uint coalesce, const uint packed, const bool in_runs) {
  if (!HasWork()) return false;
  trellis_group = (trellis_workgroup * packed + trellis_pack) * coalesce;
  if (trellis_group >= trellis_records.count) return false;
  trellis_workgroup_id = uvec3(0u);
  if (coalesce == 1u) {
    SetRecord(trellis_group);
  } else if (in_runs) {
    trellis_record = trellis_group;
  } else {
    SetPiece(trellis_records, trellis_group, EndOfGroup(coalesce));
  }
  return true;
}

// To the rest of a workgroup's records. What it takes is read again, so that nothing is kept for it while the node runs. False: there are none.
bool trellis_next_piece() {
  if (trellis_rest == 0u) return false;
  SetPiece(RecordsReference(trellis_source).records, trellis_record, trellis_record + trellis_rest);
  return true;
}

// To the next records of a workgroup that entered, up to `coalesce` of them. False: there are none. Light, since it is what a turn of a small node costs
// beside the node: where records do not lie dense, what a turn takes is read again. A launch has less than 2^31 records, so that no sum wraps.
bool trellis_stride(const uint coalesce) {
  if (coalesce == 1u) {
    trellis_record += trellis_step;
    if (trellis_record < trellis_dense_end) {
      trellis_input.xy = AddressAdd64(trellis_input.xy, trellis_step_bytes);
      return true;
    }
    if (trellis_record >= trellis_records.count) return false;
    trellis_input.xy = RecordAddress(RecordsReference(trellis_source).records, trellis_record);
    return true;
  }
  if (trellis_next_piece()) return true;
  trellis_group += trellis_step;
  if (trellis_group < trellis_dense_end && coalesce <= trellis_dense_end - trellis_group) {
    trellis_record = trellis_group + coalesce;
    trellis_input = uvec4(AddressAdd64(trellis_input.xy, trellis_step_bytes), coalesce, trellis_input.w);
    return true;
  }
  if (trellis_group >= trellis_records.count) return false;
  SetPiece(RecordsReference(trellis_source).records, trellis_group, EndOfGroup(coalesce));
  return true;
}

// The same for a run (EnterRun) of records: the next ones are neighbours. What a turn takes is found at its beginning, from the record's number alone: a
// CPU driver blends each variable that goes from turn to turn with what invocations that have ended had in it.
void trellis_take(const uint coalesce) {
  if (coalesce != 1u) {
    SetPiece(trellis_records, trellis_record, EndOfGroup(coalesce));
  } else {
    SetRecord(trellis_record);
  }
}
bool trellis_run_on(const uint each, const uint coalesce) {
  if (coalesce != 1u) {
    if (trellis_rest != 0u) return true;
    trellis_group += each;
    trellis_record = trellis_group;
  } else {
    trellis_record += each;
  }
  return trellis_record < trellis_records.count;
}

uint trellis_shader_index() { return LaunchBlockReference(trellis_launch).block.shader_index; }
uint trellis_remaining_recursion() { return LaunchBlockReference(trellis_launch).block.remaining_recursion; }

#endif  // TRELLIS_META_SHADERS_RUNTIME_ENTER_GLSL
