// SPDX-License-Identifier: Apache-2.0
// Nodes of VK_AMDX_shader_enqueue (work graphs) in plain GLSL. Compile with `trellis compile`; docs/glsl.md is the reference.
//
//   #extension GL_GOOGLE_include_directive : require
//   #include "trellis/node_payload.glsl"
//
// glslang has no words for the extension, so each declaration below is either final SPIR-V (execution modes, built-ins, instructions) or a
// stand-in that glslang understands and `trellis compile` replaces. The stand-in of an output is a variable that carries the decorations.
#ifndef TRELLIS_NODE_PAYLOAD_GLSL
#define TRELLIS_NODE_PAYLOAD_GLSL

#extension GL_EXT_spirv_intrinsics : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// Layout of payloads. `#define NODE_LAYOUT scalar` before the include for GL_EXT_scalar_block_layout.
#ifndef NODE_LAYOUT
#define NODE_LAYOUT std430
#endif
#extension GL_EXT_scalar_block_layout : enable

#define NODE_REQUIRES_ extensions = ["SPV_AMDX_shader_enqueue"], capabilities = [5067]
// The line of a declaration, for messages: Location of the stand-in.
#define NODE_STAND_IN_ spirv_decorate(NODE_REQUIRES_, 30, __LINE__) spirv_storage_class(1) uint

// ---- payload structures: qualifiers of members

// The member that holds the grid of the launch: uint, uvec2 or uvec3, of 8, 16 or 32 bits.
#define NODE_GRID spirv_decorate(NODE_REQUIRES_, 5105)
// On any member: workgroups that finish with the payload are counted, see node_finish_writing().
#define NODE_TRACKED spirv_decorate(NODE_REQUIRES_, 5078)
// A payload of no bytes.
struct NodeEmpty {
  uint node_empty;
};

// ---- input: one of the two

// One payload for all workgroups of the launch. NODE_INPUT(Task, task); gives `task.member`. Put `readonly` in front if it is only read.
#define NODE_INPUT(Record, name)                                                                                                     \
  spirv_decorate(NODE_REQUIRES_, 30, __LINE__) spirv_decorate_id(NODE_REQUIRES_, 5020, 1u) layout(NODE_LAYOUT, set = 0, binding = 0) \
      buffer node_input_##name {                                                                                                     \
    Record name;                                                                                                                     \
  }
// A coalescing node: each workgroup gets 1 to `max` payloads. NODE_INPUTS(Task, tasks, 64); gives `tasks[i].member`, `tasks.length()`.
// `max` is a constant or the name of one; so are the numbers of all macros below.
#define NODE_INPUTS(Record, name, max)                                                                                                \
  spirv_decorate(NODE_REQUIRES_, 30, __LINE__) spirv_decorate_id(NODE_REQUIRES_, 5020, max) layout(NODE_LAYOUT, set = 0, binding = 0) \
      buffer node_input_##name {                                                                                                      \
    Record name[];                                                                                                                    \
  };                                                                                                                                  \
  spirv_execution_mode(NODE_REQUIRES_, 5069)

// ---- outputs

