#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/reduction.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Sums { Sum at[]; };

layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
  Words results;
  Sums sums;
  Sums next;
  Queues queues;
  uint level;
} push;
shared uint first;

void main() {
  if (gl_LocalInvocationIndex == 0) first = append(push.queues, 0, 256);
  barrier();
  const uint index = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256 + gl_LocalInvocationIndex;
  push.next.at[first + gl_LocalInvocationIndex] = sum_of(index);
}
