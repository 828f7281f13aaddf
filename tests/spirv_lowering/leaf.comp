// SPDX-License-Identifier: Apache-2.0
// An ordinary compute shader that knows nothing of graphs, as it may stand in one as a node without outputs.
#version 460
layout(local_size_x_id = 0, local_size_y = 2) in;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Push {
  uint first;
  uvec4 scale;
} push;
shared uint sums[64];

uint Scaled(in uint value) { return value * push.scale[value & 3u]; }

void main() {
  sums[gl_LocalInvocationIndex % 64u] = gl_GlobalInvocationID.x;
  barrier();
  uint sum = 0u;
  for (uint i = 0u; i < gl_WorkGroupSize.x; ++i) sum += sums[i % 64u];
  if (gl_WorkGroupID.y == 1u) return;
  atomicAdd(values[push.first + gl_WorkGroupID.x], Scaled(sum) + gl_LocalInvocationID.y);
}
