// SPDX-License-Identifier: Apache-2.0
#include "tests/samples/samples.h"

#include <string_view>

namespace trellis::test {

GraphNode ToGraphNode(const SampleNode& node) {
  GraphNode graph_node;
  graph_node.text = node.file + (node.scalar ? " scalar" : "");  // only tells modules apart
  graph_node.entry = "main";
  graph_node.name = node.name;
  graph_node.words = CompiledNode(node);
  EXPECT_FALSE(graph_node.words.empty()) << node.file << " was not compiled";
  if (node.spec0) graph_node.specialization = {Spec(0, *node.spec0)};
  return graph_node;
}

std::vector<uint32_t> LoweredResults(Context& context, const Sample& sample) {
  GraphRun run(context, {.words = kSampleResultWords});
  for (const SampleNode& node : sample.nodes) run.Node(ToGraphNode(node));
  run.Input({.node = sample.input.node,
             .index = sample.input.index,
             .count = sample.input.count,
             .payloads = Bytes(sample.input.payloads),
             .stride = sample.input.stride});
  const testing::AssertionResult ran = run.Execute();
  EXPECT_TRUE(ran);
  if (!ran) return {};
  const std::span<const uint32_t> words = run.Words();
  return {words.begin(), words.end()};
}

bool CrashesOnPointerVariables(const Context& context) {
  return std::string_view(context.properties.deviceName).find("SwiftShader") != std::string_view::npos;
}

}  // namespace trellis::test
