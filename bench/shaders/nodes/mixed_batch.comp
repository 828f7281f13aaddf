// SPDX-License-Identifier: Apache-2.0
#version 460
#define SENDERS 32
#extension GL_GOOGLE_include_directive : require
#include "mixed.glsl"

layout(local_size_x = 32) in;
readonly NODE_INPUTS(Task, tasks, 32);

void main() {
  const bool mine = gl_LocalInvocationID.x < tasks.length();
  Visitor visitor = Visitor(0, 0);
  uint level = 0;
  if (mine) {
    visitor = Visitor(tasks[gl_LocalInvocationID.x].index, tasks[gl_LocalInvocationID.x].value);
    level = tasks[gl_LocalInvocationID.x].level;
    visit(push.results, visitor, number_of(level, 1), 0);
  }
  send_on(mine, visitor, number_of(level, 1), level);
}
