// SPDX-License-Identifier: Apache-2.0
// What all functions of the runtime know of the workgroup that calls them.
#ifndef TRELLIS_META_SHADERS_RUNTIME_WORKGROUP_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_WORKGROUP_GLSL

#include "meta_shaders/shared/buffers.glsl"

// Workgroups of one launch see each other's writes to payloads. Device is a scope that the Vulkan memory model has only with a feature of its own.
#ifdef TRELLIS_VULKAN_MEMORY_MODEL
const int kPayloadScope = gl_ScopeQueueFamily;
#else
const int kPayloadScope = gl_ScopeDevice;
#endif

// Payload words that other invocations of the workgroup wrote.
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer SharedUintReference { uint value; };

uvec2 trellis_launch;
uvec2 trellis_regions;  // LaunchBlock::regions, those of this execution
uint trellis_local_index;
uvec3 trellis_workgroup_id;
uvec4 trellis_input;  // a handle: handles.glsl
uint trellis_record;  // number of the input's first record among those of the launch
uint trellis_turn;    // which of the two words is next

// Two, used alternately: an invocation that writes one of them again has passed a barrier since all read it, that of the other one.
shared uvec4 trellis_shared_even;
shared uvec4 trellis_shared_odd;

// Waits for the workgroup; payloads that any invocation wrote, or saw, before it are seen by all after it.
void PayloadBarrier() {
  controlBarrier(gl_ScopeWorkgroup, kPayloadScope, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
}

// What the workgroup's first invocation has, in all of them. In uniform control flow; a barrier, but not for payloads.
uvec4 BroadcastInWorkgroup(const uvec4 value) {
  bool odd = trellis_turn != 0u;
  trellis_turn ^= 1u;
  if (trellis_local_index == 0u) {
    if (odd) {
      trellis_shared_odd = value;
    } else {
      trellis_shared_even = value;
    }
  }
  barrier();
  return odd ? trellis_shared_odd : trellis_shared_even;
}

#endif  // TRELLIS_META_SHADERS_RUNTIME_WORKGROUP_GLSL
