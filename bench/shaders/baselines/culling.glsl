// SPDX-License-Identifier: Apache-2.0
// What the levels of hand-written culling and subdivision share.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "../shared/append.glsl"
#include "../shared/culling.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Patches { Patch at[]; };

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool kBySubgroups = false;  // one atomic a subgroup instead of one a workgroup
layout(push_constant) uniform Push {
  Words results;
  Instances instances;
  Patches patches;  // of this level
  Patches next;     // of the next one
  Queues queues;
  uint queue;  // of this level
  uint next_queue;
} push;

shared uint workgroup_count;
shared uint workgroup_first;

// Takes `count` places in the next level's list. For the whole workgroup.
uint take_places(uint count) {
  const uint before = subgroupExclusiveAdd(count);
  const uint sum = subgroupAdd(count);
  uint first = 0;
  if (kBySubgroups) {
    if (subgroupElect() && sum != 0) first = append(push.queues, push.next_queue, sum);
    return subgroupBroadcastFirst(first) + before;
  }
  if (gl_LocalInvocationID.x == 0) workgroup_count = 0;
  barrier();
  if (subgroupElect()) first = atomicAdd(workgroup_count, sum);
  first = subgroupBroadcastFirst(first);
  barrier();
  if (gl_LocalInvocationID.x == 0 && workgroup_count != 0)
    workgroup_first = append(push.queues, push.next_queue, workgroup_count);
  barrier();
  return workgroup_first + first + before;
}

// Number of this invocation's patch; there is none if it is not below the length of the list.
uint patch_number() {
  return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
}
