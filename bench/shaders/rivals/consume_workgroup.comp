#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/records.glsl"

// 32 invocations a record.
const uint kInvocations = 32;
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push {
  Words results;
  Vectors records;
  Queues queues;
} push;

void main() {
  const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint index = workgroup * (gl_WorkGroupSize.x / kInvocations) + gl_LocalInvocationIndex / kInvocations;
  if (kRecordsAStep != 1 && index >= push.queues.at[0].count) return;
  const Record record = Record(push.records.at[index]);
  const uint lane = gl_LocalInvocationIndex % kInvocations;
  if (lane < 4) push.results.at[record.words.x * 4 + lane] = result_word(record, lane);
}
