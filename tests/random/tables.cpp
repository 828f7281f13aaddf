// SPDX-License-Identifier: Apache-2.0
#include "tests/random/tables.h"

#include "tests/random/node_kind.h"
#include "tests/random/reference.h"
#include "tests/random/semantics.h"

namespace trellis::test::random_graphs {
namespace {

constexpr uint32_t kPaddingWord = 0xBADBADBAu;

uint32_t Budget(const Node& node, uint32_t output) {
  const NodeKind& kind = NodeKinds()[node.kind];
  return node.outputs[output].most * kind.BudgetFactor(kind.outputs[output], node.coalesce);
}

class Encoder {
 public:
  explicit Encoder(const RandomGraph& graph) : graph_(graph), words_(kPlaces * kMaxOutputs * kTableWords) {}

  std::vector<uint32_t> Run() {
    for (const RecordRule& rule : graph_.input.records) {
      record_offsets_.push_back(static_cast<uint32_t>(words_.size()));
      for (uint32_t w = 0; w < rule.mask.size(); ++w) words_.insert(words_.end(), {rule.mask[w], rule.set[w]});
    }
    const std::vector<Node>& nodes = graph_.topology.nodes;
    for (uint32_t number = 0; number < nodes.size(); ++number) {
      const Node& node = nodes[number];
      for (uint32_t i = 0; i < node.indices.size(); ++i) {
        for (uint32_t o = 0; o < node.outputs.size(); ++o) Entry(number, i, o);
      }
    }
    return std::move(words_);
  }

 private:
  void Entry(uint32_t number, uint32_t position, uint32_t output) {
    const Node& node = graph_.topology.nodes[number];
    const OutputRule& rule = graph_.input.outputs[number][position][output];
    const uint32_t target = node.outputs[output].target;
    const uint32_t place = node.variant * kIndices + node.indices[position];
    uint32_t* entry = &words_[(place * kMaxOutputs + output) * kTableWords];
    entry[kTableMost] = rule.most;
    entry[kTableQuarters] = rule.quarters;
    entry[kTableIndexCount] = static_cast<uint32_t>(rule.indices.size());
    entry[kTableIndices] = static_cast<uint32_t>(words_.size());
    entry[kTableRecord] = target == kNobody ? 0 : record_offsets_[target];
    words_.insert(words_.end(), rule.indices.begin(), rule.indices.end());
    // What is read for the node's own index, and counts for nothing.
    if (rule.indices.empty()) words_.push_back(0);
  }

  const RandomGraph& graph_;
  std::vector<uint32_t> words_;
  std::vector<uint32_t> record_offsets_;
};

}  // namespace

std::vector<uint32_t> EncodeTables(const RandomGraph& graph) { return Encoder(graph).Run(); }

uint32_t RecordStride(const RandomGraph& graph, const Root& root) {
  if (root.repeat) return 0;
  return static_cast<uint32_t>(graph.input.records[root.node].mask.size()) + root.padding;
}

std::vector<uint32_t> EncodeRecords(const RandomGraph& graph, const Root& root) {
  std::vector<uint32_t> words;
  for (const uint32_t seed : root.seeds) {
    const std::vector<uint32_t> record = MakeRecord(graph.input.records[root.node], seed);
    words.insert(words.end(), record.begin(), record.end());
    if (root.repeat) break;
    words.insert(words.end(), root.padding, kPaddingWord);
  }
  return words;
}

uint32_t MaxPayloads(const Node& node, uint32_t output) {
  const NodeKind& kind = NodeKinds()[node.kind];
  if (output != 0) return Budget(node, output);
  uint32_t most = Budget(node, 0);
  for (uint32_t o = 1; o < kind.outputs.size(); ++o) {
    if (kind.outputs[o].shares_limits) most += Budget(node, o);
  }
  return most;
}

}  // namespace trellis::test::random_graphs
