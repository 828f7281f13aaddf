// SPDX-License-Identifier: Apache-2.0
// MakeTopology: nodes and wiring.
#include <algorithm>
#include <set>

#include "tests/random/generate.h"
#include "tests/random/node_kind.h"
#include "tests/random/random.h"
#include "tests/random/semantics.h"

namespace trellis::test::random_graphs {
namespace {

constexpr uint32_t kFewestNodes = 3;
constexpr uint32_t kMaxNodes = 11;
constexpr uint32_t kCandidates = 10;
constexpr uint32_t kMaxTries = 1000;

bool IsSupported(const NodeKind& kind, const Abilities& abilities) {
  const uint32_t bits = kind.input.grid.components == 0 ? 32 : kind.input.grid.bits;
  return (abilities.int8 || bits != 8) && (abilities.int16 || bits != 16) &&
         (abilities.vulkan_memory_model || !kind.vulkan_memory_model) && (abilities.mesh_nodes || !kind.is_mesh);
}

// Whether an output with this base can name all the indices; a dense one, those and no others.
bool Reaches(const OutputForm& form, uint32_t base, const std::vector<uint32_t>& indices) {
  if (!form.dense) return indices.front() >= base;
  return indices.front() == base && indices.back() - indices.front() + 1 == indices.size();
}

class TopologyMaker {
 public:
  TopologyMaker(uint32_t seed, const Abilities& abilities) : random_(Hash(seed, 0x70b0)), abilities_(abilities) {}

  Topology Run() {
    for (uint32_t count = random_.Between(kFewestNodes, kMaxNodes); nodes_.size() < count;) {
      AddNode();
      while (nodes_.size() < count && random_.OneIn(4)) AddSharer();
    }
    return {std::move(nodes_)};
  }

 private:
  // Nodes that an output of this form may lead to, the numbers below `end`.
  std::vector<uint32_t> Targets(const OutputForm& form, uint32_t base, uint32_t end) const {
    std::vector<uint32_t> targets;
    for (uint32_t number = 0; number < end; ++number) {
      if (form.record_words == KindOf(number).input.record_words && Reaches(form, base, nodes_[number].indices))
        targets.push_back(number);
    }
    return targets;
  }

  const NodeKind& KindOf(uint32_t node) const { return NodeKinds()[nodes_[node].kind]; }

  struct Choice {
    uint32_t kind = kNobody;
    uint32_t variant = 0;
  };

  // Outputs that would lead somewhere; nothing good if a dense one does not.
  int Connections(const Choice& choice, uint32_t end) const {
    const NodeKind& kind = NodeKinds()[choice.kind];
    const Variant variant = VariantOf(choice.kind, choice.variant);
    int connections = 0;
    for (uint32_t o = 0; o < kind.outputs.size(); ++o) {
      const bool connected = !Targets(kind.outputs[o], variant.base[o], end).empty();
      if (!connected && kind.outputs[o].dense) return -100;
      connections += connected ? 2 : -1;
    }
    return connections;
  }

  // Of some that are there, the one that can be connected best.
  template <typename Suits>
  Choice PickKind(uint32_t end, const Suits& suits) {
    Choice best;
    int most = -50;
    for (uint32_t tries = 0; tries < kMaxTries && (tries < kCandidates || best.kind == kNobody); ++tries) {
      const Choice candidate = {random_.Below(static_cast<uint32_t>(NodeKinds().size())), random_.Below(kVariants)};
      const NodeKind& kind = NodeKinds()[candidate.kind];
      if (!IsSupported(kind, abilities_) || !suits(kind)) continue;
      const int connections = Connections(candidate, end);
      if (connections <= most) continue;
      most = connections;
      best = candidate;
    }
    return best;
  }

  void AddNode() {
    const auto number = static_cast<uint32_t>(nodes_.size());
    Add(PickKind(number, [](const NodeKind& kind) { return !kind.shares_input; }), number);
  }

