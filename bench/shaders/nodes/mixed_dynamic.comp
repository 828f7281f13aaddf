// SPDX-License-Identifier: Apache-2.0
#version 460
#define SENDERS 1
#extension GL_GOOGLE_include_directive : require
#include "mixed.glsl"

layout(local_size_x = 32) in;
NODE_MAX_GRID(3, 1, 1);
readonly NODE_INPUT(Task, task);

void main() {
  const Visitor visitor = Visitor(task.index, task.value);
  const uint number = number_of(task.level, 3);
  if (gl_LocalInvocationID.x == 0) visit(push.results, visitor, number, gl_WorkGroupID.x);
  send_on(gl_LocalInvocationID.x == 0 && gl_WorkGroupID.x == 0, visitor, number, task.level);
}
