// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "records.glsl"

// Coalescing: up to 32 records meet in a workgroup, which counts in shared memory how many descend from each entry record.
layout(local_size_x = 32) in;
readonly NODE_INPUTS(Count, counts, 32);

layout(set = 0, binding = 0) buffer Results { uint words[]; } results;
shared uint sums[4];

void main() {
  const uint thread = gl_LocalInvocationIndex;
  if (thread < 4) sums[thread] = 0;
  barrier();
  if (thread < counts.length()) atomicAdd(sums[counts[thread].entry_record_index], 1);
  barrier();
  if (thread < 4 && sums[thread] != 0) atomicAdd(results.words[4 + thread], sums[thread]);
}
