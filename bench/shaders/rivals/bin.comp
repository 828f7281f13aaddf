#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/records.glsl"

// Adds up what is computed of the records of one bin.
layout(local_size_x = 64) in;
layout(push_constant) uniform Push {
  Words results;
  Vectors records;
  Queues queues;
  uint item_count;
  uint capacity;
  uint bin;
} push;
shared uint sum;

void main() {
  if (gl_LocalInvocationIndex == 0) sum = 0;
  barrier();
  const uint index = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64 + gl_LocalInvocationIndex;
  if (index < min(push.queues.at[push.bin].count, push.capacity))
    atomicAdd(sum, bin_result(Record(push.records.at[push.bin * push.capacity + index]), push.bin));
  barrier();
  if (gl_LocalInvocationIndex == 0) atomicAdd(push.results.at[push.bin], sum);
}
