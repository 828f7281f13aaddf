// SPDX-License-Identifier: Apache-2.0
// What one entry point is as a node of an execution graph: everything the linker, the planner and the replay need to
// know about a shader. Plain data, no SPIR-V in it. Sizes and offsets are bytes.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trellis::spirv {

// Execution models that nodes have.
enum class ExecutionModel : uint8_t {
  kGLCompute,
  kMeshEXT,  // a mesh node: each launch is a draw; it enqueues nothing
};

enum class LaunchKind : uint8_t {
  kStaticGrid,   // StaticNumWorkgroupsAMDX
  kDynamicGrid,  // grid in the payload, bounded by MaxNumWorkgroupsAMDX if present
  kCoalescing,   // CoalescingAMDX
};

// A payload struct's footprint: end of its last member, and how records of it are aligned: as the largest scalar in it
// is, and further as far as that takes no padding (up to 16 bytes, the widest access there is). 1 for an empty struct.
struct PayloadLayout {
  uint32_t size = 0;
  uint32_t alignment = 1;
  auto operator<=>(const PayloadLayout&) const = default;
};

enum class ScalarKind : uint8_t { kUint, kInt, kFloat, kBool };

// One number in a payload (reflect/payload_scalars.h).
struct PayloadScalar {
  std::string name;  // its path, as "lights[2].color.x"
  uint32_t offset = 0;
  ScalarKind kind = ScalarKind::kUint;
  uint32_t bits = 32;  // 8, 16, 32 or 64
  auto operator<=>(const PayloadScalar&) const = default;
};

// The member with PayloadDispatchIndirectAMDX. Missing components are 1.
struct GridMember {
  uint32_t offset = 0;
  uint32_t component_width = 4;  // 1, 2 or 4
  uint32_t component_count = 1;  // 1 to 3
  auto operator<=>(const GridMember&) const = default;
};

// One payload array type that the entry point allocates from or asks validity of.
struct NodeOutputInfo {
  std::string target_name;  // PayloadNodeNameAMDX after specialisation
  uint32_t base_index = 0;  // PayloadNodeBaseIndexAMDX
  uint32_t array_size = 0;  // PayloadNodeArraySizeAMDX, a hint only; 0 = not given
  // OpIsNodePayloadValidAMDX has the base index as its operand, of an output that is no array: compilers emit it so,
  // and it would count twice.
  bool is_asked_by_base = false;
  bool sparse = false;        // PayloadNodeSparseArrayAMDX
  uint32_t max_payloads = 0;  // NodeMaxPayloadsAMDX, per workgroup; with shared limits that of the sharing target
  // MaxRecordsPerNode (reflect/records_per_node.h): as max_payloads, but to any one node of the array. At most
  // max_payloads; nothing if not given.
  std::optional<uint32_t> max_payloads_per_node;
  // Number of the first output with the same limit (NodeSharesPayloadLimitsWithAMDX), if that is another one: a
  // workgroup sends at most max_payloads to all of them together.
  std::optional<uint32_t> shares_limit_with;
  // No workgroup can send more than max_payloads_per_node, or else max_payloads, whatever the shader computes. Where it
  // could, it must not, but nothing counts what a workgroup sends.
  bool limit_holds = false;
  PayloadLayout payload;
  // Every allocation's Node Index operand (base included) if all of them are constants, in no order, without
  // duplicates. Else nothing.
  std::optional<std::vector<uint32_t>> constant_indices;
  bool uses_heap = false;  // has allocations that are committed at enqueue; see docs/architecture/payloads.md, "Commit"
  auto operator<=>(const NodeOutputInfo&) const = default;
};

