// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "classify.glsl"

// Items are put in the order of their bins first.
layout(constant_id = 3) const uint kItemsOfWorkgroup = 1;
#include "../shared/count_items.glsl"
#include "../shared/order_by_bin.glsl"

// counts[bin] becomes what takes a place in `ordered` to one in the list of the bin.
void place_bin(uint bin, uint start, uint count) { counts[bin] = atomicAdd(push.counters.at[bin].count, count) - start; }

void main() {
  order_items(first_item(), push.item_count);
  [[unroll]] for (uint i = 0; i < kItems; ++i) {
    const uint place = i * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (place >= ordered_count) continue;
    const Record record = make_record(ordered[place]);
    const uint bin = bin_of(record, kBins);
    write(bin, counts[bin] + place, record);
  }
}
