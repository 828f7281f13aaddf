// SPDX-License-Identifier: Apache-2.0
// A wide and deep graph: 16 nodes a level, four of each way to be launched; a record may go to any node of the next
// level.
#include "bench_shaders/mixed.h"
#include "bench/workloads/hash.h"
#include "bench/workloads/queues.h"
#include "bench/workloads/workloads.h"
#include "bench_nodes/mixed_batch.h"
#include "bench_nodes/mixed_dynamic.h"
#include "bench_nodes/mixed_fixed.h"
#include "bench_nodes/mixed_source.h"
#include "bench_nodes/mixed_thread.h"

namespace trellis::bench {
namespace {

enum Kind : uint32_t { kThread, kBatch, kFixed, kDynamic, kKinds, kSource = kKinds };
constexpr uint32_t kNodesOfKind = 4;
constexpr uint32_t kNodesOfLevel = kKinds * kNodesOfKind;
constexpr uint32_t kFixedParts = 4;
constexpr uint32_t kSourceInvocations = 64;
constexpr uint32_t kNodeInvocations = 32;                     // of nodes with grids
constexpr uint32_t kInvocations[] = {32, 64, 128, 256, 512};  // of the baseline's workgroups, for a form each
constexpr uint32_t kMaxParts = 3;
constexpr double kMeanParts = 2;
constexpr uint32_t kTaskBytes = 12;
constexpr uint32_t kFirstNameConstant = 10;

struct Push {
  VkDeviceAddress results;
  VkDeviceAddress tasks;
  VkDeviceAddress counters;
  VkDeviceAddress queues;
  uint32_t capacity;
  uint32_t first;
  uint32_t next;
  uint32_t is_last;
};

Words NodeOf(uint32_t kind) {
  const Words nodes[] = {kMixedThreadNode, kMixedBatchNode, kMixedFixedNode, kMixedDynamicNode};
  return nodes[kind];
}

// The nodes of `kind` at `level`. A level past the last one has none.
std::string NameOf(uint32_t kind, uint32_t level) {
  constexpr const char* kNames[] = {"thread", "batch", "fixed", "dynamic"};
  return std::string(kNames[kind]) + std::to_string(level);
}

std::vector<NameConstant> TargetsAt(uint32_t level) {
  std::vector<NameConstant> names;
  for (uint32_t kind = 0; kind < kKinds; ++kind) names.push_back({kFirstNameConstant + kind, NameOf(kind, level)});
  return names;
}

std::vector<GraphNode> Nodes(uint32_t levels, uint32_t source_workgroups) {
  std::vector<GraphNode> nodes = {{"source", kMixedSourceNode, {{2, source_workgroups}}, 0, TargetsAt(0)}};
  for (uint32_t level = 0; level < levels; ++level) {
    for (uint32_t node = 0; node < kNodesOfLevel; ++node) {
      const uint32_t kind = node / kNodesOfKind;
      nodes.push_back({NameOf(kind, level),
                       NodeOf(kind),
                       {{0, node % kNodesOfKind}, {1, levels}},
                       node % kNodesOfKind,
                       TargetsAt(level + 1)});
    }
  }
  return nodes;
}

uint32_t PartsOf(uint32_t kind, uint32_t value) {
  if (kind == kFixed) return kFixedParts;
  return kind == kDynamic ? 1 + value % kMaxParts : 1;
}

class MixedWorkload final : public Workload {
 public:
  MixedWorkload(const Gpu& gpu, uint32_t records, uint32_t levels)
      : gpu_(gpu),
        records_(records),
        levels_(levels),
        capacity_(2 * kMaxParts * (records / kNodesOfLevel) + 1024),
        graph_(gpu, Nodes(levels, records / kSourceInvocations)),
        results_(gpu, VkDeviceSize{records} * 4),
        tasks_(gpu, VkDeviceSize{capacity_} * levels * kNodesOfLevel * kTaskBytes),
        counters_(gpu, VkDeviceSize{levels} * kNodesOfLevel * kCounterBytes),
        queues_(gpu, levels * kKinds) {
    for (const uint32_t invocations : kInvocations)
      if (invocations <= gpu.limits().maxComputeWorkGroupInvocations) baselines_.push_back(MakeBaseline(invocations));
  }

