// SPDX-License-Identifier: Apache-2.0
#version 460
#define SENDERS 1
#extension GL_GOOGLE_include_directive : require
#include "mixed.glsl"

layout(local_size_x = 1) in;
readonly NODE_INPUTS(Task, tasks, 1);

void main() {
  const Visitor visitor = Visitor(tasks[0].index, tasks[0].value);
  const uint number = number_of(tasks[0].level, 0);
  visit(push.results, visitor, number, 0);
  send_on(true, visitor, number, tasks[0].level);
}
