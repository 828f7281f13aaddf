// SPDX-License-Identifier: Apache-2.0
#include "tests/random/shrink.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/random/node_kind.h"

namespace trellis::test::random_graphs {
namespace {

void Disconnect(RandomGraph& graph, uint32_t number, uint32_t output) {
  graph.topology.nodes[number].outputs[output].target = kNobody;
  for (auto& rules : graph.input.outputs[number]) {
    rules[output].most = 0;
    rules[output].indices = {graph.topology.nodes[number].outputs[output].base};
  }
}

// An output that is used without asking must lead somewhere.
bool MayDisconnect(const RandomGraph& graph, uint32_t number, uint32_t output) {
  const Node& node = graph.topology.nodes[number];
  return node.outputs[output].target != kNobody && !NodeKinds()[node.kind].outputs[output].dense;
}

// Takes out a node that no dense output needs and no root names, and renumbers the rest. False if that cannot be.
bool RemoveNode(RandomGraph& graph, uint32_t removed) {
  std::vector<Node>& nodes = graph.topology.nodes;
  const auto is_root = [removed](const Root& root) { return root.node == removed; };
  if (std::any_of(graph.input.roots.begin(), graph.input.roots.end(), is_root)) return false;
  for (uint32_t number = 0; number < nodes.size(); ++number) {
    if (number == removed) continue;
    if (nodes[number].shares && nodes[number].shares->node == removed) return false;
    for (uint32_t o = 0; o < nodes[number].outputs.size(); ++o) {
      if (nodes[number].outputs[o].target != removed) continue;
      if (!MayDisconnect(graph, number, o)) return false;
      Disconnect(graph, number, o);
    }
  }
  nodes.erase(nodes.begin() + removed);
  graph.input.records.erase(graph.input.records.begin() + removed);
  graph.input.outputs.erase(graph.input.outputs.begin() + removed);
  const auto renumber = [removed](uint32_t& number) {
    if (number != kNobody && number > removed) --number;
  };
  for (Node& node : nodes) {
    if (node.shares) renumber(node.shares->node);
    for (Output& output : node.outputs) renumber(output.target);
  }
  for (Root& root : graph.input.roots) renumber(root.node);
  return true;
}

bool IsIndexNeeded(const RandomGraph& graph, uint32_t number, uint32_t index) {
  for (const Root& root : graph.input.roots) {
    if (root.node == number && root.index == index) return true;
  }
  for (const Node& node : graph.topology.nodes) {
    if (node.shares && node.shares->node == number && node.shares->index == index) return true;
    for (size_t o = 0; o < node.outputs.size(); ++o) {
      if (node.outputs[o].target == number && NodeKinds()[node.kind].outputs[o].dense) return true;
    }
  }
  return false;
}

// Every way to make a graph smaller by one step, the largest steps first.
class Steps {
 public:
  explicit Steps(const RandomGraph& graph) : graph_(graph) {}

  std::vector<RandomGraph> Run() {
    Roots();
    for (uint32_t number = 0; number < Nodes().size(); ++number) {
      RandomGraph smaller = graph_;
      if (RemoveNode(smaller, number)) steps_.push_back(std::move(smaller));
    }
    for (uint32_t number = 0; number < Nodes().size(); ++number) WithinNode(number);
    for (uint32_t number = 0; number < Nodes().size(); ++number) Counts(number);
    return std::move(steps_);
  }

 private:
  [[nodiscard]] const std::vector<Node>& Nodes() const { return graph_.topology.nodes; }

  RandomGraph& Step() { return steps_.emplace_back(graph_); }

  void Roots() {
    for (size_t i = 0; i < graph_.input.roots.size(); ++i) {
      auto& roots = Step().input.roots;
      roots.erase(roots.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (size_t i = 0; i < graph_.input.roots.size(); ++i) {
      const Root& root = graph_.input.roots[i];
      const size_t records = root.seeds.size();
      for (const size_t kept : {records / 2, records - 1}) {
        if (records < 2) break;
        Step().input.roots[i].seeds.resize(kept);
        auto& seeds = Step().input.roots[i].seeds;
        seeds.erase(seeds.begin(), seeds.end() - static_cast<std::ptrdiff_t>(kept));
      }
      if (root.repeat) Step().input.roots[i].repeat = false;
      if (root.padding != 0) Step().input.roots[i].padding = 0;
    }
  }

  void WithinNode(uint32_t number) {
    const Node& node = Nodes()[number];
    for (uint32_t o = 0; o < node.outputs.size(); ++o) {
      if (MayDisconnect(graph_, number, o)) Disconnect(Step(), number, o);
    }
    for (size_t i = 0; i < node.indices.size() && node.indices.size() > 1; ++i) {
      if (IsIndexNeeded(graph_, number, node.indices[i])) continue;
      RandomGraph& smaller = Step();
      auto& indices = smaller.topology.nodes[number].indices;
      indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(i));
      auto& outputs = smaller.input.outputs[number];
      outputs.erase(outputs.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (node.recursion != 0) --Step().topology.nodes[number].recursion;
    if (node.coalesce > 1) Step().topology.nodes[number].coalesce = 1;
    for (size_t i = 0; i < 3; ++i) {
      if (NodeKinds()[node.kind].input.launch == Launch::kStaticGrid && node.grid[i] > 1)
        Step().topology.nodes[number].grid[i] = 1;
    }
  }

  void Counts(uint32_t number) {
    const auto& by_index = graph_.input.outputs[number];
    for (size_t i = 0; i < by_index.size(); ++i) {
      for (size_t o = 0; o < by_index[i].size(); ++o) {
        const OutputRule& rule = by_index[i][o];
        if (rule.most > 0) Step().input.outputs[number][i][o].most = 0;
        if (rule.most > 1) --Step().input.outputs[number][i][o].most;
        for (size_t at = 0; at < rule.indices.size() && rule.indices.size() > 1; ++at) {
          auto& indices = Step().input.outputs[number][i][o].indices;
          indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(at));
        }
      }
    }
    const RecordRule& record = graph_.input.records[number];
    for (size_t w = 0; w < record.mask.size(); ++w) {
      if (record.mask[w] != ~0u) Grid(number, w);
    }
  }

  // Smaller grids, bit by bit from the largest.
  void Grid(uint32_t number, size_t w) {
    const RecordRule& record = graph_.input.records[number];
    if (record.mask[w] != 0) Step().input.records[number].mask[w] = 0;
    for (uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
      if ((record.mask[w] & bit) != 0) Step().input.records[number].mask[w] &= ~bit;
      if ((record.set[w] & bit) != 0) Step().input.records[number].set[w] &= ~bit;
    }
  }

  const RandomGraph& graph_;
  std::vector<RandomGraph> steps_;
};

}  // namespace

ShrinkResult Shrink(const RandomGraph& graph, const std::function<bool(const RandomGraph&)>& fails,
                    uint32_t max_tries) {
  ShrinkResult result = {graph, 0};
  std::vector<RandomGraph> steps = Steps(graph).Run();
  // Goes on where the last step was taken, until one round brings nothing.
  for (size_t at = 0, failed = 0; failed < steps.size() && result.tries < max_tries;) {
    RandomGraph& step = steps[at % steps.size()];
    ++result.tries;
    if (!fails(step)) {
      ++at;
      ++failed;
      continue;
    }
    result.graph = std::move(step);
    steps = Steps(result.graph).Run();
    failed = 0;
  }
  return result;
}

}  // namespace trellis::test::random_graphs
