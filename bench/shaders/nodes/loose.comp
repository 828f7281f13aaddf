// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/records.glsl"

// Sends one record to the next level, and could send many: what the host expects is far above what comes.
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint kLevel = 0;
const uint kNextLevel = kLevel + 1;
NODE_INDEX(kLevel);
NODE_STATIC_GRID(1, 1, 1);
NODE_SPARSE NODE_BASE(kNextLevel) NODE_OUTPUT(Record, Next, "loose", 4096);
readonly NODE_INPUT(Record, record);
layout(push_constant) uniform Push { Words results; } push;

void main() {
  if (gl_LocalInvocationID.x == 0) atomicAdd(push.results.at[kLevel], record.words.x);
  Next next = Next_group(1);
  if (gl_LocalInvocationID.x == 0) next.at[0] = Record(record.words + 1);
  node_enqueue(next);
}
