// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bin.glsl"

// Adds up what is computed of the records of all bins, whose lists lie one behind the other: each workgroup takes as many records, whichever bins have them.
layout(constant_id = 0) const uint kBins = 1;

// The last bin that begins at a place or before it.
uint bin_at(uint place) {
  uint low = 0;
  uint high = kBins;
  while (high - low > 1) {
    const uint middle = (low + high) / 2;
    if (push.starts.at[middle] <= place) low = middle;
    else high = middle;
  }
  return low;
}

void main() {
  const uint workgroups = gl_NumWorkGroups.x * gl_NumWorkGroups.y;
  const uint part = (push.item_count + workgroups - 1) / workgroups;
  uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * part;
  const uint end = min(first + part, push.item_count);
  for (uint bin = bin_at(first); first < end; ++bin) {
    const uint bin_end = bin + 1 < kBins ? min(push.starts.at[bin + 1], end) : end;
    if (bin_end <= first) continue;
    add_to_bin(push.results, bin, sum_records(bin, 0, first + gl_LocalInvocationID.x, bin_end, kInvocations));
    first = bin_end;
  }
}
