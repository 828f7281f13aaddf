// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "total.glsl"

// All workgroups of a launch add to the payload that they share; the last one sends the sum on.
layout(local_size_x = 64) in;
NODE_MAX_GRID(16, 1, 1);
NODE_INPUT(Total, total);
NODE_OUTPUT(Total, Finished, "report", 1);

void main() {
  atomicAdd(total.sum, gl_GlobalInvocationID.x);
  if (node_finish_writing()) {
    Finished finished = Finished_group(1);
    if (gl_LocalInvocationIndex == 0) {
      finished.at[0].slot = total.slot;
      finished.at[0].sum = total.sum;
    }
    node_enqueue(finished);
  }
}