  // Of the newest node, unless that shares one itself: then of the same.
  void AddSharer() {
    const auto newest = static_cast<uint32_t>(nodes_.size()) - 1;
    const uint32_t sharee = nodes_[newest].shares ? nodes_[newest].shares->node : newest;
    const uint32_t words = KindOf(sharee).input.record_words;
    // A node that writes its input must not have readers at the same time.
    if (KindOf(sharee).input.overwrites) return;
    const Choice choice = PickKind(
        sharee, [words](const NodeKind& kind) { return kind.shares_input && kind.input.record_words == words; });
    if (choice.kind == kNobody) return;
    Add(choice, sharee);
    const std::vector<uint32_t>& indices = nodes_[sharee].indices;
    nodes_.back().shares = nodes_[newest].shares ? nodes_[newest].shares : Sharing{sharee, random_.Pick(indices)};
  }

  // `end`: outputs may lead to nodes below, and to the new one.
  void Add(const Choice& choice, uint32_t end) {
    const NodeKind& kind = NodeKinds()[choice.kind];
    const Variant variant = VariantOf(choice.kind, choice.variant);
    Node node;
    node.kind = choice.kind;
    node.variant = choice.variant;
    node.coalesce = variant.coalesce;
    MakeIndices(node);
    if (kind.input.launch == Launch::kStaticGrid) {
      for (uint32_t& side : node.grid) side = random_.Between(1, 3);
    } else {
      // The records of a node without a grid in them have it from the bound.
      for (uint32_t i = 0; i < kind.input.grid.components; ++i) node.grid[i] = random_.Between(1, 5);
    }
    if (kind.can_recurse && random_.Below(3) != 0) node.recursion = random_.Between(1, 3);
    for (uint32_t o = 0; o < kind.outputs.size(); ++o)
      node.outputs.push_back(MakeOutput(node, kind.outputs[o], {kNobody, variant.base[o], variant.most[o]}, end));
    nodes_.push_back(std::move(node));
  }

  // Shader indices whose places are free.
  void MakeIndices(Node& node) {
    do {
      node.indices = {random_.OneIn(3) ? 0 : kVariantBase + (random_.OneIn(2) ? 0 : random_.Below(32))};
      const uint32_t others = random_.OneIn(2) ? 0 : random_.Between(1, 3);
      const bool holes = random_.OneIn(2);
      for (uint32_t i = 0; i < others; ++i)
        node.indices.push_back(node.indices.back() + (holes ? random_.Between(1, 4) : 1));
    } while (!IsFree(node));
    for (const uint32_t index : node.indices) taken_.insert(node.variant * kIndices + index);
  }

  bool IsFree(const Node& node) const {
    return std::none_of(node.indices.begin(), node.indices.end(),
                        [&](uint32_t index) { return taken_.count(node.variant * kIndices + index) != 0; });
  }

  // Connects an output of a node that is about to be added.
  Output MakeOutput(const Node& node, const OutputForm& form, Output output, uint32_t end) {
    std::vector<uint32_t> targets = Targets(form, output.base, end);
    const bool may_recurse = node.recursion != 0 && form.record_words == NodeKinds()[node.kind].input.record_words &&
                             Reaches(form, output.base, node.indices);
    // As good as two other targets, so that there is recursion.
    if (may_recurse) targets.insert(targets.end(), 2, static_cast<uint32_t>(nodes_.size()));
    if (targets.empty() || (!form.dense && random_.OneIn(12))) return output;
    // Nodes with larger numbers have more below them: chains get longer.
    output.target = std::max(random_.Pick(targets), random_.Pick(targets));
    return output;
  }

  Random random_;
  const Abilities abilities_;
  std::vector<Node> nodes_;
  std::set<uint32_t> taken_;
};

}  // namespace

Topology MakeTopology(uint32_t number, const Abilities& abilities) { return TopologyMaker(number, abilities).Run(); }

}  // namespace trellis::test::random_graphs
