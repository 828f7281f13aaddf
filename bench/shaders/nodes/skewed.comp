// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/skewed.glsl"

struct Task {
  NODE_GRID uint workgroups;
  uint index;
};

// One record an invocation, with as many workgroups as it needs.
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kGridX = 1;
layout(constant_id = 1) const uint kGridY = 1;
NODE_STATIC_GRID(kGridX, kGridY, 1);
NODE_OUTPUT(Task, Tasks, "skewed_part", 256);

void main() {
  const uint index = (gl_WorkGroupID.y * kGridX + gl_WorkGroupID.x) * 256 + gl_LocalInvocationID.x;
  Tasks tasks = Tasks_group(256);
  tasks.at[gl_LocalInvocationID.x] = Task(workgroups_of(index), index);
  node_enqueue(tasks);
}
