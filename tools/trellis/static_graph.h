// SPDX-License-Identifier: Apache-2.0
// The graph that nodes of several modules form, as far as the modules tell: for people and for programs.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "spirv_lowering/reflect/node_info.h"

namespace trellis::tool {

// Nodes of one name that differ in their shader index alone, or a node that none of the modules has.
struct GraphBox {
  std::string name;
  std::set<uint32_t> indices;
  bool is_missing = false;
  spirv::NodeInfo info;  // of the one with the smallest index

  // "name", "name[3]" or "name[0..7]", with several ranges where there are gaps.
  [[nodiscard]] std::string Label() const;
};

struct GraphEdge {
  size_t from = 0;  // positions in StaticGraph::boxes
  size_t to = 0;
  bool shares_input = false;  // `to` runs whenever `from` does, on the same payloads
  uint32_t max_payloads = 0;  // per workgroup of `from`
  uint32_t payload_size = 0;  // bytes
};

struct StaticGraph {
  std::vector<GraphBox> boxes;
  std::vector<GraphEdge> edges;
};

struct NamedNode {
  std::string name;  // its final name; the index is NodeInfo::shader_index
  spirv::NodeInfo info;
};

[[nodiscard]] StaticGraph BuildGraph(const std::vector<NamedNode>& nodes);

// Graphviz, Mermaid, and {"schema": 1, "nodes": [...], "edges": [...]}.
[[nodiscard]] std::string AsDot(const StaticGraph& graph);
[[nodiscard]] std::string AsMermaid(const StaticGraph& graph);
[[nodiscard]] std::string AsJson(const StaticGraph& graph);

}  // namespace trellis::tool
