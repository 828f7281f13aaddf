// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/link.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "layer/graph/describe.h"
#include "layer/graph/link_order.h"
#include "layer/graph/region_layout.h"
#include "layer/graph/saturating.h"

namespace trellis {
namespace {

constexpr uint32_t kMaxRecordBytes = 1u << 30;
constexpr uint32_t kMaxGridOffset = 0xffff;  // LaunchPlan::grid_member
constexpr size_t kMaxNodesOfInput = 256;

enum class LinkKind : uint8_t {
  kEdge,       // may be allocated
  kRecursion,  // may be allocated; the node itself
  kQuery,      // only ever asked for (OpIsNodePayloadValidAMDX), and the same for the node itself
  kRecursionQuery,
  // A dynamic index of the node's own name that is not its own. Forbidden by the extension's proposal; it works as long
  // as no cycle comes of it, within the output's array or at all.
  kTentative,
};

struct OutputLink {
  uint32_t node = 0;
  LinkKind kind = LinkKind::kEdge;

  [[nodiscard]] bool IsSelf() const { return kind == LinkKind::kRecursion || kind == LinkKind::kRecursionQuery; }
  [[nodiscard]] bool Allocates() const {
    return kind == LinkKind::kEdge || kind == LinkKind::kRecursion || kind == LinkKind::kTentative;
  }
};

class Linker {
 public:
  Linker(std::vector<NodeSource> sources, uint32_t max_depth, LinkScope scope) : max_depth_(max_depth), scope_(scope) {
    for (NodeSource& source : sources)
      graph_.nodes.push_back({std::move(source.name), source.index, std::move(source.info), 0, 1, {}, 0});
    links_.resize(graph_.nodes.size());
  }

  Expected<Graph> Link() {
    for (auto step : {&Linker::SortNames, &Linker::CheckNodes, &Linker::ResolveSharing, &Linker::ResolveOutputs,
                      &Linker::OrderNodesAndCheckDepth})
      if (Expected<void> done = (this->*step)(); !done) return done.error();
    FillSlots();
    return std::move(graph_);
  }

 private:
  std::string Label(uint32_t node) const { return NodeLabel(graph_.nodes[node].name, graph_.nodes[node].index); }

  Expected<void> SortNames() {
    std::vector<uint32_t>& order = graph_.nodes_by_name;
    for (uint32_t node = 0; node < graph_.nodes.size(); ++node) order.push_back(node);
    std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
      const Node& left = graph_.nodes[a];
      const Node& right = graph_.nodes[b];
      return std::tie(left.name, left.index, a) < std::tie(right.name, right.index, b);
    });
    for (size_t i = 1; i < order.size(); ++i) {
      const Node& left = graph_.nodes[order[i - 1]];
      const Node& right = graph_.nodes[order[i]];
      if (left.name != right.name) continue;
      if (left.index == right.index) return Error{"two nodes are called " + Label(order[i]) + " (VUID 09134)"};
      if (left.info.execution_model != right.info.execution_model)
        return Disagreement(order[i - 1], order[i], "a mesh shader", "09136");
      if ((left.info.kind == spirv::LaunchKind::kStaticGrid) != (right.info.kind == spirv::LaunchKind::kStaticGrid))
        return Disagreement(order[i - 1], order[i], "a static grid (StaticNumWorkgroupsAMDX)", "09138");
      if ((left.info.kind == spirv::LaunchKind::kCoalescing) != (right.info.kind == spirv::LaunchKind::kCoalescing))
        return Disagreement(order[i - 1], order[i], "coalescing (CoalescingAMDX)", "09137");
    }
    return {};
  }

  Error Disagreement(uint32_t a, uint32_t b, const std::string& what, const std::string& vuid) const {
    return Error{"nodes " + Label(a) + " and " + Label(b) + " have one name, but only one of them has " + what +
                 " (VUID " + vuid + ")"};
  }

