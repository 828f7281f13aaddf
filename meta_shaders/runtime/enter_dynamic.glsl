// SPDX-License-Identifier: Apache-2.0
// Grids from records.
#ifndef TRELLIS_META_SHADERS_RUNTIME_ENTER_DYNAMIC_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_ENTER_DYNAMIC_GLSL

#include "meta_shaders/runtime/launch_state.glsl"

// To the slice of the workgroup, where grids come from records.
void EnterSlice() {
  SliceReference table = SliceReference(LaunchInputReference(trellis_source).launch.search_index);
  trellis_search_index = uvec2(0u);
  trellis_records.first = table.at[trellis_place.z].first_record;
  trellis_records.count = min(trellis_records.count, table.at[trellis_place.z + 1u].first_record);
  trellis_end = table.at[trellis_place.z].workgroup_count;
}

// Returns the record of the workgroup `number` of the launch, or of its slice.
uint FindRecord(const uint state_bytes, const uint number, const bool by_search_index, const bool for_cpu) {
  uint first = trellis_records.first;
  uint end = trellis_records.count;
  if (by_search_index && !IsNull(trellis_search_index)) {
    UintArrayReference search_index = UintArrayReference(trellis_search_index);
    uint before = number >> trellis_search_shift;
    uint last = trellis_end - 1u >> trellis_search_shift;
    uint after = search_index.at[min(before + 1u, last)];  // asked for together with the first one
    first = search_index.at[before];
    end = before < last ? after + 1u : end;
  }
  return FindSum(trellis_record_state, state_bytes, first, end, number, for_cpu);
}

// What a record asks for, clamped to the bounds in the launch block, as the count of workgroups was.
uvec3 GridOfRecord(const uint grid_member) {
  LaunchBlockReference l = LaunchBlockReference(trellis_launch);
  return ReadRecordGrid(trellis_input.xy, grid_member, uvec3(l.block.grid_x, l.block.grid_y, l.block.grid_z));
}

// Sets the workgroup ID of workgroup `number` in a grid from a record.
void SetWorkgroupOfGrid(const uint grid_member, const uint number, const uvec2 grid) {
  trellis_workgroup_id = GridComponents(grid_member) == 1u ? uvec3(number, 0u, 0u) : WorkgroupOfGrid(number, max(grid, uvec2(1u)));
}

// Each record has as many workgroups as the bounds allow, and those past its own grid have nothing to do. `records` of them share a workgroup of the
// dispatch; 0: each has as many of those as it needs.
bool EnterBounds(const uint grid_member, const uint packed, const uint records) {
  uint record = trellis_place.x;
  uint number = trellis_place.y * packed + trellis_pack;
  if (records != 0u) {
    const uint bound = packed / records;
    const uint before = trellis_pack / bound;
    record = trellis_place.x * records + before;
    number = trellis_pack - before * bound;
  }
  if (record >= trellis_records.count) return false;
  SetRecord(record);
  const uvec3 grid = GridOfRecord(grid_member);
  if (number >= grid.x * grid.y * grid.z) return false;  // at most kMaxBoundWorkgroups
  SetWorkgroupOfGrid(grid_member, number, grid.xy);
  return true;
}

// The record trellis_record, and its workgroup `number`. `state_words`: kFullRecordState if the record may have changed since it was
// counted; its state knows the grid.
void TakeGrid(const uint grid_member, const uint state_words, const uint number) {
  SetRecord(trellis_record);
  uvec2 grid;
  if (state_words == kFullRecordState) {
    uvec2 state = ElementAddress(trellis_record_state, trellis_record, state_words * 4u);
    grid = uvec2(UintReference(AddressAdd(state, 4u)).value, UintReference(AddressAdd(state, 8u)).value);
  } else {
    grid = GridOfRecord(grid_member).xy;
  }
  SetWorkgroupOfGrid(grid_member, number, grid);
}

// Returns the number of the first workgroup behind those of trellis_record, kNoWorkgroup behind the last record.
uint EndOfGrid(const uint state_bytes) {
  return trellis_record + 1u < trellis_records.count ? SumAt(trellis_record_state, state_bytes, trellis_record + 1u) : kNoWorkgroup;
}

// The run of the dispatch's workgroup, divided among the workgroups that are packed in it.
void EnterRunOfGrids(const uint packed) {
  EnterRun(LaunchInputReference(trellis_source).launch.first_workgroup);
  const uint end = min(trellis_end, SaturatingAdd(trellis_workgroup, trellis_run));
  const uint each = DivideUp(end - min(trellis_workgroup, end), packed);
  trellis_workgroup = SaturatingAdd(trellis_workgroup, SaturatingMultiply(trellis_pack, each));
  trellis_end = min(end, SaturatingAdd(trellis_workgroup, each));
}

// `grid_member` as LaunchPlan::grid_member. `records`: see EnterBounds. The form is kFormInput, because record state is made of records, or kFormRegion
// for nodes that launch bounds. `in_runs`: trellis_take_grid does the rest.
bool trellis_enter_dynamic(const uint grid_member, const uint packed, const uint records, const uint state_words, const bool by_search_index,
                           const bool for_cpu, const bool in_runs) {
  if (trellis_form == kFormRegion) return EnterBounds(grid_member, packed, records);
  if (trellis_slices > 1u) EnterSlice();
  if (in_runs) EnterRunOfGrids(packed);
  if (!HasWork() || trellis_records.count == 0u) return false;
  // Without runs, an invocation with nothing to do searches with the others: a subgroup stays together.
  uint number = in_runs ? trellis_workgroup : trellis_workgroup + trellis_pack;
  uint state_bytes = state_words * 4u;
  trellis_record = FindRecord(state_bytes, min(number, trellis_end - 1u), by_search_index, for_cpu);
  if (number >= trellis_end) return false;
  trellis_before = SumAt(trellis_record_state, state_bytes, trellis_record);
  if (in_runs) {
    trellis_after = EndOfGrid(state_bytes);
  } else {
    TakeGrid(grid_member, state_words, number - trellis_before);
  }
  return true;
}

// An iteration of a run.
void trellis_take_grid(const uint grid_member, const uint state_words) { TakeGrid(grid_member, state_words, trellis_workgroup - trellis_before); }

// To the next iteration. False: there is none.
bool trellis_run_on_grids(const uint state_words) {
  if (trellis_end - trellis_workgroup <= 1u) return false;
  ++trellis_workgroup;
  if (trellis_workgroup < trellis_after) return true;
  const uint state_bytes = state_words * 4u;
  trellis_before = trellis_workgroup;
  ++trellis_record;
  trellis_after = EndOfGrid(state_bytes);
  if (trellis_after > trellis_workgroup) return true;
  // Behind records without workgroups, of which there may be many: steps grow until they are past the next one.
  uint step = 1u;
  while (step < trellis_records.count - trellis_record && SumAt(trellis_record_state, state_bytes, trellis_record + step) <= trellis_workgroup) {
    trellis_record += step;
    step *= 2u;
  }
  const uint end = trellis_record + min(step, trellis_records.count - trellis_record);
  trellis_record = FindSum(trellis_record_state, state_bytes, trellis_record, end, trellis_workgroup, true);
  trellis_after = EndOfGrid(state_bytes);
  return true;
}

#endif  // TRELLIS_META_SHADERS_RUNTIME_ENTER_DYNAMIC_GLSL
