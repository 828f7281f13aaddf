// SPDX-License-Identifier: Apache-2.0
// What the importer's tests take functions from. Compiled for the GLSL450 and for the Vulkan memory model.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_memory_scope_semantics : require
#ifdef VULKAN_MEMORY_MODEL
#pragma use_vulkan_memory_model
#endif

layout(local_size_x = 32) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer ListNode;
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer ListNode {
  ListNode next;
  uint value;
  uvec3 grid;
};

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words {
  uint word[];
};

struct Pair {
  uint first;
  uint second;
};

layout(push_constant) uniform Push { uvec2 list; };
layout(constant_id = 12) const uint kLimit = 9;

shared uint group_sum;
uint counter = 3;
uint never_used = 4;
const uint kTable[4] = uint[](1, 2, 4, 8);

uint add(uint a, uint b) { return a + b; }

uint twice(uint a) { return add(a, a); }

// Walks a list that contains itself as a type.
uint list_sum(uvec2 address) {
  ListNode node = ListNode(address);
  uint sum = 0;
  for (uint i = 0; i < kLimit; ++i) {
    if (uvec2(node) == uvec2(0)) break;
    sum += node.value + node.grid.x;
    node = node.next;
  }
  return twice(sum);
}

uint take(uvec2 address, uint amount) {
  const uint rank = atomicAdd(Words(address).word[0], amount, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
  if (gl_LocalInvocationIndex == 0) group_sum = rank;
  barrier();
  counter += group_sum;
  return counter + kTable[rank & 3u] + uint(sqrt(float(amount)));
}

Pair make_pair(uint a, uint b) { return Pair(add(a, 1), b); }

uint swap_sum(uint a, uint b) {
  Pair pair = make_pair(a, b);
  switch (pair.first) {
    case 0:
      return pair.second;
    case 7:
      pair.second += 2;
      break;
    default:
      pair = make_pair(b, a);
  }
  return pair.first * pair.second;
}

void main() {
  if (gl_GlobalInvocationID.x == 0) counter = list_sum(list) + take(list, 2) + swap_sum(1, 2) + never_used;
}
