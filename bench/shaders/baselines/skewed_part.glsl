// SPDX-License-Identifier: Apache-2.0
// Does what workgroups of the node do, each with as many invocations as there; several share one workgroup here.
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/skewed.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Parts { uvec2 at[]; };

const uint kNodeInvocations = 32;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push {
  Words results;
  Parts parts;
  Queues queues;
  uint capacity;
} push;

// The part of this invocation: {record, number}. False: there is none.
bool find_part(out uvec2 part) {
  const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint index = (workgroup * gl_WorkGroupSize.x + gl_LocalInvocationID.x) / kNodeInvocations;
  // Read together with the list's length, which tells whether it means anything.
  part = push.parts.at[min(index, push.capacity - 1)];
  return kRecordsAStep == 1 || index < push.queues.at[0].count;
}

// One invocation of each part does.
bool is_worker() { return gl_LocalInvocationID.x % kNodeInvocations == 0; }
