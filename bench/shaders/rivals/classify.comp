#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/records.glsl"

// Sorts items into bins of a fixed capacity. A workgroup counts its items in shared memory and takes their places with one atomic a bin.
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kBins = 1;
layout(constant_id = 1) const uint kItems = 1;  // of an invocation
layout(push_constant) uniform Push {
  Words results;
  Vectors records;
  Queues queues;
  uint item_count;
  uint capacity;
} push;
shared uint places[kBins];

void main() {
  for (uint bin = gl_LocalInvocationIndex; bin < kBins; bin += 256) places[bin] = 0;
  barrier();
  const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint begin = workgroup * 256 * kItems + gl_LocalInvocationIndex;
  const uint end = min(begin + 256 * kItems, push.item_count);
  for (uint i = begin; i < end; i += 256) atomicAdd(places[bin_of(make_record(i), kBins)], 1);
  barrier();
  for (uint bin = gl_LocalInvocationIndex; bin < kBins; bin += 256) {
    if (places[bin] != 0) places[bin] = append(push.queues, bin, places[bin]);
  }
  barrier();
  for (uint i = begin; i < end; i += 256) {
    const Record record = make_record(i);
    const uint bin = bin_of(record, kBins);
    const uint place = atomicAdd(places[bin], 1);
    if (place < push.capacity) push.records.at[bin * push.capacity + place] = record.words;
  }
}
