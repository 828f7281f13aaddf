// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/reduction.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Sums { Sum at[]; };

// Many records of list `level` become one of the next list or, at the end, of the results.
layout(local_size_x = kReduced) in;
layout(constant_id = 0) const uint kIsEnd = 0;
layout(push_constant) uniform Push {
  Words results;
  Sums sums;
  Sums next;
  Queues queues;
  uint level;
} push;

void main() {
  const uint index = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * kReduced + gl_LocalInvocationID.x;
  Sum mine = Sum(0, 0);
  if (index < push.queues.at[push.level].count) mine = push.sums.at[index];
  const Sum all = reduce(mine);
  if (gl_LocalInvocationID.x != 0) return;
  if (kIsEnd != 0) {
    atomicAdd(push.results.at[0], all.value);
    atomicAdd(push.results.at[1], all.count);
  } else {
    push.next.at[append(push.queues, push.level + 1, 1)] = all;
  }
}
