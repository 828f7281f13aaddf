// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/reduction.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Sums { Sum at[]; };

// kItems records an invocation, one atomic a workgroup.
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kItems = 1;
layout(push_constant) uniform Push {
  Words results;
  Sums sums;
  Sums next;
  Queues queues;
  uint level;
} push;
shared uint first;

void main() {
  if (gl_LocalInvocationID.x == 0) first = append(push.queues, 0, 256 * kItems);
  barrier();
  const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  for (uint i = gl_LocalInvocationID.x; i < 256 * kItems; i += 256) push.next.at[first + i] = sum_of(workgroup * 256 * kItems + i);
}
