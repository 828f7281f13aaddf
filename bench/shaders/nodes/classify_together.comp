// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/spread.glsl"

// As classify_sorted.comp, but an invocation sends up to kTogether records to one node, at once.
layout(local_size_x_id = 3) in;
layout(constant_id = 0) const uint kGridX = 1;
layout(constant_id = 1) const uint kGridY = 1;
layout(constant_id = 2) const uint kBins = 1;
layout(constant_id = 4) const uint kItemsOfWorkgroup = 256;
layout(constant_id = 5) const uint kItems = 1;     // of an invocation, before they are put in order
layout(constant_id = 6) const uint kTogether = 1;
layout(constant_id = 7) const uint kItemsOfAll = 1;
#include "../shared/count_items.glsl"
uint bin_of_item(uint item) { return bin_of(make_record(item), kBins); }
#include "../shared/order_by_bin.glsl"
NODE_STATIC_GRID(kGridX, kGridY, 1);
NODE_ARRAY(kBins) NODE_OUTPUT(Record, Sorted, "bin", kItemsOfWorkgroup);

struct Part {
  uint bin;
  uint start;  // in `ordered`
  uint count;
};
shared Part parts[kItemsOfWorkgroup / kTogether + kBins];
shared uint part_count;

void place_bin(uint bin, uint start, uint count) {
  uint part = atomicAdd(part_count, (count + kTogether - 1) / kTogether);
  for (uint i = 0; i < count; i += kTogether) parts[part++] = Part(bin, start + i, min(kTogether, count - i));
}

void main() {
  if (gl_LocalInvocationID.x == 0) part_count = 0;
  const uint first = (gl_WorkGroupID.y * kGridX + gl_WorkGroupID.x) * kItemsOfWorkgroup;
  order_items(first, kItemsOfAll);
  for (uint first_part = 0; first_part < part_count; first_part += gl_WorkGroupSize.x) {
    const uint number = first_part + gl_LocalInvocationID.x;
    const Part part = number < part_count ? parts[number] : Part(0, 0, 0);
    Sorted sorted = Sorted_thread(part.count, part.bin);
    for (uint i = 0; i < part.count; ++i) sorted.at[i] = make_record(ordered[part.start + i]);
    node_enqueue(sorted);
  }
}
