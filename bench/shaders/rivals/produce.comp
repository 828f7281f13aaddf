#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/records.glsl"

// One record an invocation, one atomic a workgroup.
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
  Words results;
  Vectors records;
  Queues queues;
} push;
shared uint first;

void main() {
  if (gl_LocalInvocationIndex == 0) first = append(push.queues, 0, 256);
  barrier();
  const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  push.records.at[first + gl_LocalInvocationIndex] = make_record(workgroup * 256 + gl_LocalInvocationIndex).words;
}
