// SPDX-License-Identifier: Apache-2.0
// What a workgroup of the dispatch keeps of its launch, and how it finds its record. enter.glsl and the launch forms write it.
#ifndef TRELLIS_META_SHADERS_RUNTIME_LAUNCH_STATE_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_LAUNCH_STATE_GLSL

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
  // Whole workgroups get here, but for CPUs. Where all invocations of a subgroup look for the same, each has a place to look at, so that the loads of a round wait together.
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
  return FindNotAbove(sums, stride, low, high, number);
}

uvec3 trellis_place;  // gl_WorkGroupID
uint trellis_form;    // LaunchBlock::form
uvec2 trellis_source;    // what begins with them
Records trellis_records;
uint trellis_dense_end;  // where it strides: records below it exist and lie dense
uint trellis_group;  // of a coalescing launch: number of the workgroup's first record
uint trellis_rest;   // records of the workgroup behind trellis_record, which its next iteration begins with
uvec2 trellis_record_state;
uvec2 trellis_search_index;
uint trellis_search_shift;
uint trellis_pack;       // which of the packed workgroups an invocation is in
uint trellis_workgroup;  // number among those of the launch, as LaunchInput counts them; kNoWorkgroup if there is nothing to do
uint trellis_end;        // numbers from it on have nothing to do
uint trellis_before;     // in a grid from a record: the number of its first workgroup
uint trellis_after;      // where it runs: of the first one behind its workgroups
uint trellis_slices;     // NumWorkgroups.z; more than 1 with kFormInput: LaunchInput::slices
uint trellis_run;        // where it runs: workgroups of the launch that one of the dispatch does
uint trellis_step;       // workgroups of the dispatch; where it strides, once the launch is entered: to its next record
uvec2 trellis_step_bytes;

bool HasWork() { return trellis_workgroup < trellis_end; }

// Where the dispatch has fewer workgroups than the launch, from `first` on: those of it that this one does, neighbours of one another.
void EnterRun(const uint first) {
  trellis_run = DivideUp(trellis_end - min(first, trellis_end), max(trellis_step, 1u));
  trellis_workgroup = SaturatingAdd(first, SaturatingMultiply(trellis_workgroup - first, trellis_run));  // kNoWorkgroup stays beyond all records
}

// To the part of the run that is done by one packed workgroup, the one with this number. Its records are neighbours: a subgroup that took every `packed`th
// one would go through all of the run's memory, and the next one again. `packed`: records, or groups of `coalesce`, of a workgroup of the launch. Returns the
// first one of the part. trellis_records ends with the part, which is what ends the loop of trellis_run_on.
uint EnterPart(const uint number, const uint packed, const uint coalesce) {
  const uint begin = trellis_workgroup * packed + number * trellis_run;
  trellis_records.count = min(trellis_records.count, SaturatingMultiply(begin + trellis_run, coalesce));
  return begin;
}

void SetRecord(const uint record) {
  trellis_record = record;
  trellis_input = uvec4(RecordAddress(trellis_records, record), 1u, trellis_records.stride);
}

// The records [first, end), or as many of them as lie side by side: the rest is for another iteration.
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

#endif  // TRELLIS_META_SHADERS_RUNTIME_LAUNCH_STATE_GLSL
