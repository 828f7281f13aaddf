// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/records.glsl"

// 32 invocations a record; a workgroup takes what it has room for, kRounds times.
const uint kInvocations = 32;
layout(constant_id = 1) const uint kRounds = 1;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push {
  Words results;
  Vectors records;
  Queues queues;
} push;

void main() {
  const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint a_round = gl_WorkGroupSize.x / kInvocations;
  const uint count = kRecordsAStep != 1 ? push.queues.at[0].count : 0xffffffffu;
  const uint lane = gl_LocalInvocationID.x % kInvocations;
  for (uint round = 0; round < kRounds; ++round) {
    const uint index = (workgroup * kRounds + round) * a_round + gl_LocalInvocationID.x / kInvocations;
    if (index >= count) return;
    const Record record = Record(push.records.at[index]);
    if (lane < 4) push.results.at[record.words.x * 4 + lane] = result_word(record, lane);
  }
}
