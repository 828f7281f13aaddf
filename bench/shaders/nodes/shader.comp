// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/shaders.glsl"

// One of many shaders: a thread node where kInvocations is 1, else a coalescing node.
layout(local_size_x_id = 1) in;
layout(constant_id = 0) const uint kShader = 0;
layout(constant_id = 1) const uint kInvocations = 1;
NODE_INDEX(kShader);
NODE_API_ENTRY(false);
readonly NODE_INPUTS(Record, records, kInvocations);
layout(push_constant) uniform Push { Words results; } push;

void main() {
  if (gl_LocalInvocationID.x >= records.length()) return;
  const Record record = records[gl_LocalInvocationID.x];
  push.results.at[record.words.x] = shader_result(record, kShader);
}
