// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "item.glsl"

// Handles as values: made by a function, passed by value and by reference, chosen in a branch, sent by a function.
layout(local_size_x = 4) in;
readonly NODE_INPUTS(Seed, seeds, 1);
NODE_ARRAY(2) NODE_OUTPUT(Item, Work, "sink", 14);

Work make(uint index) { return Work_group(4, index); }
void fill(const Work work, uint i, uint value) {
  work.at[i].slot = seeds[0].start + i;
  work.at[i].value = value;
}
void fill_mine(inout Work work, uint value) { fill(work, gl_LocalInvocationIndex, value); }
void send(Work work) { node_enqueue(work); }

void main() {
  // Two rounds of four records, one to each node of the array.
  for (uint i = 0; i < 2; ++i) {
    Work work = make(i);
    fill_mine(work, i + 1);
    send(work);
  }
  // One of two allocations is chosen; seeds[0] is the same for the whole workgroup.
  Work chosen;
  if (seeds[0].start % 2 == 0) {
    chosen = Work_group(1, 0);
  } else {
    chosen = Work_group(2, 1);
  }
  if (gl_LocalInvocationIndex < node_count(chosen)) fill(chosen, gl_LocalInvocationIndex, 100);
  send(chosen);
  // Each invocation its own, and only the last one has any.
  Work mine = Work_thread(gl_LocalInvocationIndex / 3, gl_LocalInvocationIndex % 2);
  for (uint i = 0; i < node_count(mine); ++i) fill(mine, i, 1000);
  node_enqueue(mine);
}
