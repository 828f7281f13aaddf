// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/records.glsl"

// One invocation a record.
layout(local_size_x = 1) in;
NODE_API_ENTRY(false);
readonly NODE_INPUTS(Record, records, 1);
layout(push_constant) uniform Push { Vectors results; } push;

void main() {
  const Record record = records[0];
  push.results.at[record.words.x] =
      uvec4(result_word(record, 0), result_word(record, 1), result_word(record, 2), result_word(record, 3));
}
