// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"

// 64 workgroups, which have nothing to say but that they ran.
layout(local_size_x = 1) in;
NODE_STATIC_GRID(64, 1, 1);
NODE_OUTPUT(NodeEmpty, Tick, "count", 1);

void main() {
  Tick tick = Tick_thread(gl_WorkGroupID.x % 2);  // every second workgroup; the others send none
  node_enqueue(tick);
}
