// SPDX-License-Identifier: Apache-2.0
// Short ways to say what a node is. Sizes in bytes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "layer/graph/graph.h"
#include "layer/graph/link.h"
#include "layer/graph/memory_plan.h"

namespace trellis::test {

inline constexpr uint32_t kMaxDepth = 128;

// A node with a static grid of 1x1x1 and a 16-byte payload until told otherwise.
class NodeBuilder {
 public:
  explicit NodeBuilder(std::string name, uint32_t index = 0);

  NodeBuilder& Payload(uint32_t size, uint32_t alignment = 4);
  NodeBuilder& Static(uint32_t x, uint32_t y = 1, uint32_t z = 1);
  NodeBuilder& Dynamic(uint32_t x = 0, uint32_t y = 0, uint32_t z = 0);
  NodeBuilder& Coalescing(uint32_t most);
  NodeBuilder& Packed(uint32_t workgroups);
  NodeBuilder& Recursion(uint32_t levels);
  NodeBuilder& SharesInput(std::string name, uint32_t index = 0);
  NodeBuilder& Mesh();
  NodeBuilder& WritesInput();
  // An output whose index is only known on the device.
  NodeBuilder& To(std::string target, uint32_t max_payloads = 1, uint32_t payload_size = 16);
  // An output that allocates for these indices only.
  NodeBuilder& ToIndices(std::string target, std::vector<uint32_t> indices, uint32_t max_payloads = 1,
                         uint32_t payload_size = 16);

  // The output that came last shares its limit with the one before it.
  NodeBuilder& SharesLimit();
  // No workgroup can break the limit of the output that came last.
  NodeBuilder& LimitHolds();

  NodeSource source;
  spirv::NodeOutputInfo& LastOutput() { return source.info.outputs.back(); }
};

[[nodiscard]] std::vector<NodeSource> Sources(std::initializer_list<NodeBuilder> nodes);
// "top", and behind it `nodes` nodes "hop", each of which may send to any later one.
[[nodiscard]] std::vector<NodeSource> RowSources(uint32_t nodes);
// The graph, which must link; a failure fails the test and gives an empty graph.
[[nodiscard]] Graph MustLink(std::initializer_list<NodeBuilder> nodes);
[[nodiscard]] Graph MustLink(std::vector<NodeSource> sources);
// Why the graph does not link; linking it fails the test.
[[nodiscard]] std::string LinkError(std::initializer_list<NodeBuilder> nodes, uint32_t max_depth = kMaxDepth);

// PlanMemory with the joint bounds of this graph.
[[nodiscard]] GraphPlan PlanWith(const Graph& graph, const LevelSchedule& schedule, std::span<const RootCount> roots,
                                 const MemoryLimits& limits);

// The slot of a node by name, with `remaining` recursion levels; without, the entry slot.
[[nodiscard]] uint32_t SlotOf(const Graph& graph, const std::string& name, uint32_t index = 0);
[[nodiscard]] uint32_t SlotOf(const Graph& graph, const std::string& name, uint32_t index, uint32_t remaining);

}  // namespace trellis::test
