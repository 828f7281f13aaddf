// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "trellis/node_payload.glsl"
#include "../shared/bins.glsl"

// Adds up what is computed of the records of one bin.
const uint kInvocations = 256;
layout(local_size_x = kInvocations) in;
layout(constant_id = 0) const uint kBin = 0;
layout(constant_id = 1) const uint kRecords = 256;  // of a workgroup
layout(constant_id = 2) const uint kRecordsAtOnce = 4;  // that an invocation reads before it needs the first
NODE_INDEX(kBin);
NODE_API_ENTRY(false);
readonly NODE_INPUTS(Record, records, kRecords);
layout(push_constant) uniform Push { Words results; } push;

void main() {
  const uint count = records.length();
  uint value = 0;
  for (uint first = gl_LocalInvocationID.x; first < count; first += kRecordsAtOnce * kInvocations) {
    [[unroll]] for (uint i = 0; i < min(kRecordsAtOnce, (kRecords + kInvocations - 1) / kInvocations); ++i) {
      const uint index = first + i * kInvocations;
      const Record record = records[min(index, count - 1)];
      if (index < count) value += bin_result(record, node_shader_index);
    }
  }
  add_to_bin(push.results, node_shader_index, value);
}
