// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#ifdef SCALAR
#define NODE_LAYOUT scalar
#endif
#include "trellis/node_payload.glsl"
#include "records.glsl"

layout(local_size_x = 8) in;
readonly NODE_INPUT(Job, job);
NODE_MAX_GRID(8, 4, 1);
NODE_ARRAY(3) NODE_OUTPUT(Part, Parts, "consumer", 5);

void main() {
  const uint workgroup = gl_WorkGroupID.y * 8 + gl_WorkGroupID.x;
  Parts parts = Parts_group(5, workgroup % 3);
  const uint i = gl_LocalInvocationIndex;
  if (i < 4) {
    parts.at[i].coordinate = gl_GlobalInvocationID.xy;
    parts.at[i].value = job.first + i;
    parts.at[i].turn = mat3(1.0);
    parts.at[i].turn[i % 3].y = 4.0;
    for (uint k = 0; k < 2; ++k) {
      parts.at[i].inner[k].direction = vec3(k, i, workgroup);
      for (uint w = 0; w < 3; ++w) parts.at[i].inner[k].weights[w] = float(10 * k + w);
    }
  }
  barrier();
  if (i == 0) {
    parts.at[4] = parts.at[3];  // a whole record
    Part part = parts.at[2];
    part.inner[1] = part.inner[0];
    parts.at[1] = part;
    atomicAdd(parts.at[4].value, 7);
  }
  node_enqueue(parts);
}
