// SPDX-License-Identifier: Apache-2.0
#include "tools/trellis/static_graph.h"

#include <algorithm>

#include "tools/trellis/node_reports.h"

namespace trellis::tool {
namespace {

using spirv::LaunchKind;
using spirv::NodeInfo;
using spirv::NodeOutputInfo;

// Whether two nodes are elements of one array: they differ in nothing that a picture shows.
bool IsSameShader(NodeInfo a, NodeInfo b) {
  a.shader_index = b.shader_index = 0;
  a.entry_point = b.entry_point = {};
  return a == b;
}

bool MayReach(const NodeOutputInfo& output, const GraphBox& box) {
  if (output.target_name != box.name) return false;
  if (box.is_missing) return true;
  if (!output.constant_indices) return *box.indices.rbegin() >= output.base_index;
  return std::any_of(output.constant_indices->begin(), output.constant_indices->end(),
                     [&](uint32_t index) { return box.indices.count(index) != 0; });
}

class Builder {
 public:
  explicit Builder(const std::vector<NamedNode>& nodes) {
    for (const NamedNode& node : nodes) Place(node);
    // Boxes of missing nodes come behind the others.
    for (size_t from = 0; from < nodes_; ++from) Connect(from);
  }
  [[nodiscard]] StaticGraph Finish() && { return std::move(graph_); }

 private:
  void Place(const NamedNode& node) {
    for (GraphBox& box : graph_.boxes) {
      if (box.name != node.name || !IsSameShader(box.info, node.info)) continue;
      box.indices.insert(node.info.shader_index);
      return;
    }
    graph_.boxes.push_back({node.name, {node.info.shader_index}, false, node.info});
    nodes_ = graph_.boxes.size();
  }

  size_t AddMissing(const std::string& name) {
    graph_.boxes.push_back({name, {}, true, {}});
    return graph_.boxes.size() - 1;
  }

  void Connect(size_t from) {
    const NodeInfo info = graph_.boxes[from].info;
    for (const NodeOutputInfo& output : info.outputs) {
      bool found = false;
      for (size_t to = 0; to < graph_.boxes.size(); ++to) {
        if (!MayReach(output, graph_.boxes[to])) continue;
        graph_.edges.push_back({from, to, false, output.max_payloads, output.payload.size});
        found = true;
      }
      if (!found)
        graph_.edges.push_back({from, AddMissing(output.target_name), false, output.max_payloads, output.payload.size});
    }
    if (!info.shares_input) return;
    size_t target = 0;
    while (target < nodes_ && (graph_.boxes[target].name != info.shares_input_with_name ||
                               graph_.boxes[target].indices.count(info.shares_input_with_index) == 0))
      ++target;
    if (target == nodes_) target = AddMissing(info.shares_input_with_name);
    graph_.edges.push_back({target, from, true, 0, info.input.size});
  }

  StaticGraph graph_;
  size_t nodes_ = 0;  // boxes that are no missing nodes
};

std::string Number(uint64_t value) { return std::to_string(value); }

std::string By(const std::array<uint32_t, 3>& size) {
  return Number(size[0]) + " x " + Number(size[1]) + " x " + Number(size[2]);
}

std::string Launch(const NodeInfo& info) {
  switch (info.kind) {
    case LaunchKind::kStaticGrid:
      return "grid " + By(info.grid);
    case LaunchKind::kCoalescing:
      return info.Invocations() == 1 && info.coalesce == 1 ? "thread" : "coalescing " + Number(info.coalesce);
    case LaunchKind::kDynamicGrid:
      break;
  }
  return info.grid[0] == 0 ? "grid from payload" : "grid from payload, at most " + By(info.grid);
}

// Lines below a box's name.
std::vector<std::string> Details(const GraphBox& box) {
  if (box.is_missing) return {"not in these modules"};
  std::vector<std::string> lines = {Launch(box.info), "workgroup " + By(box.info.local_size)};
  if (box.info.IsMesh()) lines[0] = "mesh, " + lines[0];
  if (box.info.max_recursion != 0) lines.push_back("recursion " + Number(box.info.max_recursion));
  if (box.indices.size() > 1) lines.push_back(Number(box.indices.size()) + " nodes");
  return lines;
}

std::string EdgeLabel(const GraphEdge& edge) {
  if (edge.shares_input) return "shares input";
  return "up to " + Number(edge.max_payloads) + " x " + Number(edge.payload_size) + " bytes";
}

std::string Joined(const std::vector<std::string>& lines, const char* between) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : between) + line;
  return text;
}

