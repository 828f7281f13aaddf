// Entry: from the dispatch's workgroup to (record, workgroup of the record). False: past the end.
#ifndef TRELLIS_META_SHADERS_RUNTIME_ENTER_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_ENTER_GLSL

#include "meta_shaders/runtime/workgroup.glsl"
#include "meta_shaders/shared/grid.glsl"

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
  // The product may be 2^32.
  uvec2 sides = max(grid.xy, uvec2(1u));
  uint workgroups = max(grid.x * grid.y * grid.z, 1u);
  uint record = id.x;
  trellis_workgroup_id = uvec3(id.y, id.z % sides.y, id.z / sides.y);
  if (LaunchBlockReference(launch).block.from_region == 0u) {
    uint linear = LaunchWorkgroup(launch, id, row);
    if (linear == kNoWorkgroup) return false;
    record = linear / workgroups;
    trellis_workgroup_id = WorkgroupOfGrid(linear - record * workgroups, sides);
  }
  if (record >= records.count) return false;
  SetRecord(records, record, 1u);
  return true;
}

bool BeginsAfter(const LaunchInput from, const uint note_bytes, const uint record, const uint workgroup) {
  return UintReference(ElementAddress(from.notes, record, note_bytes)).value > workgroup;
}

// The last record whose first workgroup is not above `workgroup`: records without workgroups share the number of their successor. The first one's is 0.
uint FindRecord(const LaunchInput from, const uint note_bytes, const uint workgroup) {
  uint low = 0u;
  uint high = from.records.count;
#ifdef TRELLIS_SUBGROUP_AGGREGATION
  // A place for each invocation of the subgroup, so that the loads of a round wait together. Whole workgroups get here.
  const uvec4 together = subgroupBallot(true);
  const uint places = subgroupBallotBitCount(together);
  const uint own = subgroupBallotExclusiveBitCount(together) + 1u;
  while (high - low > 1u) {
    uint step = (high - low + places) / (places + 1u);
    uint record = low + min(own * step, high - low);
    bool after = record >= high || BeginsAfter(from, note_bytes, record, workgroup);
    uint not_after = places - subgroupBallotBitCount(subgroupBallot(after));
    low += not_after * step;
    high = min(low + step, high);
  }
#else
  while (high - low > 1u) {
    uint middle = low + (high - low) / 2u;
    if (BeginsAfter(from, note_bytes, middle, workgroup)) {
      high = middle;
    } else {
      low = middle;
    }
  }
#endif
  return low;
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
  if (linear == kNoWorkgroup || from.records.count == 0u) return false;
  uint note_bytes = note_words * 4u;
  uint low = FindRecord(from, note_bytes, linear);
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

#endif  // TRELLIS_META_SHADERS_RUNTIME_ENTER_GLSL
