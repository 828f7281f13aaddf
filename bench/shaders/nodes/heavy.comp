// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/heavy.glsl"

// One invocation a record, with many live values.
layout(local_size_x = 64) in;
NODE_API_ENTRY(false);
readonly NODE_INPUTS(Record, records, 64);
layout(push_constant) uniform Push { Vectors results; } push;

void main() {
  if (gl_LocalInvocationID.x >= records.length()) return;
  const Record record = records[gl_LocalInvocationID.x];
  push.results.at[record.words.x] = heavy_result(record);
}