std::string Replaced(std::string_view text, char from, std::string_view to) {
  std::string result;
  for (const char c : text) {
    if (c == from)
      result += to;
    else
      result += c;
  }
  return result;
}

}  // namespace

std::string GraphBox::Label() const {
  if (is_missing || indices == std::set<uint32_t>{0}) return name;
  std::string ranges;
  for (auto at = indices.begin(); at != indices.end();) {
    const uint32_t first = *at;
    uint32_t last = first;
    while (++at != indices.end() && *at == last + 1) last = *at;
    ranges += (ranges.empty() ? "" : ", ") + Number(first) + (last == first ? "" : ".." + Number(last));
  }
  return name + "[" + ranges + "]";
}

StaticGraph BuildGraph(const std::vector<NamedNode>& nodes) { return Builder(nodes).Finish(); }

std::string AsDot(const StaticGraph& graph) {
  const auto quoted = [](const std::string& text) { return Replaced(Replaced(text, '\\', "\\\\"), '"', "\\\""); };
  std::string text = "digraph nodes {\n  node [shape=box, fontname=\"sans-serif\"];\n";
  for (size_t i = 0; i < graph.boxes.size(); ++i) {
    const GraphBox& box = graph.boxes[i];
    text += "  n" + Number(i) + " [label=\"" + quoted(box.Label()) + "\\n" + Joined(Details(box), "\\n") + "\"" +
            (box.is_missing      ? ", style=dashed"
             : box.info.IsMesh() ? ", shape=hexagon"
                                 : "") +
            "];\n";
  }
  for (const GraphEdge& edge : graph.edges)
    text += "  n" + Number(edge.from) + " -> n" + Number(edge.to) + " [label=\"" + EdgeLabel(edge) + "\"" +
            (edge.shares_input ? ", style=dotted" : "") + "];\n";
  return text + "}\n";
}

std::string AsMermaid(const StaticGraph& graph) {
  const auto quoted = [](const std::string& text) { return Replaced(text, '"', "#quot;"); };
  std::string text = "flowchart TB\n";
  for (size_t i = 0; i < graph.boxes.size(); ++i) {
    const GraphBox& box = graph.boxes[i];
    const bool is_mesh = !box.is_missing && box.info.IsMesh();
    text += "  n" + Number(i) + (is_mesh ? "{{\"" : "[\"") + quoted(box.Label()) + "<br>" +
            quoted(Joined(Details(box), "<br>")) + (is_mesh ? "\"}}\n" : "\"]\n");
  }
  for (const GraphEdge& edge : graph.edges)
    text += "  n" + Number(edge.from) + (edge.shares_input ? " -. " : " -- ") + "\"" + EdgeLabel(edge) + "\"" +
            (edge.shares_input ? " .-> n" : " --> n") + Number(edge.to) + "\n";
  return text;
}

std::string AsJson(const StaticGraph& graph) {
  std::string text = "{\"schema\": 1,\n \"nodes\": [";
  for (size_t i = 0; i < graph.boxes.size(); ++i) {
    const GraphBox& box = graph.boxes[i];
    std::string indices;
    for (const uint32_t index : box.indices) indices += (indices.empty() ? "" : ", ") + Number(index);
    text += (i == 0 ? "\n  " : ",\n  ") + std::string("{\"name\": ") + JsonString(box.name) + ", \"indices\": [" +
            indices + "], \"missing\": " + (box.is_missing ? "true" : "false") +
            (box.is_missing ? "" : ", \"info\": " + AsJson(box.info)) + "}";
  }
  text += "],\n \"edges\": [";
  for (size_t i = 0; i < graph.edges.size(); ++i) {
    const GraphEdge& edge = graph.edges[i];
    text += (i == 0 ? "\n  " : ",\n  ") + std::string("{\"from\": ") + Number(edge.from) +
            ", \"to\": " + Number(edge.to) + ", \"shares_input\": " + (edge.shares_input ? "true" : "false") +
            ", \"max_payloads\": " + Number(edge.max_payloads) + ", \"payload_size\": " + Number(edge.payload_size) +
            "}";
  }
  return text + "]}\n";
}

}  // namespace trellis::tool
