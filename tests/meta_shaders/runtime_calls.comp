// SPDX-License-Identifier: Apache-2.0
// Calls a function of the runtime with the arguments of the plan. Compiled with and without TRELLIS_SUBGROUP_AGGREGATION, and with TRELLIS_INT64_ADDRESSES
// or TRELLIS_SUBGROUP_PARTITION too.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#ifdef TRELLIS_SUBGROUP_AGGREGATION
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#endif
#ifdef TRELLIS_SUBGROUP_PARTITION
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_NV_shader_subgroup_partitioned : require
#endif

#include "meta_shaders/runtime/check.glsl"
#include "meta_shaders/runtime/defer.glsl"
#include "meta_shaders/runtime/enter.glsl"
#include "meta_shaders/runtime/finish_writing.glsl"
#include "meta_shaders/runtime/reserve.glsl"
#include "meta_shaders/runtime/reserve_sorted.glsl"
#include "meta_shaders/shared/kernel.glsl"
#include "runtime_call.h"

layout(local_size_x = kRuntimeCallWorkgroup) in;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer RuntimeCallReference { RuntimeCall call; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer RuntimeResultReference { RuntimeResult result; };

uvec2 Element(const RuntimeCall call, const uvec4 handle, const uint index) {
  if (call.for_cpu == 0u) return trellis_element(handle, index);
  trellis_find_dump();
  return trellis_element_or_dump(handle, index);
}

// Stores as a node does: whatever the index, at a place inside the record.
void Stamp(const RuntimeCall call, const uvec4 handle) {
  if (call.record_bytes == 0u) return;
  const uint indices[3] = uint[3](0u, handle.z - 1u, 0xffffffffu);
  for (uint i = 0u; i < 3u; ++i) UintReference(AddressAdd(Element(call, handle, indices[i]), call.record_bytes - 4u)).value = kRuntimeCallStamp;
}

uvec4 Reserve(const RuntimeCall call, const uint output_number) {
  const uint count = call.count + gl_LocalInvocationIndex * call.count_step;
  const uint index = call.index + gl_LocalInvocationIndex * call.index_step;
  switch (call.function) {
    case kCallReserveWorkgroup:
      return trellis_reserve_workgroup(output_number, count, index, call.limit);
    case kCallReserveInvocations:
      return trellis_reserve_invocations(output_number, count, index, call.limit, kRuntimeCallWorkgroup);
    case kCallDeferWorkgroup:
      return trellis_defer_workgroup(output_number, count, index, call.limit);
    case kCallDeferInvocation:
      return trellis_defer_invocation(output_number, count, index, call.limit);
    default:
      return trellis_reserve_invocation(output_number, count, index, call.limit);
  }
}

uvec4 ReserveAndStore(const RuntimeCall call) {
  const uvec4 handle = Reserve(call, call.target);
  Stamp(call, handle);
  if (call.slot != 0u && HasHeapHeader(handle)) HeaderOf(handle).slot = call.slot;
  if (call.function == kCallDeferWorkgroup) trellis_enqueue_workgroup(handle, kRuntimeCallWorkgroup);
  if (call.function == kCallDeferInvocation) trellis_enqueue_invocation(handle);
  if (call.function == kCallCopyArray) trellis_copy_array(Reserve(call, 0u), handle);
  return handle;
}

void Check(const RuntimeCall call) {
  const uint count = call.count + gl_LocalInvocationIndex * call.count_step;
  const uint index = call.index + gl_LocalInvocationIndex * call.index_step;
  trellis_check_workgroup(call.target, count, index, call.limit, 0u);
  trellis_check_single(call.target, count, index, call.limit, 0u);
  trellis_check_invocations(call.target, count, index, call.limit, 0u);
}

// The records of one of the dispatch's workgroups, where nothing else makes workgroups.
uint RecordsAWorkgroup(const RuntimeCall call) {
  if (call.function == kCallEnterCoalescing) return call.each * call.packed;
  if (call.function == kCallEnterDynamic) return call.grid_x;
  uint of_record = max(call.grid_x * call.grid_y * call.grid_z, 1u);
  return call.function == kCallEnterStatic && call.packed > of_record ? call.packed / of_record : 0u;
}

bool IsInRuns(const RuntimeCall call) {
  if (call.function == kCallEnterDynamic) return call.in_runs != 0u && call.launches_bounds == 0u;
  return call.in_runs != 0u && RecordsAWorkgroup(call) != 0u;
}

// As lowering would have them.
void Start(const RuntimeCall call, const uvec3 id, const uint local_index) {
  const uint each = RecordsAWorkgroup(call);
  const uvec3 size = uvec3(call.row, call.rows, max(call.slices, 1u));
  const uint invocations = call.packed == 1u ? 0u : call.invocations;
  const bool is_dynamic = call.function == kCallEnterDynamic;
  const bool has_record_state = is_dynamic && call.launches_bounds == 0u;
  const bool in_runs = IsInRuns(call);
  const uint counted = is_dynamic && !in_runs ? call.packed : 1u;
  const bool for_cpu = call.for_cpu != 0u;
  if (call.in_batch != 0u) {
    trellis_start_in_batch(call.launch, id, size, local_index, each, counted, invocations, has_record_state, in_runs, for_cpu);
  } else {
    trellis_start(call.launch, id, size, local_index, each, counted, invocations, has_record_state, in_runs);
  }
}

bool EnterOnce(const RuntimeCall call) {
  switch (call.function) {
    case kCallEnterStatic:
      return trellis_enter_static(uvec3(call.grid_x, call.grid_y, call.grid_z), call.packed, IsInRuns(call));
    case kCallEnterDynamic:
      return trellis_enter_dynamic(call.each, call.packed, call.grid_x, call.state_words, call.by_search_index != 0u, call.for_cpu != 0u, IsInRuns(call));
    default:
      return trellis_enter_coalescing(call.each, call.packed, call.in_runs != 0u);
  }
}

uint CoalesceOf(const RuntimeCall call) { return call.function == kCallEnterCoalescing ? call.each : 1u; }

void Take(const RuntimeCall call) {
  if (!IsInRuns(call)) return;
  if (call.function == kCallEnterDynamic) {
    trellis_take_grid(call.each, call.state_words);
  } else {
    trellis_take(CoalesceOf(call));
  }
}

bool Next(const RuntimeCall call) {
  if (!IsInRuns(call)) return trellis_stride(CoalesceOf(call));
  return call.function == kCallEnterDynamic ? trellis_run_on_grids(call.state_words) : trellis_run_on(CoalesceOf(call));
}

bool Enter(const RuntimeCall call) {
  Start(call, uvec3(call.id_x + gl_GlobalInvocationID.x * call.id_step, call.id_y, call.id_z), call.packed == 1u ? 0u : gl_LocalInvocationIndex);
  bool entered = EnterOnce(call);
  if (entered) Take(call);
  for (uint i = 0u; entered && i < call.strides; ++i) {
    entered = Next(call);
    if (entered) Take(call);
  }
  return entered;
}

// One workgroup of the node is one of the dispatch.
bool FinishWriting(const RuntimeCall call) {
  Start(call, uvec3(gl_WorkGroupID.x, 0u, 0u), gl_LocalInvocationIndex);
  if (!trellis_enter_static(uvec3(call.grid_x, call.grid_y, call.grid_z), 1u, false)) return false;
  return trellis_finish_writing(call.state_words);
}

void main() {
  const RuntimeCall call = RuntimeCallReference(push.plan).call;
  trellis_launch = call.launch;
  trellis_regions = CurrentRegions(LaunchBlockReference(call.launch).block.regions);
  trellis_local_index = gl_LocalInvocationIndex;
  trellis_turn = 0u;
  // What an entry that is not entered leaves is compared too.
  trellis_record = 0u;
  trellis_input = uvec4(0u);
  uvec4 handle = uvec4(0u);
  uvec2 element = uvec2(0u);
  bool is_true = false;
  if (call.function <= kCallCopyArray) {
    is_true = trellis_valid(call.target, call.index + gl_LocalInvocationIndex * call.index_step);
    handle = ReserveAndStore(call);
  } else if (call.function == kCallCheck) {
    Check(call);
  } else if (call.function == kCallElement) {
    element = Element(call, uvec4(call.base, call.handle_count, call.handle_stride), call.index + gl_GlobalInvocationID.x * call.index_step);
  } else {
    is_true = call.function == kCallFinishWriting ? FinishWriting(call) : Enter(call);
    if (is_true) handle = trellis_input;
    if (is_true) element = trellis_workgroup_id.xy;
  }
  // Behind the records of a workgroup that coalesces.
  const uint record = call.function == kCallEnterCoalescing && call.each != 1u ? trellis_record - trellis_input.z : trellis_record;
  RuntimeResultReference(ElementAddress(call.results, gl_GlobalInvocationID.x, 32u)).result =
      RuntimeResult(handle.xy, handle.z, handle.w, element, record, is_true ? 1u : 0u);
}
