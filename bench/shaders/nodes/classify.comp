// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/spread.glsl"

// One record an invocation, for the node that its seed chooses.
layout(local_size_x_id = 3) in;
layout(constant_id = 0) const uint kGridX = 1;
layout(constant_id = 1) const uint kGridY = 1;
layout(constant_id = 2) const uint kBins = 1;
layout(constant_id = 4) const uint kRecords = 256;  // of a workgroup: one for each of its invocations
NODE_STATIC_GRID(kGridX, kGridY, 1);
NODE_ARRAY(kBins) NODE_OUTPUT(Record, Sorted, "bin", kRecords);

void main() {
  const uint workgroup = gl_WorkGroupID.y * kGridX + gl_WorkGroupID.x;
  const Record record = make_record(workgroup * kRecords + gl_LocalInvocationID.x);
  Sorted sorted = Sorted_thread(1, bin_of(record, kBins));
  sorted.at[0] = record;
  node_enqueue(sorted);
}
