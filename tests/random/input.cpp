// SPDX-License-Identifier: Apache-2.0
// MakeCase: what the nodes of a topology get and send.
#include <algorithm>

#include "tests/random/generate.h"
#include "tests/random/node_kind.h"
#include "tests/random/random.h"
#include "tests/random/semantics.h"

namespace trellis::test::random_graphs {
namespace {

// Attempts get smaller until one is within the limits; the last one sends nothing.
constexpr uint32_t kAttempts = 8;
constexpr uint32_t kMaxRootRecords = 64;

class InputMaker {
 public:
  InputMaker(uint32_t seed, const Topology& topology, uint32_t attempt)
      : random_(Hash(seed, attempt)), nodes_(topology.nodes), attempt_(attempt) {}

  Input Run() {
    Input input;
    input.salt = random_.Word();
    for (uint32_t number = 0; number < nodes_.size(); ++number) input.records.push_back(MakeRecordRule(number));
    for (const Node& node : nodes_) {
      auto& by_index = input.outputs.emplace_back();
      for (size_t i = 0; i < node.indices.size(); ++i) {
        auto& rules = by_index.emplace_back();
        for (uint32_t o = 0; o < node.outputs.size(); ++o) rules.push_back(MakeOutputRule(node, o));
      }
    }
    for (uint32_t roots = random_.Between(1, 4); roots-- > 0;) AddRoot(input.roots);
    return input;
  }

 private:
  const NodeKind& KindOf(const Node& node) const { return NodeKinds()[node.kind]; }

  // Bits of each word that the grids of the node and of those that share its input leave open.
  void ConstrainGrid(const Node& node, std::vector<uint32_t>& open) {
    const GridMember& grid = KindOf(node).input.grid;
    for (uint32_t c = 0; c < grid.components; ++c) {
      const uint32_t bit = c * grid.bits;
      const uint32_t most = random_.Between(random_.OneIn(6) ? 0 : 1, node.grid[c]);
      uint32_t& word = open[grid.first_word + bit / 32];
      const uint32_t field = grid.bits == 32 ? ~0u : ((1u << grid.bits) - 1) << (bit % 32);
      word &= ~field | (most << (bit % 32));
    }
  }

  RecordRule MakeRecordRule(uint32_t number) {
    const uint32_t words = KindOf(nodes_[number]).input.record_words;
    std::vector<uint32_t> open(words, ~0u);
    ConstrainGrid(nodes_[number], open);
    for (const Node& sharer : nodes_) {
      if (sharer.shares && sharer.shares->node == number) ConstrainGrid(sharer, open);
    }
    RecordRule rule = {open, std::vector<uint32_t>(words)};
    for (uint32_t w = 0; w < words; ++w) {
      if (open[w] == ~0u) continue;
      // Grids: every bit is always set, or depends.
      rule.set[w] = open[w] & random_.Word();
      rule.mask[w] = open[w] & ~rule.set[w];
    }
    return rule;
  }

  OutputRule MakeOutputRule(const Node& node, uint32_t o) {
    const Output& output = node.outputs[o];
    const OutputForm& form = KindOf(node).outputs[o];
    OutputRule rule;
    rule.most = random_.OneIn(8) ? 0 : random_.Between(1, output.most);
    if (attempt_ >= 3) rule.most = std::min(rule.most, 1u);
    if (attempt_ >= 5 && random_.OneIn(2)) rule.most = 0;
    if (attempt_ + 1 == kAttempts) rule.most = 0;
    if (form.late) rule.quarters = random_.Below(5);
    if (output.target == kNobody) {
      rule.indices = {output.base + random_.Below(4)};
    } else if (&nodes_[output.target] != &node) {
      const std::vector<uint32_t>& indices = nodes_[output.target].indices;
      for (uint32_t count = random_.Between(1, 4); count-- > 0;) {
        const bool hole = !form.dense && random_.OneIn(4);
        rule.indices.push_back(hole ? random_.Between(output.base, indices.back() + 2) : random_.Pick(indices));
      }
      // Nearly everything to one of them.
      if (random_.OneIn(2)) rule.indices.insert(rule.indices.end(), random_.Between(3, 15), rule.indices.front());
    }
    return rule;
  }

  void AddRoot(std::vector<Root>& roots) {
    std::vector<uint32_t> entries;
    for (uint32_t number = 0; number < nodes_.size(); ++number) {
      if (KindOf(nodes_[number]).is_api_entry && !nodes_[number].shares) entries.push_back(number);
    }
    if (entries.empty()) return;
    Root root;
    // Nodes with larger numbers have more below them.
    root.node = std::max(random_.Pick(entries), random_.Pick(entries));
    root.index = random_.Pick(nodes_[root.node].indices);
    root.repeat = random_.OneIn(8);
    root.padding = random_.OneIn(4) ? random_.Between(1, 3) : 0;
    const uint32_t most = std::max(1u, kMaxRootRecords >> attempt_);
    for (uint32_t records = random_.OneIn(10) ? 0 : random_.Between(1, most); records-- > 0;)
      root.seeds.push_back(random_.Word());
    roots.push_back(std::move(root));
  }

  Random random_;
  const std::vector<Node>& nodes_;
  const uint32_t attempt_;
};

}  // namespace

Case MakeCase(uint32_t seed, const Topology& topology) {
  Case made = {{seed, topology, {}}, {}};
  for (uint32_t attempt = 0; attempt < kAttempts; ++attempt) {
    made.graph.input = InputMaker(seed, topology, attempt).Run();
    if (std::optional<Outcome> outcome = Execute(made.graph)) {
      made.expected = *std::move(outcome);
      break;
    }
  }
  return made;
}

}  // namespace trellis::test::random_graphs
