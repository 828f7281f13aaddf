#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/records.glsl"

// As classify_sorted.comp, but an invocation sends all that it has to one node, at once.
layout(local_size_x_id = 3) in;
layout(constant_id = 0) const uint kGridX = 1;
layout(constant_id = 1) const uint kGridY = 1;
layout(constant_id = 2) const uint kBins = 1;
layout(constant_id = 4) const uint kItemsOfWorkgroup = 256;
layout(constant_id = 5) const uint kItems = 1;     // of an invocation, before they are put in order
layout(constant_id = 6) const uint kTogether = 1;  // most of them that it sends
#include "../shared/order_by_bin.glsl"
NODE_STATIC_GRID(kGridX, kGridY, 1);
NODE_ARRAY(kBins) NODE_OUTPUT(Record, Sorted, "bin", kItemsOfWorkgroup);

void place_bin(uint bin, uint start, uint count) {}

void main() {
  const uint first = (gl_WorkGroupID.y * kGridX + gl_WorkGroupID.x) * kItemsOfWorkgroup;
  order_items(first, first + kItemsOfWorkgroup);
  const uint place = gl_LocalInvocationIndex * kTogether;
  uint count = 0;
  uint bin = 0;
  if (place < ordered_count) {
    bin = bin_of(make_record(ordered[place]), kBins);
    while (count < kTogether && ordered[place + count] != kNoItem) ++count;
  }
  Sorted sorted = Sorted_thread(count, bin);
  for (uint i = 0; i < count; ++i) sorted.at[i] = make_record(ordered[place + i]);
  node_enqueue(sorted);
}
