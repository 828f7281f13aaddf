// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/describe.h"

#include <algorithm>

namespace trellis {
namespace {

std::string Grid(const std::array<uint32_t, 3>& grid) {
  return std::to_string(grid[0]) + "x" + std::to_string(grid[1]) + "x" + std::to_string(grid[2]);
}

std::string LaunchText(const spirv::NodeInfo& info) {
  switch (info.kind) {
    case spirv::LaunchKind::kStaticGrid:
      return "static grid " + Grid(info.grid);
    case spirv::LaunchKind::kDynamicGrid: {
      const std::string bound = info.grid == std::array<uint32_t, 3>{} ? "" : ", at most " + Grid(info.grid);
      return "grid from its payload" + bound;
    }
    case spirv::LaunchKind::kCoalescing:
      return "coalescing up to " + std::to_string(info.coalesce);
  }
  return "";
}

std::string PackingText(const spirv::NodeInfo& info) {
  if (info.packed > 1) return ", packed by " + std::to_string(info.packed);
  return info.packing_obstacle.empty() ? "" : ", not packed because of " + info.packing_obstacle;
}

std::string NodeText(const Node& node) {
  std::string text = NodeLabel(node.name, node.index) + ": " + LaunchText(node.info) + PackingText(node.info) +
                     ", payload " + std::to_string(node.info.input.size) + " bytes";
  if (node.info.max_recursion != 0) text += ", recursion " + std::to_string(node.info.max_recursion);
  if (node.info.shares_input)
    text += ", shares the input of " + NodeLabel(node.info.shares_input_with_name, node.info.shares_input_with_index);
  return text;
}

std::string OutputText(const Graph& graph, const spirv::NodeOutputInfo& output, const std::vector<Target>& targets) {
  std::string text = "  up to " + std::to_string(output.max_payloads) + " x " + std::to_string(output.payload.size) +
                     " bytes to " + output.target_name + "[";
  constexpr size_t kMaxListed = 8;
  for (size_t i = 0; i < targets.size() && i < kMaxListed; ++i)
    text += (i == 0 ? "" : " ") + std::to_string(graph.NodeOf(targets[i].slot).index);
  if (targets.size() > kMaxListed) text += " and " + std::to_string(targets.size() - kMaxListed) + " more";
  text += "]";
  return targets.empty() ? text + ", which has no node" : text;
}

}  // namespace

std::string NodeLabel(const std::string& name, uint32_t index) { return name + "[" + std::to_string(index) + "]"; }

std::string SlotLabel(const Graph& graph, uint32_t slot) {
  if (slot == graph.HeapSlot()) return "heap";
  const Node& node = graph.NodeOf(slot);
  const std::string label = NodeLabel(node.name, node.index);
  if (node.slot_count == 1) return label;
  return label + " (" + std::to_string(graph.slots[slot].remaining_recursion) + " left)";
}

std::string LaunchLabel(const Graph& graph, Launch launch) {
  const std::string label = SlotLabel(graph, launch.slot);
  return launch.slot == launch.input ? label : label + " with the input of " + SlotLabel(graph, launch.input);
}

std::string RootLabels(const Graph& graph, std::span<const uint32_t> slots) {
  constexpr size_t kMaxListed = 8;
  std::string labels;
  for (const uint32_t slot : slots.first(std::min(slots.size(), kMaxListed))) labels += " " + SlotLabel(graph, slot);
  if (slots.size() > kMaxListed) labels += " and " + std::to_string(slots.size() - kMaxListed) + " more";
  return labels;
}

std::string DispatchLabel(const std::string& launches, uint32_t level) {
  return "node " + launches + " level " + std::to_string(level);
}

std::string DescribeGraph(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes) {
    text += NodeText(node) + "\n";
    const Slot& slot = graph.slots[node.first_slot];
    for (size_t i = 0; i < slot.outputs.size(); ++i)
      text += OutputText(graph, node.info.outputs[i], slot.outputs[i]) + "\n";
  }
  return text;
}

}  // namespace trellis
