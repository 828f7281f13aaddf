// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "classify.glsl"
#include "../shared/count_items.glsl"

uint add_count(uint bin, uint count) { return atomicAdd(counts[bin], count); }

// Each invocation writes its own items, wherever their bins are.
void main() {
  clear_counts();
  barrier();
  uint ranks[kItems];  // among the items of the same bin and workgroup
  [[unroll]] for (uint i = 0; i < kItems; ++i) {
    const uint item = first_item() + i * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (item < push.item_count) ranks[i] = count_item(bin_of_item(item));
  }
  barrier();
  for (uint bin = gl_LocalInvocationID.x; bin < kBins; bin += gl_WorkGroupSize.x) {
    if (counts[bin] != 0) counts[bin] = atomicAdd(push.counters.at[bin].count, counts[bin]);
  }
  barrier();
  [[unroll]] for (uint i = 0; i < kItems; ++i) {
    const uint item = first_item() + i * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (item < push.item_count) write(bin_of_item(item), counts[bin_of_item(item)] + ranks[i], make_record(item));
  }
}
