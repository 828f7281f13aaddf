// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "../shared/picked.glsl"

// Appends picked items to the list of their node, with one atomic a workgroup and list. A list's count is the x of its VkDrawMeshTasksIndirectCommandEXT.
layout(local_size_x = kInvocations) in;
layout(push_constant) uniform Push {
  Words draws;  // three words a node, then a fourth that nobody uses
  Words items;
  uint capacity;  // of a list
} push;

shared uint counts[kNodes];
shared uint firsts[kNodes];

// Of the invocation's item among those of its list in this workgroup.
uint rank_of(bool picked, uint node) {
  if (kNodes != 1) return picked ? atomicAdd(counts[node], 1) : 0;
  const uvec4 others = subgroupBallot(picked);
  uint first = 0;
  if (subgroupElect()) first = atomicAdd(counts[0], subgroupBallotBitCount(others));
  return subgroupBroadcastFirst(first) + subgroupBallotExclusiveBitCount(others);
}

void main() {
  const uint list = gl_LocalInvocationIndex;
  if (list < kNodes) counts[list] = 0;
  barrier();
  const uint item = gl_GlobalInvocationID.x;
  const bool picked = is_picked(item);
  const uint node = node_of(item);
  const uint rank = rank_of(picked, node);
  barrier();
  if (list < kNodes && counts[list] != 0) firsts[list] = atomicAdd(push.draws.at[list * 4], counts[list]);
  barrier();
  if (picked) push.items.at[node * push.capacity + firsts[node] + rank] = item;
}
