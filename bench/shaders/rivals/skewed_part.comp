#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/skewed.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Parts { uvec2 at[]; };

layout(local_size_x = 32) in;
layout(push_constant) uniform Push {
  Words results;
  Parts parts;
  Queues queues;
  uint capacity;
} push;

void main() {
  const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (kRecordsAStep != 1 && workgroup >= push.queues.at[0].count) return;
  const uvec2 part = push.parts.at[workgroup];
  if (gl_LocalInvocationIndex == 0) atomicAdd(push.results.at[part.x], part_result(part.x, part.y));
}
