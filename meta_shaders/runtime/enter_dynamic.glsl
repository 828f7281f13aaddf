// SPDX-License-Identifier: Apache-2.0
// Grids from records.
#ifndef TRELLIS_META_SHADERS_RUNTIME_ENTER_DYNAMIC_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_ENTER_DYNAMIC_GLSL

#include "meta_shaders/runtime/launch_state.glsl"

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

// `grid_member` as LaunchPlan::grid_member. `records`: see EnterBounds. `note_words`: kFullNotes if the record may have changed since the workgroups were
// counted; the notes know its grid. The form is kFormInput, because notes are made of records, or kFormRegion for nodes that launch bounds.
bool trellis_enter_dynamic(const uint grid_member, const uint packed, const uint records, const uint note_words, const bool by_landmarks,
                           const bool for_cpu) {
  if (trellis_form == kFormRegion) return EnterBounds(grid_member, packed, records);
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

#endif  // TRELLIS_META_SHADERS_RUNTIME_ENTER_DYNAMIC_GLSL
