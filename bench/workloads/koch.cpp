// SPDX-License-Identifier: Apache-2.0
// Recursion: a triangle becomes a Koch curve, level by level.
#include <cmath>
#include <cstring>

#include "bench/workloads/queues.h"
#include "bench/workloads/workloads.h"
#include "bench_nodes/koch.h"
#include "bench_shaders/koch.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kEdges = 3;
constexpr float kTolerance = 1e-4f;
constexpr uint32_t kForms[] = {64, 128, 256};  // invocations of the baseline's workgroups

struct Edge {
  float begin[2];
  float end[2];
  uint32_t number;
  uint32_t unused;
};
constexpr uint32_t kEdgeWords = sizeof(Edge) / 4;

struct Push {
  VkDeviceAddress results;
  VkDeviceAddress edges;
  VkDeviceAddress next;
  VkDeviceAddress queues;
  uint32_t level;
  uint32_t last;
};

std::vector<Edge> Triangle() {
  const float corners[kEdges + 1][2] = {{-1.0f, -0.5f}, {1.0f, -0.5f}, {0.0f, 1.2320508f}, {-1.0f, -0.5f}};
  std::vector<Edge> edges;
  for (uint32_t i = 0; i < kEdges; ++i)
    edges.push_back({{corners[i][0], corners[i][1]}, {corners[i + 1][0], corners[i + 1][1]}, i, 0});
  return edges;
}

std::vector<uint32_t> TriangleWords() {
  const std::vector<Edge> edges = Triangle();
  std::vector<uint32_t> words(edges.size() * kEdgeWords);
  std::memcpy(words.data(), edges.data(), words.size() * 4);
  return words;
}

Edge Child(const Edge& edge, uint32_t i) {
  const float third[2] = {(edge.end[0] - edge.begin[0]) / 3, (edge.end[1] - edge.begin[1]) / 3};
  const float height[2] = {third[1] * 0.8660254f, -third[0] * 0.8660254f};
  float points[5][2];
  for (uint32_t axis = 0; axis < 2; ++axis) {
    points[0][axis] = edge.begin[axis];
    points[1][axis] = edge.begin[axis] + third[axis];
    points[2][axis] = points[1][axis] + third[axis] / 2 + height[axis];
    points[3][axis] = edge.end[axis] - third[axis];
    points[4][axis] = edge.end[axis];
  }
  return {{points[i][0], points[i][1]}, {points[i + 1][0], points[i + 1][1]}, edge.number * 4 + i, 0};
}

uint32_t EdgesAt(uint32_t level) { return kEdges << (2 * level); }

class KochWorkload final : public Workload {
 public:
  // `depth`: divisions, at least 1. The node runs at as many levels.
  KochWorkload(const Gpu& gpu, uint32_t depth)
      : gpu_(gpu),
        depth_(depth),
        graph_(gpu, {{"koch", kKochNode, {{0, depth - 1}}}}),
        results_(gpu, VkDeviceSize{EdgesAt(depth)} * 16),
        edges_{Buffer(gpu, VkDeviceSize{EdgesAt(depth - 1)} * sizeof(Edge)),
               Buffer(gpu, VkDeviceSize{EdgesAt(depth - 1)} * sizeof(Edge))} {
    for (const uint32_t invocations : kForms) {
      const QueueShape shape = {invocations, 0};
      baselines_.push_back({std::make_unique<Kernel>(gpu, kKochSpv, shape.WithConstants({{0, invocations}})),
                            std::make_unique<Queues>(gpu, depth)});
    }
  }

  void Reset(VkCommandBuffer commands) const override {
    results_.Fill(commands, 0);
    edges_[0].Update(commands, TriangleWords());
    for (const Baseline& baseline : baselines_) baseline.queues->ResetFilled(commands, 1, kEdges);
  }

  void RecordGraph(VkCommandBuffer commands, uint32_t /*form*/) const override {
    gpu_.Push(commands, Push{results_.address(), 0, 0, 0, 0, 0});
    graph_.Dispatch(commands, {"koch", kEdges, TriangleWords()});
  }

  [[nodiscard]] uint32_t BaselineForms() const override { return static_cast<uint32_t>(baselines_.size()); }

  void RecordBaseline(VkCommandBuffer commands, uint32_t form) const override {
    const Baseline& baseline = baselines_[form];
    baseline.kernel->Bind(commands);
    for (uint32_t level = 0; level < depth_; ++level) {
      if (level != 0) StepBarrier(commands);
      gpu_.Push(commands, Push{results_.address(), edges_[level & 1].address(), edges_[~level & 1].address(),
                               baseline.queues->address(), level, level + 1 == depth_ ? 1u : 0u});
      baseline.queues->Dispatch(commands, level);
    }
  }

  [[nodiscard]] const Buffer& results() const override { return results_; }

  [[nodiscard]] std::string Check(const std::vector<uint32_t>& results) const override {
    std::vector<Edge> edges = Triangle();
    for (uint32_t level = 0; level < depth_; ++level) {
      std::vector<Edge> next;
      for (const Edge& edge : edges)
        for (uint32_t i = 0; i < 4; ++i) next.push_back(Child(edge, i));
      edges = std::move(next);
    }
    for (const Edge& edge : edges) {
      float line[4];
      std::memcpy(line, results.data() + size_t{edge.number} * 4, sizeof(line));
      const float difference = std::abs(line[0] - edge.begin[0]) + std::abs(line[1] - edge.begin[1]) +
                               std::abs(line[2] - edge.end[0]) + std::abs(line[3] - edge.end[1]);
      if (!(difference < kTolerance)) return "edge " + std::to_string(edge.number) + " lies elsewhere";
    }
    return {};
  }

  [[nodiscard]] std::optional<Needs> BaselineNeeds() const override {
    double bytes = double(EdgesAt(depth_)) * 16;
    for (uint32_t level = 1; level < depth_; ++level) bytes += 2.0 * EdgesAt(level) * sizeof(Edge);
    return Needs{bytes, 0, double(depth_)};
  }

 private:
  struct Baseline {
    std::unique_ptr<Kernel> kernel;
    std::unique_ptr<Queues> queues;
  };

  const Gpu& gpu_;
  const uint32_t depth_;
  const Graph graph_;
  const Buffer results_;
  const Buffer edges_[2];  // of even and odd levels
  std::vector<Baseline> baselines_;
};

}  // namespace

WorkloadEntry Koch(uint32_t depth) {
  return {"Koch curve", "depth " + std::to_string(depth), std::nullopt,
          [=](const Gpu& gpu) { return std::make_unique<KochWorkload>(gpu, depth); }};
}

}  // namespace trellis::bench
