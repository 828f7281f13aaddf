// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/heavy.glsl"

// One invocation a record, with many live values.
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push {
  Vectors results;
  Vectors records;
  Queues queues;
} push;

void main() {
  const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint index = workgroup * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
  if (index >= push.queues.at[0].count) return;
  const Record record = Record(push.records.at[index]);
  push.results.at[record.words.x] = heavy_result(record);
}
