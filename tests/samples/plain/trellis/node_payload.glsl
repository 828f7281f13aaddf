// SPDX-License-Identifier: Apache-2.0
// The same words as include/trellis/node_payload.glsl, for ordinary compute shaders: payloads are buffer references into one heap. The round-trip tests compile the
// samples with it and run the graph from the host.
#ifndef TRELLIS_PLAIN_NODE_PAYLOAD_GLSL
#define TRELLIS_PLAIN_NODE_PAYLOAD_GLSL

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : enable
#ifndef NODE_LAYOUT
#define NODE_LAYOUT std430
#endif

// In a node, payload memory is ordered by every barrier. (A macro's own name is not expanded again.)
#define barrier() memoryBarrierBuffer(), barrier()

#define NODE_GRID
#define NODE_TRACKED
#define NODE_ARRAY(size)
#define NODE_SPARSE
#define NODE_BASE(index)
#define NODE_MAX_PER_NODE(n)
#define NODE_LIMIT_OF(type)
#define NODE_NAME_ID(id)
#define NODE_INDEX(index) const uint node_ignored_index_ = 0
#define NODE_STATIC_GRID(x, y, z) const uint node_ignored_static_grid_ = 0
#define NODE_MAX_GRID(x, y, z) const uint node_ignored_max_grid_ = 0
#define NODE_RECURSION(levels) const uint node_ignored_recursion_ = 0
#define NODE_API_ENTRY(is_entry) const uint node_ignored_api_entry_ = 0
#define NODE_SHARES_INPUT(node, index) const uint node_ignored_shares_input_ = 0

struct NodeEmpty {
  uint node_empty;
};

#define NODE_INPUT(Record, name)                                       \
  layout(NODE_LAYOUT, set = 1, binding = 0) buffer node_input_##name { \
    Record name;                                                       \
  }
#define NODE_INPUTS(Record, name, max)                                 \
  layout(NODE_LAYOUT, set = 1, binding = 0) buffer node_input_##name { \
    Record name[];                                                     \
  }

// What an allocation finds in front of its records.
layout(buffer_reference, std430, buffer_reference_align = 4) buffer NodeHeader_ {
  uint tag;  // line of the NODE_OUTPUT
  uint count;
  uint index;
  uint enqueued;
};

const uint kNodeHeaderWords_ = 4;
const uint kNodeRecordWords_ = 64;  // the most that a record of the samples takes

layout(std430, set = 1, binding = 1) coherent buffer NodeHeap_ {
  uvec2 node_heap_address_;  // of node_heap_
  uint node_heap_next_;
  uint node_shader_index;
  uint node_remaining_recursion;
  uint node_valid_index_;  // the one index that may be sent to
  uint node_unused_[2];    // records begin at multiples of 16 bytes, which std430 may rely on
  uint node_heap_[];
};

shared uint node_shared_offset_;

uvec2 node_take_(uint offset, uint tag, uint count, uint index) {
  node_heap_[offset] = tag;
  node_heap_[offset + 1] = count;
  node_heap_[offset + 2] = index;
  node_heap_[offset + 3] = 0;
  uint carry;
  const uint low = uaddCarry(node_heap_address_.x, 4 * (offset + kNodeHeaderWords_), carry);
  return uvec2(low, node_heap_address_.y + carry);
}
uvec2 node_take_thread_(uint tag, uint count, uint index) {
  return node_take_(atomicAdd(node_heap_next_, kNodeHeaderWords_ + count * kNodeRecordWords_), tag, count, index);
}
uvec2 node_take_group_(uint tag, uint count, uint index) {
  barrier();
  if (gl_LocalInvocationIndex == 0) node_shared_offset_ = atomicAdd(node_heap_next_, kNodeHeaderWords_ + count * kNodeRecordWords_);
  barrier();
  return node_take_(node_shared_offset_, tag, count, index);
}
NodeHeader_ node_header_(uvec2 address) {
  uint borrow;
  const uint low = usubBorrow(address.x, 4 * kNodeHeaderWords_, borrow);
  return NodeHeader_(uvec2(low, address.y - borrow));
}

// As macros: glslang cannot tell functions apart by the types of references.
#define node_count(payloads) node_header_(uvec2(payloads)).count
#define node_enqueue(payloads) node_header_(uvec2(payloads)).enqueued = 1

#define NODE_OUTPUT(Record, Type, node, max)                                                                         \
  layout(buffer_reference, NODE_LAYOUT) coherent buffer Type {                                                       \
    Record at[];                                                                                                     \
  };                                                                                                                 \
  Type Type##_group(const uint count) { return Type(node_take_group_(__LINE__, count, 0)); }                         \
  Type Type##_group(const uint count, const uint index) { return Type(node_take_group_(__LINE__, count, index)); }   \
  Type Type##_thread(const uint count) { return Type(node_take_thread_(__LINE__, count, 0)); }                       \
  Type Type##_thread(const uint count, const uint index) { return Type(node_take_thread_(__LINE__, count, index)); } \
  bool Type##_valid(const uint index) { return index == node_valid_index_; }                                         \
  const uint node_ignored_##Type = 0

#endif