// Payloads for the node `node` (a string). NODE_OUTPUT(Task, Work, "worker", 4); declares the type Work, a handle of an array of payloads:
//   Work w = Work_group(n);       // allocate n payloads for the workgroup; every invocation gets the same array
//   Work w = Work_thread(n);      // allocate n payloads for each invocation
//   w.at[i].member = x;           // write and read
//   node_enqueue(w);              // send; the array is gone
//   bool ok = Work_valid();       // may be sent to
// Each call but node_enqueue takes the index in a node array as one more argument: Work_group(n, index), Work_valid(index).
// A workgroup must not allocate more than `max` payloads of a type. Allocate and enqueue in control flow that is uniform in the workgroup.
#define NODE_OUTPUT(Record, Type, node, max)                                                                  \
  spirv_decorate_string(NODE_REQUIRES_, 5635, node) NODE_STAND_IN_ node_output_##Type;                        \
  const uint node_max_##Type = max;                                                                           \
  spirv_decorate_id(NODE_REQUIRES_, 5020, node_max_##Type) spirv_storage_class(1) uint node_limit_##Type;     \
  layout(buffer_reference, NODE_LAYOUT) buffer Type {                                                         \
    Record at[];                                                                                              \
  };                                                                                                          \
  spirv_instruction(NODE_REQUIRES_, id = 5074) Type node_allocate_##Type(uint scope, uint count, uint index); \
  spirv_instruction(NODE_REQUIRES_, id = 5101) bool node_valid_(Type type, uint index);                       \
  spirv_instruction(NODE_REQUIRES_, id = 5090) uint node_count(Type payloads);                                \
  Type Type##_group(const uint count) { return node_allocate_##Type(2u, count, 0u); }                         \
  Type Type##_group(const uint count, const uint index) { return node_allocate_##Type(2u, count, index); }    \
  Type Type##_thread(const uint count) { return node_allocate_##Type(4u, count, 0u); }                        \
  Type Type##_thread(const uint count, const uint index) { return node_allocate_##Type(4u, count, index); }   \
  bool Type##_valid() { return node_valid_(Type(uvec2(0u)), 0u); }                                            \
  bool Type##_valid(const uint index) { return node_valid_(Type(uvec2(0u)), index); }                         \
  spirv_instruction(NODE_REQUIRES_, id = 5075) void node_enqueue(Type payloads)

// Qualifiers of an output, in front of NODE_OUTPUT.
#define NODE_ARRAY(size) spirv_decorate_id(NODE_REQUIRES_, 5100, size)   // the name stands for `size` nodes, told apart by their index
#define NODE_SPARSE spirv_decorate(NODE_REQUIRES_, 5099)                 // some of them may be missing
#define NODE_BASE(index) spirv_decorate_id(NODE_REQUIRES_, 5098, index)  // added to every index
// A workgroup sends at most `n` payloads to any one node of a NODE_ARRAY; `n` is no specialisation constant. 5019 stands in for a decoration
// that SPIR-V does not have.
#define NODE_MAX_PER_NODE(n) spirv_decorate_id(NODE_REQUIRES_, 5019, n)
#define NODE_LIMIT_OF(type) spirv_decorate_string(NODE_REQUIRES_, 5636, type)  // counts against the maximum of that output: "Work"
#define NODE_NAME_ID(id) spirv_decorate(NODE_REQUIRES_, 1, id)           // the name is specialisation constant `id`

// ---- the node itself

// The shader index; 0 without it.
#define NODE_INDEX(index)               \
  const uint node_index_value_ = index; \
  spirv_execution_mode_id(NODE_REQUIRES_, 5073, node_index_value_)
// Launched with a fixed grid.
#define NODE_STATIC_GRID(x, y, z)                                  \
  const uint node_grid_x_ = x, node_grid_y_ = y, node_grid_z_ = z; \
  spirv_execution_mode_id(NODE_REQUIRES_, 5072, node_grid_x_, node_grid_y_, node_grid_z_)
// Launched with the grid in the payload's NODE_GRID member, which is nowhere larger than this.
#define NODE_MAX_GRID(x, y, z)                                                 \
  const uint node_max_grid_x_ = x, node_max_grid_y_ = y, node_max_grid_z_ = z; \
  spirv_execution_mode_id(NODE_REQUIRES_, 5077, node_max_grid_x_, node_max_grid_y_, node_max_grid_z_)
// How often the node may enqueue itself along one chain.
#define NODE_RECURSION(levels)               \
  const uint node_recursion_value_ = levels; \
  spirv_execution_mode_id(NODE_REQUIRES_, 5071, node_recursion_value_)
// Whether the application may launch it; true without it.
#define NODE_API_ENTRY(is_entry)               \
  const bool node_api_entry_value_ = is_entry; \
  spirv_execution_mode_id(NODE_REQUIRES_, 5070, node_api_entry_value_)
// Runs whenever the node (name, index) runs, on the same payload. Needs a readonly input. NODE_NAME_ID may stand in front.
#define NODE_SHARES_INPUT(node, index)                                                 \
  spirv_decorate_string(NODE_REQUIRES_, 5635, node) NODE_STAND_IN_ node_shares_input_; \
  const uint node_shares_index_value_ = index;                                         \
  spirv_decorate_id(NODE_REQUIRES_, 5098, node_shares_index_value_) spirv_storage_class(1) uint node_shares_index_

// Built-ins: the shader index under which this node runs, and how often it may still enqueue itself.
spirv_decorate(NODE_REQUIRES_, 11, 5073) spirv_storage_class(1) uint node_shader_index;
spirv_decorate(NODE_REQUIRES_, 11, 5021) spirv_storage_class(1) uint node_remaining_recursion;

// True in the last workgroup of the launch that calls it: it sees what all others wrote to the input. Call it in uniform control flow; it waits for
// the workgroup.
spirv_instruction(NODE_REQUIRES_, id = 5078) bool node_finish_writing_(uint input_payload);
#define node_finish_writing() node_finish_writing_(0u)

#endif
