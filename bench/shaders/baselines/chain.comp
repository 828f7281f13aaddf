// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../shared/append.glsl"
#include "../shared/links.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Links { Link at[]; };

// One level of the chain: counts in its own word of the results and appends the record for the next level, whose arguments are its counter.
layout(local_size_x = 64) in;
layout(push_constant) uniform Push {
  Words results;
  Links links;  // of this level
  Links next;   // of the next one
  Queues queues;
  uint level;
  uint chains;
  uint levels;
} push;

void main() {
  const Link link = push.links.at[gl_WorkGroupID.x];
  atomicAdd(push.results.at[push.level * push.chains + link.chain], link.value);
  if (gl_LocalInvocationID.x != 0 || push.level + 1 == push.levels) return;
  push.next.at[append(push.queues, push.level + 1, 1)] = next_link(link);
}
