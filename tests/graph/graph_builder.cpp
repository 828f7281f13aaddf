// SPDX-License-Identifier: Apache-2.0
#include "tests/graph/graph_builder.h"

#include <gtest/gtest.h>

#include <utility>

namespace trellis::test {

NodeBuilder::NodeBuilder(std::string name, uint32_t index) {
  source.name = std::move(name);
  source.index = index;
  source.info.entry_point = "main";
  Static(1).Payload(16);
}

NodeBuilder& NodeBuilder::Payload(uint32_t size, uint32_t alignment) {
  source.info.input = {size, alignment};
  return *this;
}

NodeBuilder& NodeBuilder::Static(uint32_t x, uint32_t y, uint32_t z) {
  source.info.kind = spirv::LaunchKind::kStaticGrid;
  source.info.grid = {x, y, z};
  return *this;
}

NodeBuilder& NodeBuilder::Dynamic(uint32_t x, uint32_t y, uint32_t z) {
  source.info.kind = spirv::LaunchKind::kDynamicGrid;
  source.info.grid = {x, y, z};
  source.info.grid_member = spirv::GridMember{0, 4, 3};
  return *this;
}

NodeBuilder& NodeBuilder::Coalescing(uint32_t most) {
  source.info.kind = spirv::LaunchKind::kCoalescing;
  source.info.coalesce = most;
  source.info.grid = {0, 0, 0};
  return *this;
}

NodeBuilder& NodeBuilder::Packed(uint32_t workgroups) {
  source.info.packed = workgroups;
  return *this;
}

NodeBuilder& NodeBuilder::Recursion(uint32_t levels) {
  source.info.declares_recursion = true;
  source.info.max_recursion = levels;
  return *this;
}

NodeBuilder& NodeBuilder::Mesh() {
  source.info.execution_model = spirv::ExecutionModel::kMeshEXT;
  source.info.in_batches = false;
  return *this;
}

NodeBuilder& NodeBuilder::WritesInput() {
  source.info.writes_input = true;
  return *this;
}

NodeBuilder& NodeBuilder::SharesInput(std::string name, uint32_t index) {
  source.info.shares_input = true;
  source.info.shares_input_with_name = std::move(name);
  source.info.shares_input_with_index = index;
  return *this;
}

NodeBuilder& NodeBuilder::To(std::string target, uint32_t max_payloads, uint32_t payload_size) {
  spirv::NodeOutputInfo output;
  output.target_name = std::move(target);
  output.max_payloads = max_payloads;
  output.payload = {payload_size, 4};
  source.info.outputs.push_back(std::move(output));
  return *this;
}

NodeBuilder& NodeBuilder::ToIndices(std::string target, std::vector<uint32_t> indices, uint32_t max_payloads,
                                    uint32_t payload_size) {
  To(std::move(target), max_payloads, payload_size);
  LastOutput().constant_indices = std::move(indices);
  return *this;
}

NodeBuilder& NodeBuilder::SharesLimit() {
  const auto before = static_cast<uint32_t>(source.info.outputs.size()) - 2;
  LastOutput().shares_limit_with = source.info.outputs[before].shares_limit_with.value_or(before);
  return *this;
}

NodeBuilder& NodeBuilder::LimitHolds() {
  LastOutput().limit_holds = true;
  return *this;
}

std::vector<NodeSource> Sources(std::initializer_list<NodeBuilder> nodes) {
  std::vector<NodeSource> sources;
  for (const NodeBuilder& node : nodes) sources.push_back(node.source);
  return sources;
}

std::vector<NodeSource> RowSources(uint32_t nodes) {
  std::vector<NodeSource> sources = {NodeBuilder("top").To("hop").source};
  for (uint32_t node = 0; node < nodes; ++node) {
    std::vector<uint32_t> later;
    for (uint32_t next = node + 1; next < nodes; ++next) later.push_back(next);
    NodeBuilder hop("hop", node);
    if (!later.empty()) hop.ToIndices("hop", later);
    sources.push_back(hop.source);
  }
  return sources;
}

Graph MustLink(std::vector<NodeSource> sources) {
  Expected<Graph> graph = LinkGraph(std::move(sources), kMaxDepth);
  if (graph) return *std::move(graph);
  ADD_FAILURE() << graph.error().message;
  return {};
}

Graph MustLink(std::initializer_list<NodeBuilder> nodes) { return MustLink(Sources(nodes)); }

std::string LinkError(std::initializer_list<NodeBuilder> nodes, uint32_t max_depth) {
  const Expected<Graph> graph = LinkGraph(Sources(nodes), max_depth);
  if (!graph) return graph.error().message;
  ADD_FAILURE() << "the graph links";
  return "";
}

GraphPlan PlanWith(const Graph& graph, const LevelSchedule& schedule, std::span<const RootCount> roots,
                   const MemoryLimits& limits) {
  return PlanMemory(graph, LoadBounds(graph, limits.max_grid_workgroups), schedule, roots, limits);
}

uint32_t SlotOf(const Graph& graph, const std::string& name, uint32_t index) {
  const uint32_t node = graph.FindNode(name, index);
  EXPECT_NE(node, kNoNode) << name << index;
  return node == kNoNode ? 0 : graph.EntrySlot(node);
}

uint32_t SlotOf(const Graph& graph, const std::string& name, uint32_t index, uint32_t remaining) {
  const uint32_t entry = SlotOf(graph, name, index);
  const uint32_t slot = entry + graph.NodeOf(entry).info.max_recursion - remaining;
  EXPECT_EQ(graph.slots[slot].remaining_recursion, remaining);
  return slot;
}

}  // namespace trellis::test
