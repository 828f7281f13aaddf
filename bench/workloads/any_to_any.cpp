// SPDX-License-Identifier: Apache-2.0
// A row of nodes, each of which may enqueue to any later one: as many levels as nodes, of which records need few.
#include "bench/workloads/hash.h"
#include "bench/workloads/queues.h"
#include "bench/workloads/workloads.h"
#include "bench_nodes/hop.h"
#include "bench_nodes/hop_source.h"
#include "bench_shaders/hop.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kMaxHops = 8;
constexpr uint32_t kTaskBytes = 12;
constexpr uint32_t kSourceInvocations = 64;
constexpr uint32_t kGraphInvocations[] = {1, 64, 256};                // of the nodes' workgroups; 1: thread nodes
constexpr uint32_t kBaselineInvocations[] = {32, 64, 128, 256, 512};  // of its workgroups

struct Push {
  VkDeviceAddress results;
  VkDeviceAddress tasks;
  VkDeviceAddress next;
  VkDeviceAddress queues;
  uint32_t hops;
};

std::vector<GraphNode> Nodes(uint32_t records, uint32_t nodes, uint32_t invocations) {
  std::vector<GraphNode> row = {{"source", kHopSourceNode, {{0, records / kSourceInvocations}, {1, nodes}}}};
  for (uint32_t node = 1; node < nodes; ++node)
    row.push_back({"hop", kHopNode, {{0, node}, {1, nodes}, {2, invocations}}, node});
  return row;
}

class AnyToAnyWorkload final : public Workload {
 public:
  AnyToAnyWorkload(const Gpu& gpu, uint32_t records, uint32_t nodes)
      : gpu_(gpu),
        records_(records),
        nodes_(nodes),
        results_(gpu, VkDeviceSize{records} * 4),
        lists_{Buffer(gpu, VkDeviceSize{records} * kTaskBytes), Buffer(gpu, VkDeviceSize{records} * kTaskBytes)} {
    for (const uint32_t invocations : kGraphInvocations)
      graphs_.push_back(std::make_unique<Graph>(gpu, Nodes(records, nodes, invocations)));
    for (const uint32_t invocations : kBaselineInvocations)
      if (invocations <= gpu.limits().maxComputeWorkGroupInvocations) baselines_.push_back(MakeBaseline(invocations));
  }

  void Reset(VkCommandBuffer commands) const override {
    results_.Fill(commands, 0);
    for (const Baseline& baseline : baselines_) baseline.queues->Reset(commands, baseline.shape);
  }

  [[nodiscard]] uint32_t GraphForms() const override { return static_cast<uint32_t>(graphs_.size()); }

  void RecordGraph(VkCommandBuffer commands, uint32_t form) const override {
    gpu_.Push(commands, Push{results_.address(), 0, 0, 0, 0});
    graphs_[form]->Dispatch(commands, {"source"});
  }

  [[nodiscard]] uint32_t BaselineForms() const override { return static_cast<uint32_t>(baselines_.size()); }

  void RecordBaseline(VkCommandBuffer commands, uint32_t form) const override {
    const Baseline& baseline = baselines_[form];
    for (uint32_t hops = 0; hops <= kMaxHops; ++hops) {
      gpu_.Push(commands, Push{results_.address(), lists_[(hops + 1) % 2].address(), lists_[hops % 2].address(),
                               baseline.queues->address(), hops});
      if (hops == 0) {
        baseline.source->Bind(commands);
        vkCmdDispatch(commands, records_ / baseline.invocations, 1, 1);
        continue;
      }
      StepBarrier(commands);
      if (hops == 1) baseline.hop->Bind(commands);
      baseline.queues->Dispatch(commands, hops - 1);
    }
  }

  [[nodiscard]] const Buffer& results() const override { return results_; }

  [[nodiscard]] std::string Check(const std::vector<uint32_t>& results) const override {
    return CheckWords(results, records_, [&](size_t word) { return Walk(static_cast<uint32_t>(word)).sum; });
  }

  // A record is written and read for each hop, and what it adds to a word is read and written.
  [[nodiscard]] std::optional<Needs> BaselineNeeds() const override {
    double visits = 0;
    for (uint32_t index = 0; index < records_; ++index) visits += Walk(index).visits;
    Needs needs;
    needs.bytes = visits * (2 * kTaskBytes + 8);
    needs.invocations = records_ + visits;
    needs.steps = 1.0 + kMaxHops;
    return needs;
  }

 private:
  struct Baseline {
    uint32_t invocations;
    QueueShape shape;
    std::unique_ptr<Kernel> source;
    std::unique_ptr<Kernel> hop;
    std::unique_ptr<Queues> queues;
  };

  [[nodiscard]] Baseline MakeBaseline(uint32_t invocations) const {
    const QueueShape shape = {invocations, 0};
    const auto kernel = [&](uint32_t is_source) {
      return std::make_unique<Kernel>(gpu_, kHopSpv,
                                      shape.WithConstants({{0, invocations}, {1, nodes_}, {2, is_source}}));
    };
    return {invocations, shape, kernel(1), kernel(0), std::make_unique<Queues>(gpu_, kMaxHops)};
  }

  struct Walked {
    uint32_t sum = 0;
    uint32_t visits = 0;
  };

  // What one record leaves in the results.
  [[nodiscard]] Walked Walk(uint32_t index) const {
    Walked walked;
    uint32_t value = Hash(index);
    for (uint32_t node = 0; walked.visits < kMaxHops;) {
      const uint32_t next = node + 1 + Hash(value) % (1 + nodes_ * 22 / 100);
      if (next >= nodes_) break;
      value = Hash(value + node);
      node = next;
      ++walked.visits;
      walked.sum += Hash(value ^ (node * 0x9e3779b9u));
    }
    return walked;
  }

  const Gpu& gpu_;
  const uint32_t records_;
  const uint32_t nodes_;
  const Buffer results_;
  const Buffer lists_[2];
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<Baseline> baselines_;
};

}  // namespace

WorkloadEntry AnyToAny(uint32_t records, uint32_t nodes) {
  return {"any to any later", Amount(records, "x ") + std::to_string(nodes) + " nodes", std::nullopt,
          [=](const Gpu& gpu) { return std::make_unique<AnyToAnyWorkload>(gpu, records, nodes); }};
}

}  // namespace trellis::bench
