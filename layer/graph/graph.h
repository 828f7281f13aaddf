// SPDX-License-Identifier: Apache-2.0
// An execution graph after linking: nodes, the slots that receive records, and who can send how much to whom. Plain
// data, immutable once LinkGraph returned it, so any thread may read it. No Vulkan and no address in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "meta_shaders/shared/graph_data.h"
#include "spirv_lowering/reflect/node_info.h"

namespace trellis {

inline constexpr uint32_t kNoNode = 0xffffffffu;

// One node as the application gave it: the final name and index (after VkPipelineShaderStageNodeCreateInfoAMDX), never
// the entry point's.
struct NodeSource {
  std::string name;
  uint32_t index = 0;
  spirv::NodeInfo info;
};

struct Node {
  std::string name;
  uint32_t index = 0;
  spirv::NodeInfo info;
  // Slots of the node: first_slot has remaining recursion N = info.max_recursion, first_slot + k has N - k; slot_count
  // is N + 1.
  uint32_t first_slot = 0;
  uint32_t slot_count = 1;
  // Nodes that share this one's input (SharesInputWithAMDX), in order of their node index: they run whenever it runs.
  std::vector<uint32_t> sharers;
  uint32_t input_bytes = 0;  // of a payload that the API sends: what the node or one of its sharers reads
};

// Where an allocation with this shader index (base index included) goes.
struct Target {
  uint32_t shader_index = 0;
  uint32_t slot = 0;
  auto operator<=>(const Target&) const = default;
};

struct SlotEdge {
  uint32_t slot = 0;
  uint64_t payloads = 0;  // most payloads that one workgroup can send there, over all outputs
};

struct Slot {
  uint32_t node = 0;
  uint32_t remaining_recursion = 0;
  uint32_t record_stride = 0;  // bytes; fits every payload that can be sent here. 0: empty payloads
  // By output (the order of NodeInfo::outputs): what each shader index resolves to, sorted by shader index. Indices
  // that are not listed have no node.
  std::vector<std::vector<Target>> outputs;
  std::vector<SlotEdge> edges;  // sorted by slot, no duplicates
  // Most bytes, in multiples of 16, that the allocations of one workgroup take from the heap, headers included.
  uint64_t heap_bytes = 0;

  // Whether a workgroup can send anything to the slot `target`.
  [[nodiscard]] bool SendsTo(uint32_t target) const;
};

// What one dispatch of a level runs: a node, in the state of its slot `slot`, on the records of slot `input`. The two
// differ for nodes that share an input, which run in the state of their own entry slot.
struct Launch {
  uint32_t slot = 0;
  uint32_t input = 0;
  bool operator==(const Launch&) const = default;
};

struct Graph {
  std::vector<Node> nodes;  // the position is the node index of the API
  std::vector<Slot> slots;
  std::vector<uint32_t> nodes_by_name;  // node indices, sorted by (name, index)
  std::vector<uint32_t> severed_nodes;  // node indices; what they send by a dynamic index to their own name is lost
  bool has_mesh_nodes = false;
  uint32_t depth = 0;                 // longest chain, in slots; a graph of leaves has 1
  uint32_t launch_count = 0;          // of all slots; no level has more
  uint32_t dynamic_launch_count = 0;  // those whose grids come from records
  uint32_t search_index_count = 0;    // those of them that have a search index
  uint32_t mesh_launch_count = 0;     // of all slots, those of mesh nodes
  uint32_t largest_record =
      0;  // bytes: no record that any node writes or reads is larger, those without a target included

  // kNoNode if there is none.
  [[nodiscard]] uint32_t FindNode(std::string_view name, uint32_t index) const;
  // The slot that receives what the API or another node sends to a node.
  [[nodiscard]] uint32_t EntrySlot(uint32_t node) const { return nodes[node].first_slot; }
  [[nodiscard]] const Node& NodeOf(uint32_t slot) const { return nodes[slots[slot].node]; }
  // Appends what runs on the records of a slot: the slot's own launch, then those of its node's sharers.
  void AppendLaunches(uint32_t slot, std::vector<Launch>& launches) const;
  // Words of state per record of a slot, over all launches that read it.
  [[nodiscard]] uint32_t StateWords(uint32_t slot) const;
  // Region index of the heap: one past the last slot.
  [[nodiscard]] uint32_t HeapSlot() const { return static_cast<uint32_t>(slots.size()); }
};

}  // namespace trellis