  Expected<void> CheckNodes() {
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const spirv::NodeInfo& info = graph_.nodes[i].info;
      // Also what keeps the number of slots small.
      if (info.max_recursion >= max_depth_)
        return Error{"node " + Label(i) + ": MaxNodeRecursionAMDX " + std::to_string(info.max_recursion) +
                     " needs more levels than maxExecutionGraphDepth, " + std::to_string(max_depth_)};
      if (info.grid_member && info.grid_member->offset > kMaxGridOffset)
        return Error{"node " + Label(i) + ": the grid lies at byte " + std::to_string(info.grid_member->offset) +
                     " of the payload; at most " + std::to_string(kMaxGridOffset) + " is supported"};
      uint32_t largest = info.input.size;
      for (const spirv::NodeOutputInfo& output : info.outputs) largest = std::max(largest, output.payload.size);
      if (largest > kMaxRecordBytes)
        return Error{"node " + Label(i) + ": a payload of " + std::to_string(largest) + " bytes is too large"};
    }
    return {};
  }

  Expected<void> ResolveSharing() {
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const spirv::NodeInfo& info = graph_.nodes[i].info;
      if (!info.shares_input) continue;
      const uint32_t target = graph_.FindNode(info.shares_input_with_name, info.shares_input_with_index);
      if (target == kNoNode) continue;
      if (const spirv::NodeInfo& other = graph_.nodes[target].info; other.shares_input)
        return Error{"node " + Label(i) + " shares the input of " + Label(target) +
                     " (SharesInputWithAMDX), which itself shares the input of " +
                     NodeLabel(other.shares_input_with_name, other.shares_input_with_index)};
      std::vector<uint32_t>& sharers = graph_.nodes[target].sharers;
      sharers.push_back(i);
      if (sharers.size() + 1 > kMaxNodesOfInput)
        return Error{"more than " + std::to_string(kMaxNodesOfInput) + " nodes have the input of " + Label(target) +
                     ", itself included (SharesInputWithAMDX); one too many is " + Label(i)};
    }
    return {};
  }

  // The nodes with this name, in order of their index.
  std::span<const uint32_t> NodesCalled(const std::string& name) const {
    const auto& order = graph_.nodes_by_name;
    const auto name_of = [this](uint32_t node) -> const std::string& { return graph_.nodes[node].name; };
    return {std::ranges::lower_bound(order, name, {}, name_of), std::ranges::upper_bound(order, name, {}, name_of)};
  }

  Expected<void> ResolveOutputs() {
    for (uint32_t node = 0; node < graph_.nodes.size(); ++node) {
      for (const spirv::NodeOutputInfo& output : graph_.nodes[node].info.outputs) {
        Expected<std::vector<OutputLink>> links = ResolveOutput(node, output);
        if (!links) return links.error();
        links_[node].push_back(*std::move(links));
      }
    }
    return {};
  }

  Expected<std::vector<OutputLink>> ResolveOutput(uint32_t node, const spirv::NodeOutputInfo& output) const {
    std::vector<OutputLink> links;
    const std::span<const uint32_t> targets = NodesCalled(output.target_name);
    for (const uint32_t target : targets) {
      const bool constant = output.constant_indices.has_value();
      const bool allocated = !constant || std::count(output.constant_indices->begin(), output.constant_indices->end(),
                                                     graph_.nodes[target].index) != 0;
      if (target != node) {
        const bool own_name = output.target_name == graph_.nodes[node].name;
        links.push_back({target, !allocated              ? LinkKind::kQuery
                                 : own_name && !constant ? LinkKind::kTentative
                                                         : LinkKind::kEdge});
      } else if (graph_.nodes[node].info.declares_recursion) {
        links.push_back({target, allocated ? LinkKind::kRecursion : LinkKind::kRecursionQuery});
      } else if (allocated && (constant || (scope_ == LinkScope::kGraph && targets.size() == 1 && !output.sparse))) {
        return Error{"node " + Label(node) + " enqueues itself, but has no MaxNodeRecursionAMDX"};
      }
    }
    return links;
  }

  std::vector<std::vector<NodeEdge>> Successors() const {
    std::vector<std::vector<NodeEdge>> successors(graph_.nodes.size());
    for (uint32_t node = 0; node < graph_.nodes.size(); ++node) {
      for (const std::vector<OutputLink>& output : links_[node])
        for (const OutputLink& link : output)
          if (link.Allocates() && !link.IsSelf()) successors[node].push_back({link.node, 1});
      for (uint32_t sharer : graph_.nodes[node].sharers) successors[node].push_back({sharer, 0});
    }
    return successors;
  }

  // The nodes whose names' dynamic indices have a part in the cycle.
  std::vector<uint32_t> NodesWithTentativeLinksIn(const std::vector<uint32_t>& cycle) const {
    std::set<std::string_view> names;
    for (size_t i = 0; i < cycle.size(); ++i)
      for (const std::vector<OutputLink>& output : links_[cycle[i]])
        for (const OutputLink& link : output)
          if (link.kind == LinkKind::kTentative && link.node == cycle[(i + 1) % cycle.size()])
            names.insert(graph_.nodes[cycle[i]].name);
    std::vector<uint32_t> nodes;
    for (uint32_t node = 0; node < graph_.nodes.size(); ++node)
      if (names.contains(graph_.nodes[node].name)) nodes.push_back(node);
    return nodes;
  }

  // Drops tentative links to indices outside the array of PayloadNodeArraySizeAMDX, which begins at the base index.
  // Returns whether there were any.
  bool DropTentativeLinksOutsideArrays(const std::vector<uint32_t>& nodes) {
    size_t dropped = 0;
    for (const uint32_t node : nodes)
      for (size_t i = 0; i < links_[node].size(); ++i) {
        const spirv::NodeOutputInfo& output = graph_.nodes[node].info.outputs[i];
        if (output.array_size == 0) continue;
        dropped += std::erase_if(links_[node][i], [&](const OutputLink& link) {
          return link.kind == LinkKind::kTentative &&
                 graph_.nodes[link.node].index - output.base_index >= output.array_size;
        });
      }
    return dropped != 0;
  }

  // What is left of the indices is the node itself, or nothing.
  void DropTentativeLinks(const std::vector<uint32_t>& nodes) {
    for (const uint32_t node : nodes) {
      size_t dropped = 0;
      for (std::vector<OutputLink>& output : links_[node])
        dropped += std::erase_if(output, [](const OutputLink& link) { return link.kind == LinkKind::kTentative; });
      if (dropped != 0 && !graph_.nodes[node].info.declares_recursion) graph_.severed_nodes.push_back(node);
    }
  }

  bool Recurses(uint32_t node) const {
    for (const std::vector<OutputLink>& output : links_[node])
      for (const OutputLink& link : output)
        if (link.kind == LinkKind::kRecursion) return true;
    return false;
  }

  // `successors`: what the cycle was found in.
  Error Cycle(const std::vector<uint32_t>& cycle, const std::vector<std::vector<NodeEdge>>& successors) const {
    std::string path = Label(cycle.front());
    std::string sharing;
    for (size_t i = 0; i < cycle.size(); ++i) {
      const uint32_t from = cycle[i];
      const uint32_t to = cycle[(i + 1) % cycle.size()];
      path += " -> " + Label(to);
      if (std::none_of(successors[from].begin(), successors[from].end(),
                       [to](const NodeEdge& edge) { return edge.node == to && edge.distance == 1; }))
        sharing += "; " + Label(to) + " runs with " + Label(from) + ", whose input it shares";
    }
    return Error{"a cycle of nodes; only a node that enqueues itself may close one: " + path + sharing};
  }

  Expected<void> OrderNodesAndCheckDepth() {
    std::vector<std::vector<NodeEdge>> successors = Successors();
    NodeOrder order = OrderNodes(successors);
    // Each iteration takes the last links of a name, or those outside of its arrays.
    while (!order.cycle.empty()) {
      const std::vector<uint32_t> nodes = NodesWithTentativeLinksIn(order.cycle);
      if (nodes.empty()) return Cycle(order.cycle, successors);
      if (!DropTentativeLinksOutsideArrays(nodes)) DropTentativeLinks(nodes);
      successors = Successors();
      order = OrderNodes(successors);
    }
    std::sort(graph_.severed_nodes.begin(), graph_.severed_nodes.end());

    std::vector<uint64_t> levels(graph_.nodes.size(), 1);
    for (uint32_t node = 0; node < graph_.nodes.size(); ++node)
      if (Recurses(node)) levels[node] += graph_.nodes[node].info.max_recursion;
    const std::vector<uint64_t> depths = ChainDepths(successors, order.order, levels);
    for (uint32_t node = 0; node < graph_.nodes.size(); ++node) {
      if (depths[node] > max_depth_)
        return Error{"the longest chain that ends with node " + Label(node) + " has " + std::to_string(depths[node]) +
                     " levels, more than maxExecutionGraphDepth, " + std::to_string(max_depth_)};
      graph_.depth = std::max(graph_.depth, static_cast<uint32_t>(depths[node]));
    }
    return {};
  }

  void FillSlots() {
    uint32_t slot_count = 0;
    for (Node& node : graph_.nodes) {
      node.first_slot = slot_count;
      node.slot_count = node.info.max_recursion + 1;
      slot_count += node.slot_count;
    }
    const std::vector<uint32_t> strides = RecordStrides();
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i)
      for (uint32_t left = graph_.nodes[i].slot_count; left-- > 0;) graph_.slots.push_back(MakeSlot(i, left, strides));
    for (Node& node : graph_.nodes) {
      graph_.has_mesh_nodes |= node.info.IsMesh();
      graph_.launch_count += node.slot_count * static_cast<uint32_t>(1 + node.sharers.size());
      graph_.dynamic_launch_count += node.slot_count * LaunchesOf(node, [](const spirv::NodeInfo& info) {
                                       return info.kind == spirv::LaunchKind::kDynamicGrid;
                                     });
      graph_.search_index_count += node.slot_count * LaunchesOf(node, std::mem_fn(&spirv::NodeInfo::UsesSearchIndex));
      graph_.mesh_launch_count += node.slot_count * LaunchesOf(node, std::mem_fn(&spirv::NodeInfo::IsMesh));
      node.input_bytes = node.info.input.size;
      for (uint32_t sharer : node.sharers)
        node.input_bytes = std::max(node.input_bytes, graph_.nodes[sharer].info.input.size);
    }
  }

  // Returns the launches of a slot: its own and those of nodes that share its input, as far as `counts` accepts them.
  template <typename Counts>
  uint32_t LaunchesOf(const Node& node, const Counts& counts) const {
    const auto sharers = std::count_if(node.sharers.begin(), node.sharers.end(),
                                       [&](uint32_t sharer) { return counts(graph_.nodes[sharer].info); });
    return static_cast<uint32_t>(sharers) + (counts(node.info) ? 1 : 0);
  }

  // What a node reads of a record.
  static spirv::PayloadLayout ReadBy(const spirv::NodeInfo& info) {
    if (info.kind != spirv::LaunchKind::kDynamicGrid) return info.input;
    // A node without a declared payload has an implicit one: its grid, three words.
    const spirv::GridMember grid = info.grid_member.value_or(spirv::GridMember{0, 4, 3});
    return {std::max(info.input.size, grid.offset + grid.component_width * grid.component_count),
            std::max(info.input.alignment, grid.component_width)};
  }

  // By node. Every slot of a node has the same: a node that can enqueue to one of them can enqueue to most of them.
  std::vector<uint32_t> RecordStrides() {
    std::vector<spirv::PayloadLayout> records(graph_.nodes.size());
    const auto fit = [&records](uint32_t node, const spirv::PayloadLayout& payload) {
      records[node].size = std::max(records[node].size, payload.size);
      if (payload.size != 0) records[node].alignment = std::max(records[node].alignment, payload.alignment);
    };
    for (uint32_t node = 0; node < graph_.nodes.size(); ++node) {
      const spirv::NodeInfo& info = graph_.nodes[node].info;
      fit(node, ReadBy(info));
      for (uint32_t sharer : graph_.nodes[node].sharers) fit(node, ReadBy(graph_.nodes[sharer].info));
      for (size_t i = 0; i < info.outputs.size(); ++i) {
        const spirv::PayloadLayout& payload = info.outputs[i].payload;
        for (const OutputLink& link : links_[node][i]) fit(link.node, payload);
        graph_.largest_record = std::max(graph_.largest_record, payload.size);
      }
    }
    std::vector<uint32_t> strides;
    for (const spirv::PayloadLayout& record : records) {
      const uint32_t alignment = std::clamp(record.alignment, 4u, 16u);
      strides.push_back(static_cast<uint32_t>(SaturatingRoundUp(record.size, alignment)));
      graph_.largest_record = std::max(graph_.largest_record, strides.back());
    }
    return strides;
  }

  std::optional<uint32_t> TargetSlot(const OutputLink& link, uint32_t remaining) const {
    const Node& node = graph_.nodes[link.node];
    if (!link.IsSelf()) return node.first_slot;
    if (remaining == 0) return std::nullopt;
    return node.first_slot + node.info.max_recursion - (remaining - 1);
  }

  Slot MakeSlot(uint32_t node, uint32_t remaining, const std::vector<uint32_t>& strides) const {
    Slot slot;
    slot.node = node;
    slot.remaining_recursion = remaining;
    slot.record_stride = strides[node];
    const std::vector<spirv::NodeOutputInfo>& outputs = graph_.nodes[node].info.outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::vector<Target>& targets = slot.outputs.emplace_back();
      uint64_t heap_record = 0;
      bool allocates = false;
      for (const OutputLink& link : links_[node][i]) {
        const std::optional<uint32_t> target = TargetSlot(link, remaining);
        if (!target) continue;
        targets.push_back({graph_.nodes[link.node].index, *target});
        if (!link.Allocates()) continue;
        slot.edges.push_back({*target, outputs[i].max_payloads_per_node.value_or(outputs[i].max_payloads)});
        heap_record = std::max<uint64_t>(heap_record, std::max(strides[link.node], outputs[i].payload.size));
        allocates = true;
      }
      // At worst every payload is an allocation of its own.
      if (outputs[i].uses_heap && allocates)
        slot.heap_bytes = SaturatingAdd(
            slot.heap_bytes, SaturatingMultiply(outputs[i].max_payloads,
                                                SaturatingRoundUp(heap_record, kHeapUnit) + shared::kHeapHeaderBytes));
    }
    MergeEdges(slot.edges);
    return slot;
  }

  static void MergeEdges(std::vector<SlotEdge>& edges) {
    std::sort(edges.begin(), edges.end(), [](const SlotEdge& a, const SlotEdge& b) { return a.slot < b.slot; });
    std::vector<SlotEdge> merged;
    for (const SlotEdge& edge : edges) {
      if (merged.empty() || merged.back().slot != edge.slot)
        merged.push_back(edge);
      else
        merged.back().payloads += edge.payloads;
    }
    edges = std::move(merged);
  }

  const uint32_t max_depth_;
  const LinkScope scope_;
  Graph graph_;
  std::vector<std::vector<std::vector<OutputLink>>> links_;  // by node and output, in order of the target's index
};

}  // namespace

Expected<Graph> LinkGraph(std::vector<NodeSource> sources, uint32_t max_depth, LinkScope scope) {
  return Linker(std::move(sources), max_depth, scope).Link();
}

}  // namespace trellis
