// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "../shared/append.glsl"
#include "../shared/hops.glsl"

// One hop of all records, whose nodes are data; or, with kIsSource, making the records.
struct Task {
  uint index;
  uint value;
  uint node;
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Tasks { Task at[]; };

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kNodes = 2;
layout(constant_id = 2) const uint kIsSource = 0;
layout(push_constant) uniform Push {
  Words results;
  Tasks tasks;  // of this hop
  Tasks next;   // of the next one
  Queues queues;
  uint hops;
} push;

shared uint sent;
shared uint first;

Task next_task(Hopper hopper, uint node) {
  const Hopper next = next_hopper(hopper, node);
  return Task(next.index, next.value, node + jump_of(hopper, kNodes));
}

// For the whole workgroup, which takes its places in the next list with one atomic.
void send(bool sends, Task task) {
  if (gl_LocalInvocationID.x == 0) sent = 0;
  barrier();
  const uvec4 sending = subgroupBallot(sends);
  uint place = 0;
  if (subgroupElect()) place = atomicAdd(sent, subgroupBallotBitCount(sending));
  place = subgroupBroadcastFirst(place) + subgroupBallotExclusiveBitCount(sending);
  barrier();
  if (gl_LocalInvocationID.x == 0 && sent != 0) first = append(push.queues, push.hops, sent);
  barrier();
  if (sends) push.next.at[first + place] = task;
}

void main() {
  const uint place = gl_GlobalInvocationID.x;
  if (kIsSource != 0) {
    const Hopper hopper = first_hopper(place);
    send(hops_on(hopper, 0, kNodes), next_task(hopper, 0));
    return;
  }
  const uint count = push.queues.at[push.hops - 1].count;
  const bool mine = place < count;
  const Task task = push.tasks.at[min(place, count - 1)];
  const Hopper hopper = Hopper(task.index, task.value, push.hops);
  if (mine) visit(push.results, hopper, task.node);
  if (push.hops < kMaxHops) send(mine && hops_on(hopper, task.node, kNodes), next_task(hopper, task.node));
}
