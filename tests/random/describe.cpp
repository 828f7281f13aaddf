// SPDX-License-Identifier: Apache-2.0
#include "tests/random/describe.h"

#include <sstream>

#include "tests/random/node_kind.h"
#include "tests/random/semantics.h"
#include "tests/random/tables.h"

namespace trellis::test::random_graphs {
namespace {

constexpr uint32_t kMaxDifferences = 8;

const char* const kResultNames[kPlaceWords] = {
    "runs",   "sum of runs",   "xor of runs",   "invocations and valid targets",
    "errors", "nobody's word", "nobody's word", "nobody's word"};

void DescribeOutput(std::ostream& out, const Node& node, uint32_t number, uint32_t o) {
  const Output& output = node.outputs[o];
  out << "    output " << o << " -> ";
  if (output.target == kNobody)
    out << "nobody";
  else
    out << (output.target == number ? "itself" : NodeName(output.target));
  out << ", base " << output.base << ", at most " << MaxPayloads(node, o) << " a workgroup\n";
}

void DescribeRules(std::ostream& out, const RandomGraph& graph, uint32_t number) {
  const Node& node = graph.topology.nodes[number];
  for (size_t i = 0; i < node.indices.size(); ++i) {
    for (size_t o = 0; o < node.outputs.size(); ++o) {
      const OutputRule& rule = graph.input.outputs[number][i][o];
      if (rule.most == 0) continue;
      out << "    [" << node.indices[i] << "] output " << o << ": up to " << rule.most;
      if (NodeKinds()[node.kind].outputs[o].late) out << ", enqueued " << rule.quarters << " times of 4";
      out << ", to";
      for (const uint32_t index : rule.indices) out << " [" << index << "]";
      out << (rule.indices.empty() ? " itself\n" : "\n");
    }
  }
}

void DescribeNode(std::ostream& out, const RandomGraph& graph, uint32_t number) {
  const Node& node = graph.topology.nodes[number];
  const NodeKind& kind = NodeKinds()[node.kind];
  out << "  " << NodeName(number);
  for (const uint32_t index : node.indices) out << " [" << index << "]";
  out << ": kind " << node.kind << ", " << DescribeKind(kind) << "\n    ";
  if (kind.Coalescing())
    out << "at most " << node.coalesce << " records a workgroup";
  else
    out << "grid " << node.grid[0] << " " << node.grid[1] << " " << node.grid[2];
  if (node.recursion != 0) out << ", recursion " << node.recursion;
  if (node.shares) out << ", shares the input of " << NodeName(node.shares->node) << " [" << node.shares->index << "]";
  out << ", results at place " << node.variant * kIndices << " + index\n";
  for (uint32_t o = 0; o < node.outputs.size(); ++o) DescribeOutput(out, node, number, o);
  DescribeRules(out, graph, number);
}

// "sum of runs of N3 [2]".
std::string Meaning(const RandomGraph& graph, size_t word) {
  const auto place = static_cast<uint32_t>(word / kPlaceWords);
  const std::string name = kResultNames[word % kPlaceWords];
  for (uint32_t number = 0; number < graph.topology.nodes.size(); ++number) {
    const Node& node = graph.topology.nodes[number];
    for (const uint32_t index : node.indices) {
      if (node.variant * kIndices + index == place)
        return name + " of " + NodeName(number) + " [" + std::to_string(index) + "]";
    }
  }
  return name + " of place " + std::to_string(place) + ", where no node is";
}

}  // namespace

std::string NodeName(uint32_t number) { return "N" + std::to_string(number); }

std::string Describe(const RandomGraph& graph) {
  std::ostringstream out;
  out << "graph of seed " << graph.seed << "\n";
  for (uint32_t number = 0; number < graph.topology.nodes.size(); ++number) DescribeNode(out, graph, number);
  for (const Root& root : graph.input.roots) {
    out << "  root: " << root.seeds.size() << " records for " << NodeName(root.node) << " [" << root.index << "]";
    if (root.repeat) out << ", stride 0";
    if (root.padding != 0) out << ", " << root.padding << " words between them";
    out << "\n";
  }
  return out.str();
}

uint32_t InitialWord(uint32_t word) { return 0x51u + word * 0x01000193u; }

std::string Differences(const RandomGraph& graph, std::span<const uint32_t> words,
                        const std::vector<uint32_t>& expected) {
  std::ostringstream out;
  uint32_t different = 0;
  for (uint32_t i = 0; i < words.size(); ++i) {
    const uint32_t initial = InitialWord(i);
    const bool is_xor = i % kPlaceWords == kXor;
    const uint32_t wanted = is_xor ? initial ^ expected[i] : initial + expected[i];
    if (words[i] == wanted || ++different > kMaxDifferences) continue;
    out << "  word " << i << " (" << Meaning(graph, i) << "): ";
    if (is_xor)
      out << (words[i] ^ initial) << ", expected " << expected[i] << "\n";
    else
      out << words[i] - initial << ", expected " << expected[i] << "\n";
  }
  if (different > kMaxDifferences) out << "  and " << different - kMaxDifferences << " more words\n";
  return out.str();
}

std::string ReplayCommand(uint32_t first, uint32_t count) {
  return "TRELLIS_TEST_RANDOM_SEED=" + std::to_string(first) + " TRELLIS_TEST_RANDOM_GRAPHS=" + std::to_string(count) +
         " trellis_random_tests";
}

}  // namespace trellis::test::random_graphs
