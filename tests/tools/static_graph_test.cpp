// SPDX-License-Identifier: Apache-2.0
// The graph that modules form.
#include "tools/trellis/static_graph.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace trellis::tool {
namespace {

spirv::NodeInfo Node(uint32_t index = 0) {
  spirv::NodeInfo info;
  info.kind = spirv::LaunchKind::kStaticGrid;
  info.grid = {2, 3, 1};
  info.local_size = {32, 1, 1};
  info.shader_index = index;
  return info;
}

spirv::NodeInfo Producer(const std::string& target, std::optional<std::vector<uint32_t>> indices = std::nullopt,
                         uint32_t base = 0) {
  spirv::NodeInfo info = Node();
  spirv::NodeOutputInfo output;
  output.target_name = target;
  output.base_index = base;
  output.max_payloads = 7;
  output.payload = {12, 4};
  output.constant_indices = std::move(indices);
  info.outputs.push_back(output);
  return info;
}

TEST(StaticGraph, NodesOfAnArrayAreOneBox) {
  const StaticGraph graph =
      BuildGraph({{"a", Node(0)}, {"a", Node(1)}, {"a", Node(2)}, {"a", Node(5)}, {"b", Node(3)}, {"c", Node()}});
  ASSERT_EQ(graph.boxes.size(), 3u);
  EXPECT_EQ(graph.boxes[0].Label(), "a[0..2, 5]");
  EXPECT_EQ(graph.boxes[1].Label(), "b[3]");
  EXPECT_EQ(graph.boxes[2].Label(), "c");
  EXPECT_TRUE(graph.edges.empty());
}

TEST(StaticGraph, NodesThatDifferAreBoxesOfTheirOwn) {
  spirv::NodeInfo other = Node(1);
  other.local_size = {64, 1, 1};
  const StaticGraph graph = BuildGraph({{"a", Node(0)}, {"a", other}});
  ASSERT_EQ(graph.boxes.size(), 2u);
  EXPECT_EQ(graph.boxes[0].Label(), "a");
  EXPECT_EQ(graph.boxes[1].Label(), "a[1]");
}

TEST(StaticGraph, OutputsReachTheIndicesThatTheyMayHave) {
  spirv::NodeInfo first = Node(0), second = Node(4);
  second.local_size = {64, 1, 1};
  const auto targets = [&](const spirv::NodeInfo& producer) {
    std::vector<size_t> reached;
    for (const GraphEdge& edge : BuildGraph({{"p", producer}, {"t", first}, {"t", second}}).edges) {
      EXPECT_EQ(edge.from, 0u);
      EXPECT_EQ(edge.max_payloads, 7u);
      EXPECT_EQ(edge.payload_size, 12u);
      reached.push_back(edge.to);
    }
    return reached;
  };
  EXPECT_EQ(targets(Producer("t")), (std::vector<size_t>{1, 2}));
  EXPECT_EQ(targets(Producer("t", std::vector<uint32_t>{4})), (std::vector<size_t>{2}));
  EXPECT_EQ(targets(Producer("t", std::nullopt, 3)), (std::vector<size_t>{2}));
}

TEST(StaticGraph, NodesThatAreNotThereHaveABoxEach) {
  spirv::NodeInfo twice = Producer("gone");
  twice.outputs.push_back(twice.outputs[0]);
  const StaticGraph graph = BuildGraph({{"p", twice}, {"q", Producer("gone")}, {"r", Producer("r")}});
  ASSERT_EQ(graph.boxes.size(), 4u);
  EXPECT_TRUE(graph.boxes[3].is_missing);
  EXPECT_EQ(graph.boxes[3].Label(), "gone");
  ASSERT_EQ(graph.edges.size(), 4u);
  EXPECT_EQ(graph.edges[3].from, 2u) << "a node may enqueue to itself";
  EXPECT_EQ(graph.edges[3].to, 2u);
}

TEST(StaticGraph, SharersHangOnTheirTarget) {
  spirv::NodeInfo sharer = Node();
  sharer.shares_input = true;
  sharer.shares_input_with_name = "a";
  sharer.shares_input_with_index = 1;
  const StaticGraph graph = BuildGraph({{"s", sharer}, {"a", Node(0)}, {"a", Node(1)}});
  ASSERT_EQ(graph.edges.size(), 1u);
  EXPECT_EQ(graph.edges[0].from, 1u);
  EXPECT_EQ(graph.edges[0].to, 0u);
  EXPECT_TRUE(graph.edges[0].shares_input);
  const StaticGraph alone = BuildGraph({{"s", sharer}});
  ASSERT_EQ(alone.boxes.size(), 2u);
  EXPECT_TRUE(alone.boxes[1].is_missing);
}

TEST(StaticGraph, TextsNameEveryNodeAndEdge) {
  spirv::NodeInfo mesh = Node();
  mesh.execution_model = spirv::ExecutionModel::kMeshEXT;
  const StaticGraph graph = BuildGraph({{"say \"hi\"\\", Producer("draw")}, {"draw", mesh}});
  EXPECT_EQ(AsDot(graph),
            "digraph nodes {\n"
            "  node [shape=box, fontname=\"sans-serif\"];\n"
            "  n0 [label=\"say \\\"hi\\\"\\\\\\ngrid 2 x 3 x 1\\nworkgroup 32 x 1 x 1\"];\n"
            "  n1 [label=\"draw\\nmesh, grid 2 x 3 x 1\\nworkgroup 32 x 1 x 1\", shape=hexagon];\n"
            "  n0 -> n1 [label=\"up to 7 x 12 bytes\"];\n"
            "}\n");
  EXPECT_EQ(AsMermaid(graph),
            "flowchart TB\n"
            "  n0[\"say #quot;hi#quot;\\<br>grid 2 x 3 x 1<br>workgroup 32 x 1 x 1\"]\n"
            "  n1{{\"draw<br>mesh, grid 2 x 3 x 1<br>workgroup 32 x 1 x 1\"}}\n"
            "  n0 -- \"up to 7 x 12 bytes\" --> n1\n");
  const nlohmann::json json = nlohmann::json::parse(AsJson(graph));
  EXPECT_EQ(json["schema"], 1);
  ASSERT_EQ(json["nodes"].size(), 2u);
  EXPECT_EQ(json["nodes"][0]["name"], "say \"hi\"\\");
  EXPECT_EQ(json["nodes"][1]["info"]["stage"], "mesh");
  ASSERT_EQ(json["edges"].size(), 1u);
  EXPECT_EQ(json["edges"][0]["to"], 1);
  EXPECT_EQ(json["edges"][0]["max_payloads"], 7);
}

}  // namespace
}  // namespace trellis::tool
