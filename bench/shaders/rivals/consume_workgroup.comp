#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/records.glsl"

// One workgroup a record.
layout(local_size_x = 32) in;
layout(push_constant) uniform Push {
  Words results;
  Vectors records;
  Queues queues;
} push;

void main() {
  const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (kRecordsAStep != 1 && workgroup >= push.queues.at[0].count) return;
  const Record record = Record(push.records.at[workgroup]);
  const uint lane = gl_LocalInvocationIndex;
  if (lane < 4) push.results.at[record.words.x * 4 + lane] = result_word(record, lane);
}
