// SPDX-License-Identifier: Apache-2.0
// Levels that wait for one another: `chains` records walk through `levels` nodes.
#include "bench_shaders/chain.h"
#include "bench/workloads/hash.h"
#include "bench/workloads/queues.h"
#include "bench/workloads/workloads.h"
#include "bench_nodes/chain_end.h"
#include "bench_nodes/chain_link.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kInvocations = 64;  // each adds the record's value to the results

struct Link {
  uint32_t chain;
  uint32_t value;
};

struct Push {
  VkDeviceAddress results;
  VkDeviceAddress links;
  VkDeviceAddress next;
  VkDeviceAddress queues;
  uint32_t level;
  uint32_t chains;
  uint32_t levels;
};

std::vector<GraphNode> Nodes(uint32_t levels, uint32_t chains) {
  std::vector<GraphNode> nodes;
  for (uint32_t level = 0; level < levels; ++level) {
    const Words words = level + 1 < levels ? Words(kChainLinkNode) : Words(kChainEndNode);
    nodes.push_back({"chain", words, {{0, level}, {1, chains}}, level});
  }
  return nodes;
}

std::vector<uint32_t> FirstLinks(uint32_t chains) {
  std::vector<uint32_t> words;
  for (uint32_t chain = 0; chain < chains; ++chain) words.insert(words.end(), {chain, chain + 1});
  return words;
}

class ChainWorkload final : public Workload {
 public:
  ChainWorkload(const Gpu& gpu, uint32_t levels, uint32_t chains)
      : gpu_(gpu),
        levels_(levels),
        chains_(chains),
        graph_(gpu, Nodes(levels, chains)),
        results_(gpu, VkDeviceSize{levels} * chains * 4),
        links_(gpu, LevelBytes() * levels),
        queues_(gpu, levels),
        step_(gpu, kChainSpv) {}

  void Reset(VkCommandBuffer commands) const override {
    results_.Fill(commands, 0);
    links_.Update(commands, FirstLinks(chains_));
    queues_.ResetFilled(commands, chains_, chains_);
  }

  void RecordGraph(VkCommandBuffer commands, uint32_t /*form*/) const override {
    gpu_.Push(commands, Push{results_.address(), 0, 0, 0, 0, 0, 0});
    graph_.Dispatch(commands, {"chain", chains_, FirstLinks(chains_)});
  }

  void RecordBaseline(VkCommandBuffer commands, uint32_t) const override {
    step_.Bind(commands);
    for (uint32_t level = 0; level < levels_; ++level) {
      if (level != 0) StepBarrier(commands);
      const VkDeviceAddress links = links_.address() + level * LevelBytes();
      gpu_.Push(commands,
                Push{results_.address(), links, links + LevelBytes(), queues_.address(), level, chains_, levels_});
      queues_.Dispatch(commands, level);
    }
  }

  [[nodiscard]] const Buffer& results() const override { return results_; }

  [[nodiscard]] std::string Check(const std::vector<uint32_t>& results) const override {
    std::vector<uint32_t> sums(size_t{levels_} * chains_);
    for (uint32_t chain = 0; chain < chains_; ++chain) {
      uint32_t value = chain + 1;
      for (uint32_t level = 0; level < levels_; ++level) {
        sums[size_t{level} * chains_ + chain] = kInvocations * value;
        value = Hash(value);
      }
    }
    return CheckWords(results, sums.size(), [&](size_t word) { return sums[word]; });
  }

  [[nodiscard]] std::optional<Needs> BaselineNeeds() const override {
    return Needs{0, double(levels_) * chains_, double(levels_)};
  }

 private:
  [[nodiscard]] VkDeviceSize LevelBytes() const { return (VkDeviceSize{chains_} * sizeof(Link) + 15) / 16 * 16; }

  const Gpu& gpu_;
  const uint32_t levels_;
  const uint32_t chains_;
  const Graph graph_;
  const Buffer results_;
  const Buffer links_;
  const Queues queues_;
  const Kernel step_;
};

}  // namespace

WorkloadEntry Chain(uint32_t levels, uint32_t chains) {
  return {"chain", std::to_string(levels) + " levels x " + std::to_string(chains), std::nullopt,
          [=](const Gpu& gpu) { return std::make_unique<ChainWorkload>(gpu, levels, chains); }};
}

}  // namespace trellis::bench
