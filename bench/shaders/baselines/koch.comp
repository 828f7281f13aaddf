// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/koch.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Edges { Edge at[]; };

// One level of the curve, one atomic a workgroup.
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push {
  Lines results;
  Edges edges;  // of this level
  Edges next;   // of the next one
  Queues queues;
  uint level;
  uint last;
} push;
shared uint first;

void main() {
  const uint begin = gl_WorkGroupID.x * gl_WorkGroupSize.x;
  const uint count = min(push.queues.at[push.level].count - begin, gl_WorkGroupSize.x);
  const bool last = push.last != 0;
  if (gl_LocalInvocationID.x == 0 && !last) first = append(push.queues, push.level + 1, count * 4);
  barrier();
  if (gl_LocalInvocationID.x >= count) return;
  const Edge edge = push.edges.at[begin + gl_LocalInvocationID.x];
  for (uint i = 0; i < 4; ++i) {
    if (last) draw(push.results, child(edge, i));
    else push.next.at[first + gl_LocalInvocationID.x * 4 + i] = child(edge, i);
  }
}
