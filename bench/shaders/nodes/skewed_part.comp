// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/skewed.glsl"

struct Task {
  NODE_GRID uint workgroups;
  uint index;
};

layout(local_size_x = 32) in;
NODE_MAX_GRID(kMaxParts, 1, 1);
NODE_API_ENTRY(false);
readonly NODE_INPUT(Task, task);
layout(push_constant) uniform Push { Words results; } push;

void main() {
  if (gl_LocalInvocationID.x == 0) atomicAdd(push.results.at[task.index], part_result(task.index, gl_WorkGroupID.x));
}
