// SPDX-License-Identifier: Apache-2.0
// Entry: from the dispatch's workgroup to (record, workgroup of the record). trellis_start finds the launch; one of trellis_enter_static, _dynamic and
// _coalescing finds the record, each in a file of its own. False: past the end.
//
// A dispatch's workgroup is `packed` workgroups of the node side by side; local indices count through all of them. Where a dispatch has fewer workgroups
// than its launch, each strides through it or takes a run (packing.h, Strides).
#ifndef TRELLIS_META_SHADERS_RUNTIME_ENTER_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_ENTER_GLSL

#include "meta_shaders/runtime/enter_batch.glsl"

// Where the workgroup `place` of `size` is in what was pushed, whose source comes back. `has_record_state`: the form is kFormInput, because grids come from
// the records and the node does not launch bounds. Several workgroups of `invocations` are packed if that is not 0.
uvec2 EnterDispatch(const uvec2 pushed, const uvec3 place, const uvec3 size, const uint local_index, const uint invocations, const bool has_record_state) {
  trellis_pack = invocations == 0u ? 0u : local_index / invocations;
  trellis_local_index = local_index - trellis_pack * invocations;
  trellis_turn = 0u;
  trellis_place = place;
  trellis_launch = pushed;
  trellis_end = kNoWorkgroup;
  LaunchBlockReference l = LaunchBlockReference(pushed);
  uvec2 source = l.block.source;
  trellis_form = has_record_state ? kFormInput : l.block.form;
  trellis_slices = size.z;
  // The other dimensions of a region are those of a grid, which has more numbers than there are.
  uint row = trellis_form == kFormRegion ? 0u : place.y;
  trellis_workgroup = row * size.x + place.x;
  trellis_step = trellis_form == kFormRegion ? size.x : size.x * size.y;
  return source;
}

// The records of the launch. `each`: records that one of the dispatch's workgroups takes where that is all that makes workgroups, as where bounds are
// launched, else 0. `counted`: of the node's own workgroups that run as one, those that LaunchInput counts; 1 without grids from records, and in runs. `in_runs`: see
// EnterRun.
void EnterLaunch(const uvec2 source, const uint each, const uint counted, const bool in_runs) {
  trellis_regions = CurrentRegions(LaunchBlockReference(trellis_launch).block.regions);  // asked for together with the input
  LaunchInputReference from = LaunchInputReference(source);
  trellis_source = source;
  trellis_records = from.launch.records;
  uint first = 0u;
  if (trellis_form == kFormInput) {
    trellis_record_state = from.launch.record_state;
    trellis_search_index = from.launch.search_index;
    trellis_search_shift = from.launch.search_shift;
    first = from.launch.first_workgroup;
    trellis_workgroup = first + trellis_workgroup * counted;
    trellis_end = from.launch.workgroup_count;
    if (each != 0u && counted == 1u) trellis_records.count = min(trellis_records.count, SaturatingMultiply(trellis_end, each));
  } else if (each != 0u) {
    // No kernel sized the launch: the number of records is the producers' counter.
    trellis_records.count = min(trellis_records.count, RegionReference(source).region.reserved);
    trellis_end = DivideUp(trellis_records.count, each);
  }
  if (in_runs) {
    if (each != 0u) EnterRun(first);
    return;
  }
  trellis_dense_end = min(trellis_records.count, trellis_records.dense);
  trellis_step = min(SaturatingMultiply(trellis_step, each), kMaxStep);
  trellis_step_bytes = Multiply64(trellis_step, trellis_records.stride);
}

// To be called first, of nodes whose launches are never members of a batch, which spares them the search and its registers.
void trellis_start(const uvec2 pushed, const uvec3 place, const uvec3 size, const uint local_index, const uint each, const uint counted,
                   const uint invocations, const bool has_record_state, const bool in_runs) {
  EnterLaunch(EnterDispatch(pushed, place, size, local_index, invocations, has_record_state), each, counted, in_runs);
}

// Instead, of nodes whose launches may be members of one.
void trellis_start_in_batch(const uvec2 pushed, const uvec3 place, const uvec3 size, const uint local_index, const uint each, const uint counted,
                            const uint invocations, const bool has_record_state, const bool in_runs, const bool for_cpu) {
  uvec2 source = EnterDispatch(pushed, place, size, local_index, invocations, has_record_state);
  if (trellis_form == kFormBatch) {
    source = EnterBatch(pushed, for_cpu);
  } else if (!for_cpu && each != 0u && trellis_form == kFormCountedBatch) {
    source = EnterCountedBatch(pushed);
  }
  EnterLaunch(source, each, counted, in_runs);
}

uint trellis_shader_index() { return LaunchBlockReference(trellis_launch).block.shader_index; }
uint trellis_remaining_recursion() { return LaunchBlockReference(trellis_launch).block.remaining_recursion; }

#include "meta_shaders/runtime/enter_coalescing.glsl"
#include "meta_shaders/runtime/enter_dynamic.glsl"
#include "meta_shaders/runtime/enter_static.glsl"
#include "meta_shaders/runtime/iterations.glsl"

#endif  // TRELLIS_META_SHADERS_RUNTIME_ENTER_GLSL
