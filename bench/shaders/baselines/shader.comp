// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shader_lists.glsl"

// One of the shaders in use: full workgroups, one invocation per record, kRounds times.
layout(local_size_x_id = 1) in;
layout(constant_id = 0) const uint kShader = 0;
layout(constant_id = 2) const uint kRounds = 1;
layout(constant_id = 3) const uint kList = 0;

void main() {
  const uint count = min(push.queues.at[kList * kQueuesOfLine].count, push.capacity);
  for (uint round = 0; round < kRounds; ++round) {
    const uint place = (gl_WorkGroupID.x * kRounds + round) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (place >= count) return;
    const Record record = Record(push.records.at[kList * push.capacity + place]);
    push.results.at[record.words.x] = shader_result(record, kShader);
  }
}
