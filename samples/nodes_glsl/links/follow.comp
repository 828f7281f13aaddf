// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"

// Payloads may hold the addresses of buffers: here a list, which the node walks by sending the rest of it to itself under another name.
layout(local_size_x = 1) in;
layout(buffer_reference) buffer Entry;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Entry {
  Entry next;
  uint value;
};
struct Walk {
  Entry entry;
  uint steps;
};
readonly NODE_INPUTS(Walk, walks, 1);
NODE_OUTPUT(Walk, Rest, "end", 1);
layout(set = 0, binding = 0) buffer Results { uint words[]; } results;

void main() {
  Entry entry = walks[0].entry;
  uint steps = walks[0].steps;
  for (; steps > 1; --steps) {
    atomicAdd(results.words[0], entry.value);
    entry = entry.next;
  }
  Rest rest = Rest_thread(1);
  rest.at[0].entry = entry;
  rest.at[0].steps = steps;
  node_enqueue(rest);
}
