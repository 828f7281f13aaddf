// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/records.glsl"

// Full workgroups, one invocation a record, kRounds times.
layout(constant_id = 1) const uint kRounds = 1;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push {
  Vectors results;
  Vectors records;
  Queues queues;
} push;

void main() {
  const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint count = push.queues.at[0].count;
  for (uint round = 0; round < kRounds; ++round) {
    const uint index = (workgroup * kRounds + round) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (index >= count) return;
    const Record record = Record(push.records.at[index]);
    push.results.at[record.words.x] =
        uvec4(result_word(record, 0), result_word(record, 1), result_word(record, 2), result_word(record, 3));
  }
}