struct NodeInfo {
  std::string entry_point;  // the default node name
  ExecutionModel execution_model = ExecutionModel::kGLCompute;
  uint32_t shader_index = 0;  // ShaderIndexAMDX, else 0
  LaunchKind kind = LaunchKind::kDynamicGrid;
  std::array<uint32_t, 3> grid = {0, 0, 0};  // static: the grid. dynamic: the bound, 0 where there is none
  std::array<uint32_t, 3> local_size = {1, 1, 1};
  uint32_t coalesce = 1;  // coalescing: most records a workgroup; else 1
  // What keeps several small workgroups from running as one (reflect/packing.h); empty if nothing does, or if they are
  // not small.
  std::string packing_obstacle;
  uint32_t packed = 1;  // set by the layer: workgroups that run as one (WorkgroupsToPack)
  // Set by the layer if Strides(): most workgroups of a dispatch, which do all of a launch that has more.
  uint32_t max_workgroups = UINT32_MAX;
  // Set by the layer, for grids from records that have a bound: a launch may have as many workgroups for each record as
  // it allows; those past the record's own grid leave.
  bool launches_bounds = false;
  // Set by the layer: a launch of the node may be one of several that are dispatched as one (shared::LaunchBatch).
  // False for mesh nodes.
  bool in_batches = true;
  bool is_api_entry = true;
  bool declares_recursion = false;  // MaxNodeRecursionAMDX is there, be it 0
  uint32_t max_recursion = 0;
  bool shares_input = false;  // SharesInputWithAMDX, with the next two
  std::string shares_input_with_name;
  uint32_t shares_input_with_index = 0;
  bool has_enqueue_capability = false;  // false: a plain shader used as a leaf node

  PayloadLayout input;                    // size 0: no payload
  std::optional<GridMember> grid_member;  // dynamic grids only
  // Set by the layer, with the setting `dump_payloads`: what the input is made of.
  std::vector<PayloadScalar> input_scalars;
  bool writes_input = false;            // stores or atomics to the input payload, or finish-writing
  bool finishes_writing = false;        // OpFinishWritingNodePayloadAMDX
  std::vector<NodeOutputInfo> outputs;  // the order is that of LaunchBlock::outputs
  uint32_t push_constant_end = 0;       // highest byte of the push constant block it uses, 0 without one
  bool vulkan_memory_model = false;

  // LaunchPlan::state_words. Records can change under a node that writes them, or that looks at another node's.
  [[nodiscard]] uint32_t StateWords() const {
    if (kind == LaunchKind::kDynamicGrid) return writes_input || shares_input ? 4 : 1;
    return finishes_writing ? 1 : 0;
  }

  // Workgroups that are launched for each record, whatever its own grid is; 0: its own grid.
  [[nodiscard]] uint32_t LaunchedBound() const { return launches_bounds ? WorkgroupsOfGrid() : 0; }

  // Where bounds are launched: records that share a workgroup of the dispatch, with all that the bound allows them; 0:
  // none do.
  [[nodiscard]] uint32_t RecordsOfBounds() const {
    const uint32_t bound = LaunchedBound();
    return bound != 0 && packed > bound && packed % bound == 0 ? packed / bound : 0;
  }

  // LaunchPlan::has_search_index. Nodes that send are slower with it: it makes them larger. Runs search once.
  [[nodiscard]] bool UsesSearchIndex() const {
    return kind == LaunchKind::kDynamicGrid && outputs.empty() && max_workgroups == UINT32_MAX;
  }

  [[nodiscard]] bool IsMesh() const { return execution_model == ExecutionModel::kMeshEXT; }

  // The driver's LocalInvocationId may be wrong, its LocalInvocationIndex is not: of mesh shaders with a single column
  // of at most a subgroup, NVIDIA's driver 580.159 counts y or z in x.
  [[nodiscard]] bool DistrustsLocalId() const { return IsMesh() && local_size[0] == 1; }

  // In a workgroup of the node's own.
  [[nodiscard]] uint32_t Invocations() const { return local_size[0] * local_size[1] * local_size[2]; }

  // In `grid`, of the node's own. Reflection refuses grids of 2^32 workgroups.
  [[nodiscard]] uint32_t WorkgroupsOfGrid() const { return grid[0] * grid[1] * grid[2]; }

  auto operator<=>(const NodeInfo&) const = default;
};

}  // namespace trellis::spirv
