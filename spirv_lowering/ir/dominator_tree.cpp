// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/dominator_tree.h"

#include <algorithm>
#include <utility>

namespace trellis::spirv {
namespace {

constexpr uint32_t kNoBlock = UINT32_MAX;

// One run of the algorithm. Inside, nodes bear their depth-first numbers.
class LengauerTarjan {
 public:
  LengauerTarjan(const Adjacency& successors, uint32_t root) : number_(successors.size(), kNoBlock) {
    Walk(successors, root);
    const size_t count = vertex_.size();
    ancestor_.assign(count, kNoBlock);
    label_.resize(count);
    for (uint32_t v = 0; v < count; ++v) label_[v] = v;
    semi_ = label_;
    dominator_.assign(count, 0);
    Solve(Predecessors(successors));
  }

  // Depth-first number -> node, and -> depth-first number of the immediate dominator (0 for the root itself).
  const std::vector<uint32_t>& vertices() const { return vertex_; }
  const std::vector<uint32_t>& dominators() const { return dominator_; }

 private:
  void Walk(const Adjacency& successors, uint32_t root) {
    std::vector<std::pair<uint32_t, size_t>> stack;  // node, next successor
    const auto visit = [&](uint32_t node, uint32_t parent) {
      number_[node] = static_cast<uint32_t>(vertex_.size());
      vertex_.push_back(node);
      parent_.push_back(parent);
      stack.emplace_back(node, 0);
    };
    visit(root, 0);
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == successors[node].size()) {
        stack.pop_back();
        continue;
      }
      const uint32_t successor = successors[node][next++];
      if (number_[successor] == kNoBlock) visit(successor, number_[node]);
    }
  }

  Adjacency Predecessors(const Adjacency& successors) const {
    Adjacency predecessors(vertex_.size());
    for (uint32_t v = 0; v < vertex_.size(); ++v) {
      for (const uint32_t successor : successors[vertex_[v]]) predecessors[number_[successor]].push_back(v);
    }
    return predecessors;
  }

  void Solve(const Adjacency& predecessors) {
    Adjacency bucket(vertex_.size());
    for (uint32_t w = static_cast<uint32_t>(vertex_.size()); w-- > 1;) {
      for (const uint32_t v : predecessors[w]) semi_[w] = std::min(semi_[w], semi_[Evaluate(v)]);
      bucket[semi_[w]].push_back(w);
      ancestor_[w] = parent_[w];
      for (const uint32_t v : std::exchange(bucket[parent_[w]], {})) {
        const uint32_t u = Evaluate(v);
        dominator_[v] = semi_[u] < semi_[v] ? u : parent_[w];
      }
    }
    for (uint32_t w = 1; w < vertex_.size(); ++w) {
      if (dominator_[w] != semi_[w]) dominator_[w] = dominator_[dominator_[w]];
    }
  }

  // The node of smallest semidominator on the forest path above `v`; shortens that path.
  uint32_t Evaluate(uint32_t v) {
    if (ancestor_[v] == kNoBlock) return label_[v];
    path_.clear();
    for (uint32_t u = v; ancestor_[ancestor_[u]] != kNoBlock; u = ancestor_[u]) path_.push_back(u);
    for (size_t i = path_.size(); i-- > 0;) {
      const uint32_t u = path_[i];
      const uint32_t above = ancestor_[u];
      if (semi_[label_[above]] < semi_[label_[u]]) label_[u] = label_[above];
      ancestor_[u] = ancestor_[above];
    }
    return label_[v];
  }

  std::vector<uint32_t> number_, vertex_, parent_, ancestor_, label_, semi_, dominator_, path_;
};

}  // namespace

DominatorTree::DominatorTree(const Adjacency& successors, uint32_t root) : intervals_(successors.size()) {
  const LengauerTarjan solved(successors, root);
  const std::vector<uint32_t>& vertices = solved.vertices();
  // A dominator's number is smaller than those it dominates: sizes of subtrees by one pass backwards, places by one
  // forwards.
  std::vector<uint32_t> size(vertices.size(), 1), next(vertices.size(), 1);
  for (size_t v = vertices.size(); v-- > 1;) size[solved.dominators()[v]] += size[v];
  order_.resize(vertices.size());
  for (size_t v = 0; v < vertices.size(); ++v) {
    uint32_t begin = 0;
    if (v > 0) {
      const uint32_t above = solved.dominators()[v];
      begin = intervals_[vertices[above]].begin + next[above];
      next[above] += size[v];
    }
    intervals_[vertices[v]] = {begin, begin + size[v]};
    order_[begin] = vertices[v];
  }
}

bool DominatorTree::Dominates(size_t a, size_t b) const {
  if (!Contains(a) || !Contains(b)) return false;
  return intervals_[a].begin <= intervals_[b].begin && intervals_[b].end <= intervals_[a].end;
}

}  // namespace trellis::spirv
