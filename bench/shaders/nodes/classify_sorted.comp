// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/spread.glsl"

// Several records an invocation, for the nodes that their seeds choose, put in the order of these nodes first.
layout(local_size_x_id = 3) in;
layout(constant_id = 0) const uint kGridX = 1;
layout(constant_id = 1) const uint kGridY = 1;
layout(constant_id = 2) const uint kBins = 1;
layout(constant_id = 4) const uint kItemsOfWorkgroup = 256;
layout(constant_id = 5) const uint kItems = 1;  // of an invocation
#include "../shared/count_items.glsl"
uint bin_of_item(uint item) { return bin_of(make_record(item), kBins); }
#include "../shared/order_by_bin.glsl"
NODE_STATIC_GRID(kGridX, kGridY, 1);
NODE_ARRAY(kBins) NODE_OUTPUT(Record, Sorted, "bin", kItemsOfWorkgroup);

void place_bin(uint bin, uint start, uint count) {}

void main() {
  const uint first = (gl_WorkGroupID.y * kGridX + gl_WorkGroupID.x) * kItemsOfWorkgroup;
  order_items(first, first + kItemsOfWorkgroup);
  for (uint i = 0; i < kItems; ++i) {
    const Record record = make_record(ordered[i * gl_WorkGroupSize.x + gl_LocalInvocationID.x]);
    Sorted sorted = Sorted_thread(1, bin_of(record, kBins));
    sorted.at[0] = record;
    node_enqueue(sorted);
  }
}
