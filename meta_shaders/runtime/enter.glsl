// Entry: from the dispatch's workgroup to (record, workgroup of the record). False: past the end.
//
// A dispatch's workgroup is `packed` workgroups of the node, of `invocations` invocations each, side by side; `local_index` counts through all of them.
#ifndef TRELLIS_META_SHADERS_RUNTIME_ENTER_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_ENTER_GLSL

#include "meta_shaders/runtime/workgroup.glsl"
#include "meta_shaders/shared/grid.glsl"

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

// One of an array of exclusive prefix sums, which lie `stride` bytes apart.
uint SumAt(const uvec2 sums, const uint stride, const uint index) { return UintReference(ElementAddress(sums, index, stride)).value; }

// The last of `count` prefix sums that is not above `number`: what adds nothing shares the sum of its successor. The first one is 0.
uint FindSum(const uvec2 sums, const uint stride, const uint count, const uint number) {
  uint low = 0u;
  uint high = count;
#ifdef TRELLIS_SUBGROUP_AGGREGATION
  // Whole workgroups get here. Where all invocations of a subgroup look for the same, each has a place to look at, so that the loads of a round wait together.
  const uvec4 together = subgroupBallot(true);
  const uint places = subgroupBallotBitCount(together);
  const uint own = subgroupBallotExclusiveBitCount(together) + 1u;
  const bool is_shared = subgroupBallot(number == subgroupBroadcastFirst(number)) == together;
  while (is_shared && high - low > 1u) {
    uint step = (high - low + places) / (places + 1u);
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

// What a workgroup of the dispatch is to its launch.
struct Entrance {
  uvec2 source;    // LaunchBlock::source
  uint form;       // of what was pushed
  uint workgroup;  // its number among those of the launch; kNoWorkgroup if it has nothing to do
};

// Sets trellis_launch: `pushed`, or a member of it where that is a batch.
Entrance EnterLaunch(const uvec2 pushed, const uvec3 id, const uint row) {
  LaunchBlockReference l = LaunchBlockReference(pushed);
  Entrance entrance = Entrance(l.block.source, l.block.form, id.x);
  trellis_launch = pushed;
  if (entrance.form == kFormRegion) return entrance;
  uint number = id.y * row + id.x;
  if (entrance.form == kFormBatch) {
    LaunchBatch batch = LaunchBatchReference(pushed).batch;
    // The sum of all stands behind those of the members.
    uint found = FindSum(batch.sums, 4u, batch.member_count + 1u, number);
    uint member = min(found, batch.member_count - 1u);
    trellis_launch = ElementAddress(batch.members, member, batch.member_bytes);
    entrance.source = LaunchBlockReference(trellis_launch).block.source;
    entrance.workgroup = found == member ? number - SumAt(batch.sums, 4u, member) : kNoWorkgroup;
    return entrance;
  }
  LaunchInputReference from = LaunchInputReference(entrance.source);
  number += from.launch.first_workgroup;
  entrance.workgroup = number < from.launch.workgroup_count ? number : kNoWorkgroup;
  return entrance;
}

// Which of the packed workgroups an invocation is in. What it knows of its place is that in the node's own workgroup.
uint EnterPack(const uint local_index, const uint packed, const uint invocations) {
  uint pack = packed == 1u ? 0u : local_index / invocations;
  trellis_local_index = local_index - pack * invocations;
  trellis_turn = 0u;
  return pack;
}

// Where no kernel closed the level, the number of records is the producers' counter.
Records CountedRecords(const Entrance entrance) {
  Records records = LaunchInputReference(entrance.source).launch.records;
  if (entrance.form != kFormInput) records.count = min(records.count, RegionReference(entrance.source).region.reserved);
  return records;
}

// `packed` is either a multiple of the grid's workgroups, so that several records share a workgroup of the dispatch, or a divisor of them.
bool trellis_enter_static(const uvec2 launch, const uvec3 id, const uint row, const uint local_index, const uvec3 grid, const uint packed,
                          const uint invocations) {
  uint pack = EnterPack(local_index, packed, invocations);
  Entrance entrance = EnterLaunch(launch, id, row);
  if (entrance.workgroup == kNoWorkgroup) return false;
  // The product may be 2^32.
  uvec2 sides = max(grid.xy, uvec2(1u));
  uint workgroups = max(grid.x * grid.y * grid.z, 1u);
  if (packed > workgroups) {
    Records records = CountedRecords(entrance);
    uint pack_record = pack / workgroups;
    uint record = entrance.workgroup * (packed / workgroups) + pack_record;
    if (record >= records.count) return false;
    trellis_workgroup_id = WorkgroupOfGrid(pack - pack_record * workgroups, sides);
    SetRecord(records, record, 1u);
    return true;
  }
  Records records = LaunchInputReference(entrance.source).launch.records;
  uint record = id.x;
  if (entrance.form == kFormRegion && packed == 1u) {
    trellis_workgroup_id = uvec3(id.y, id.z % sides.y, id.z / sides.y);
  } else {
    uint dispatched = workgroups / packed;  // for each record
    uint number = id.y;
    if (entrance.form != kFormRegion) {
      record = entrance.workgroup / dispatched;
      number = entrance.workgroup - record * dispatched;
    }
    trellis_workgroup_id = WorkgroupOfGrid(number * packed + pack, sides);
  }
  if (record >= records.count) return false;
  SetRecord(records, record, 1u);
  return true;
}

// `grid_member` as LaunchPlan::grid_member. The grid's bounds come from the launch block: whoever counted the workgroups clamped with the same.
// `note_words`: kFullNotes if the record may have changed since then; the notes know its grid.
bool trellis_enter_dynamic(const uvec2 launch, const uvec3 id, const uint row, const uint local_index, const uint grid_member, const uint note_words,
                           const uint packed, const uint invocations) {
  uint pack = EnterPack(local_index, packed, invocations);
  trellis_launch = launch;
  LaunchBlockReference l = LaunchBlockReference(launch);
  // No other form: notes are made of records. Its numbers are of the node's own workgroups.
  LaunchInput from = LaunchInputReference(l.block.source).launch;
  uint first = from.first_workgroup + (id.y * row + id.x) * packed;
  if (first >= from.workgroup_count || from.records.count == 0u) return false;
  // Whoever has nothing to do searches with the others: a subgroup stays together.
  uint number = first + pack;
  uint note_bytes = note_words * 4u;
  uint low = FindSum(from.notes, note_bytes, from.records.count, min(number, from.workgroup_count - 1u));
  if (number >= from.workgroup_count) return false;
  SetRecord(from.records, low, 1u);
  uvec2 note = ElementAddress(from.notes, low, note_bytes);
  uvec2 grid;
  if (note_words == kFullNotes) {
    grid = uvec2(UintReference(AddressAdd(note, 4u)).value, UintReference(AddressAdd(note, 8u)).value);
  } else {
    grid = ReadRecordGrid(trellis_input.xy, grid_member, uvec3(l.block.grid_x, l.block.grid_y, l.block.grid_z)).xy;
  }
  trellis_workgroup_id = WorkgroupOfGrid(number - UintReference(note).value, max(grid, uvec2(1u)));
  return true;
}

bool trellis_enter_coalescing(const uvec2 launch, const uvec3 id, const uint row, const uint local_index, const uint coalesce, const uint packed,
                              const uint invocations) {
  uint pack = EnterPack(local_index, packed, invocations);
  Entrance entrance = EnterLaunch(launch, id, row);
  Records records = CountedRecords(entrance);
  uint first = (entrance.workgroup * packed + pack) * coalesce;
  if (entrance.workgroup == kNoWorkgroup || first >= records.count) return false;
  trellis_workgroup_id = uvec3(0u);
  SetRecord(records, first, min(coalesce, records.count - first));
  return true;
}

uint trellis_shader_index() { return LaunchBlockReference(trellis_launch).block.shader_index; }
uint trellis_remaining_recursion() { return LaunchBlockReference(trellis_launch).block.remaining_recursion; }

#endif  // TRELLIS_META_SHADERS_RUNTIME_ENTER_GLSL
