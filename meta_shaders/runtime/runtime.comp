// SPDX-License-Identifier: Apache-2.0
// Functions that lowering links into nodes by name. Compiled twelve times: for both memory models, without subgroup aggregation, with it, and with it and
// subgroup partitions, with and without 64-bit integers (TRELLIS_VULKAN_MEMORY_MODEL, TRELLIS_SUBGROUP_AGGREGATION, TRELLIS_SUBGROUP_PARTITION,
// TRELLIS_INT64_ADDRESSES). Built-ins come in as parameters, because the node may declare the same ones.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#ifdef TRELLIS_VULKAN_MEMORY_MODEL
#pragma use_vulkan_memory_model
#endif
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

#include "meta_shaders/runtime/enter.glsl"
#include "meta_shaders/runtime/finish_writing.glsl"
#include "meta_shaders/runtime/reserve.glsl"
#include "meta_shaders/runtime/reserve_sorted.glsl"
#include "meta_shaders/runtime/defer.glsl"
#include "meta_shaders/runtime/check.glsl"

layout(local_size_x = 1) in;

// Parameters of linked functions are const, so that they are passed by value.

// Every function once, so that the compiler keeps them all.
void main() {
  trellis_start(uvec2(0), gl_WorkGroupID, gl_NumWorkGroups, 0u, 1u, 1u, 1u, false, false);
  trellis_start_in_batch(uvec2(0), gl_WorkGroupID, gl_NumWorkGroups, 0u, 1u, 1u, 1u, false, false, false);
  bool entered = trellis_enter_static(uvec3(1u), 1u, false) || trellis_enter_dynamic(0u, 1u, 0u, 1u, true, false, false) || trellis_enter_coalescing(1u, 1u, false) || trellis_stride(1u) || trellis_run_on(1u) || trellis_run_on_grids(1u) || trellis_next_piece();
  trellis_take(1u);
  trellis_take_grid(0u, 1u);
  trellis_find_dump();
  uvec4 handle = trellis_reserve_workgroup(0u, 1u, 0u, 1u) + trellis_reserve_invocation(0u, 1u, 0u, 1u) + trellis_defer_workgroup(0u, 1u, 0u, 1u) +
                 trellis_defer_invocation(0u, 1u, 0u, 1u) + trellis_reserve_invocations(0u, 1u, 0u, 1u, 1u);
  handle += trellis_handle_of(trellis_reserve_chosen(uvec4(0u), uvec4(1u), uvec4(0u), uvec4(1u)), 0u);
  trellis_enqueue_workgroup(handle, 1u);
  trellis_enqueue_invocation(handle);
  trellis_copy_array(handle, handle);
  trellis_check_workgroup(0u, 1u, 0u, 1u, 0u);
  trellis_check_single(0u, 1u, 0u, 1u, 0u);
  trellis_check_invocations(0u, 1u, 0u, 1u, 0u);
  if (entered && trellis_valid(0u, 0u) && trellis_finish_writing(1u)) {
    handle.xy = trellis_element(handle, trellis_shader_index() + trellis_remaining_recursion()) + trellis_input_element(handle, 1u) + trellis_element_or_dump(handle, 1u) +
                trellis_only_element(handle) + trellis_only_element_or_dump(handle);
  }
}