  void Reset(VkCommandBuffer commands) const override {
    results_.Fill(commands, 0);
    counters_.Fill(commands, 0);
    queues_.Reset(commands, {1, kNodesOfKind});
  }

  void RecordGraph(VkCommandBuffer commands, uint32_t /*form*/) const override {
    gpu_.Push(commands, Push{results_.address(), 0, 0, 0, 0, 0, 0, 0});
    graph_.Dispatch(commands, {"source"});
  }

  [[nodiscard]] uint32_t BaselineForms() const override { return static_cast<uint32_t>(baselines_.size()); }

  void RecordBaseline(VkCommandBuffer commands, uint32_t form) const override {
    const Baseline& baseline = baselines_[form];
    Push push = {results_.address(), tasks_.address(), counters_.address(), queues_.address(), capacity_, 0, 0, 0};
    gpu_.Push(commands, push);
    baseline.kernels[kSource]->Bind(commands);
    vkCmdDispatch(commands, records_ / baseline.invocations, 1, 1);
    for (uint32_t level = 0; level < levels_; ++level) {
      StepBarrier(commands);
      push.first = level * kNodesOfLevel;
      push.next = push.first + kNodesOfLevel;
      push.is_last = level + 1 == levels_ ? 1 : 0;
      gpu_.Push(commands, push);
      for (uint32_t kind = 0; kind < kKinds; ++kind) {
        baseline.kernels[kind]->Bind(commands);
        queues_.Dispatch(commands, level * kKinds + kind);
      }
    }
  }

  [[nodiscard]] const Buffer& results() const override { return results_; }

  [[nodiscard]] std::string Check(const std::vector<uint32_t>& results) const override {
    return CheckWords(results, records_, [&](size_t word) { return Walk(static_cast<uint32_t>(word)); });
  }

  // A record is written and read at each level, and what it adds to a word is read and written.
  [[nodiscard]] std::optional<Needs> BaselineNeeds() const override {
    const double records = records_;
    const double mean =
        (1 + 1 + (1 + kMeanParts) * kNodeInvocations) / uint32_t{kKinds};  // invocations of a record at a level
    Needs needs;
    needs.bytes = levels_ * records * (2 * kTaskBytes + 8);
    needs.invocations = records + levels_ * records * mean;
    needs.steps = 1.0 + levels_;
    return needs;
  }

 private:
  struct Baseline {
    uint32_t invocations;                          // of workgroups
    std::vector<std::unique_ptr<Kernel>> kernels;  // by kind
  };

  [[nodiscard]] Baseline MakeBaseline(uint32_t invocations) const {
    Baseline baseline = {invocations, {}};
    for (uint32_t kind = 0; kind <= kSource; ++kind)
      baseline.kernels.push_back(std::make_unique<Kernel>(gpu_, kMixedSpv, Constants{{0, invocations}, {1, kind}}));
    return baseline;
  }

  // What one record leaves in the results.
  [[nodiscard]] uint32_t Walk(uint32_t index) const {
    uint32_t value = Hash(index);
    uint32_t sum = 0;
    for (uint32_t level = 0; level < levels_; ++level) {
      const uint32_t node = Hash(value) % kNodesOfLevel;
      const uint32_t number = level * kNodesOfLevel + node;
      for (uint32_t part = 0; part < PartsOf(node / kNodesOfKind, value); ++part)
        sum += Hash(value ^ (number * 0x9e3779b9u + part));
      value = Hash(value + number);
    }
    return sum;
  }

  const Gpu& gpu_;
  const uint32_t records_;
  const uint32_t levels_;
  const uint32_t capacity_;
  const Graph graph_;
  const Buffer results_;
  const Buffer tasks_;
  const Buffer counters_;
  const Queues queues_;
  std::vector<Baseline> baselines_;
};

}  // namespace

WorkloadEntry Mixed(uint32_t records, uint32_t levels) {
  return {"mixed graph", Amount(records, "x ") + std::to_string(levels) + " levels x 16", std::nullopt,
          [=](const Gpu& gpu) { return std::make_unique<MixedWorkload>(gpu, records, levels); }};
}

}  // namespace trellis::bench
