#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/bins.glsl"

// Adds up what is computed of the records of one bin.
layout(local_size_x = 256) in;
layout(push_constant) uniform Push {
  Words results;
  Vectors records;
  Queues queues;
  uint item_count;
  uint capacity;
  uint bin;
} push;

void main() {
  const uint index = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256 + gl_LocalInvocationIndex;
  uint value = 0;
  if (index < min(push.queues.at[push.bin].count, push.capacity))
    value = bin_result(Record(push.records.at[push.bin * push.capacity + index]), push.bin);
  add_to_bin(push.results, push.bin, value);
}
