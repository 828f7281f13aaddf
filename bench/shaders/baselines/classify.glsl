// SPDX-License-Identifier: Apache-2.0
// What both ways to sort items into bins share. A workgroup counts its items by bin in shared memory and takes their places in a bin's list with one
// atomic.
#extension GL_GOOGLE_include_directive : require
#include "../shared/spread.glsl"
#include "counters.glsl"

layout(local_size_x_id = 2) in;
layout(constant_id = 0) const uint kBins = 1;
layout(constant_id = 1) const uint kItems = 1;  // of an invocation
layout(push_constant) uniform Push {
  Words results;
  Vectors records;  // the lists of all bins
  Counters counters;
  uint item_count;
  uint capacity;  // of a list; if items are not spread evenly, of all
  Words starts;   // places of the lists then
} push;

shared uint counts[kBins];

uint first_item() {
  return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x * kItems;
}

uint bin_of_item(uint item) { return bin_of(make_record(item), kBins); }

void clear_counts() {
  for (uint bin = gl_LocalInvocationID.x; bin < kBins; bin += gl_WorkGroupSize.x) counts[bin] = 0;
}

void write(uint bin, uint place, Record record) {
  const uint start = kSpread == kUniform ? bin * push.capacity : push.starts.at[bin];
  if (place < push.capacity) push.records.at[start + place] = record.words;
}
