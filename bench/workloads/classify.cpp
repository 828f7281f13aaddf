// Items are sorted into the nodes of a node array, each of which adds up its own.
#include <algorithm>

#include "bench/workloads/records.h"
#include "bench/workloads/workloads.h"
#include "bench_nodes/bin.h"
#include "bench_nodes/classify.h"
#include "bench_shaders/bin.h"
#include "bench_shaders/classify.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kBinInvocations = 256;
// Items of an invocation of the rival: many items fill the places of a bin side by side, few keep all processors busy.
constexpr uint32_t kItems[] = {1, 4, 16};
// Invocations of the producing node: many share their reservations, few keep all processors busy.
constexpr uint32_t kNodeInvocations[] = {256, 512, 1024};

struct Push {
  VkDeviceAddress results;
  VkDeviceAddress records;
  VkDeviceAddress queues;
  uint32_t item_count;
  uint32_t capacity;
  uint32_t bin;
};

std::vector<GraphNode> Nodes(uint32_t items, uint32_t invocations, uint32_t bins) {
  const Grid grid = GridOf(items / invocations);
  std::vector<GraphNode> nodes = {
      {"classify", kClassifyNode, {{0, grid.x}, {1, grid.y}, {2, bins}, {3, invocations}, {4, invocations}}}};
  for (uint32_t bin = 0; bin < bins; ++bin) nodes.push_back({"bin", kBinNode, {{0, bin}}, bin});
  return nodes;
}

class ClassifyWorkload final : public Workload {
 public:
  ClassifyWorkload(const Gpu& gpu, uint32_t items, uint32_t bins)
      : gpu_(gpu),
        items_(items),
        bins_(bins),
        capacity_(2 * (items / bins) + 4096),
        shape_(ShapeOfQueue(gpu, capacity_, kBinInvocations)),
        results_(gpu, VkDeviceSize{bins} * 4),
        list_(gpu, VkDeviceSize{capacity_} * bins * kRecordBytes),
        queues_(gpu, bins),
        bin_(gpu, kBinSpv, shape_.WithConstants({})) {
    for (const uint32_t invocations : kNodeInvocations)
      if (invocations <= gpu.limits().maxComputeWorkGroupInvocations)
        graphs_.push_back(std::make_unique<Graph>(gpu, Nodes(items, invocations, bins)));
    for (const uint32_t count : kItems)
      classify_.push_back(std::make_unique<Kernel>(gpu, kClassifySpv, shape_.WithConstants({{0, bins}, {1, count}})));
  }

  void Reset(VkCommandBuffer commands) const override {
    results_.Fill(commands, 0);
    queues_.Reset(commands, shape_);
  }

  [[nodiscard]] uint32_t GraphForms() const override { return static_cast<uint32_t>(graphs_.size()); }

  void RecordGraph(VkCommandBuffer commands, uint32_t form) const override {
    gpu_.Push(commands, Push{results_.address(), 0, 0, 0, 0, 0});
    graphs_[form]->Dispatch(commands, {"classify"});
  }

  [[nodiscard]] uint32_t RivalForms() const override { return static_cast<uint32_t>(classify_.size()); }

  void RecordRival(VkCommandBuffer commands, uint32_t form) const override {
    Push push = {results_.address(), list_.address(), queues_.address(), items_, capacity_, 0};
    gpu_.Push(commands, push);
    classify_[form]->Bind(commands);
    const uint32_t items = kProducerInvocations * kItems[form];
    const Grid grid = GridOf((items_ + items - 1) / items);
    vkCmdDispatch(commands, grid.x, grid.y, 1);
    StepBarrier(commands);
    bin_.Bind(commands);
    for (push.bin = 0; push.bin < bins_; ++push.bin) {
      gpu_.Push(commands, push);
      queues_.Dispatch(commands, push.bin);
    }
  }

  [[nodiscard]] const Buffer& results() const override { return results_; }

  [[nodiscard]] std::string Check(const std::vector<uint32_t>& results) const override {
    std::vector<uint32_t> sums(bins_, 0);
    for (uint32_t item = 0; item < items_; ++item) {
      const uint32_t bin = BinOf(item, bins_);
      sums[bin] += BinResult(item, bin);
    }
    return CheckWords(results, bins_, [&](size_t bin) { return sums[bin]; });
  }

  [[nodiscard]] std::optional<Needs> RivalNeeds() const override {
    const double items = items_;
    return Needs{2 * items * kRecordBytes, items / kBinInvocations, 2};
  }

 private:
  const Gpu& gpu_;
  const uint32_t items_;
  const uint32_t bins_;
  const uint32_t capacity_;
  const QueueShape shape_;
  const Buffer results_;
  const Buffer list_;
  const Queues queues_;
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<std::unique_ptr<Kernel>> classify_;
  const Kernel bin_;
};

}  // namespace

WorkloadEntry Classify(uint32_t records, uint32_t bins) {
  return {"classify", Amount(records, "to ") + std::to_string(bins) + " nodes", std::nullopt,
          [=](const Gpu& gpu) { return std::make_unique<ClassifyWorkload>(gpu, records, bins); }};
}

}  // namespace trellis::bench
