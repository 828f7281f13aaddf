// SPDX-License-Identifier: Apache-2.0
// Coalescing nodes that make one record of many, three times.
#include <memory>
#include <vector>

#include "bench/workloads/hash.h"
#include "bench/workloads/queues.h"
#include "bench/workloads/workloads.h"
#include "bench_nodes/reduce.h"
#include "bench_nodes/reduce_end.h"
#include "bench_nodes/reduce_source.h"
#include "bench_shaders/reduce.h"
#include "bench_shaders/reduce_source.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kReduced = 256;  // records that become one
constexpr uint32_t kLevels = 3;
constexpr uint32_t kSumBytes = 8;
constexpr uint32_t kItems[] = {1, 4};  // of an invocation of the baseline's source

struct Push {
  VkDeviceAddress results;
  VkDeviceAddress sums;
  VkDeviceAddress next;
  VkDeviceAddress queues;
  uint32_t level;
};

class ReductionWorkload final : public Workload {
 public:
  ReductionWorkload(const Gpu& gpu, uint32_t records)
      : gpu_(gpu),
        records_(records),
        grid_(GridOf(records / kReduced)),
        graph_(gpu, {{"reduce_source", kReduceSourceNode, {{0, grid_.x}, {1, grid_.y}}},
                     {"reduce", kReduceNode, {{0, 1}}, 1},
                     {"reduce", kReduceNode, {{0, 2}}, 2},
                     {"reduce", kReduceEndNode, {{0, 3}}, 3}}),
        shape_(ShapeOfQueue(gpu, records, kReduced)),
        results_(gpu, 8),
        sums_{Buffer(gpu, VkDeviceSize{records} * kSumBytes), Buffer(gpu, VkDeviceSize{records} * kSumBytes)},
        queues_(gpu, kLevels),
        reduce_(gpu, kReduceSpv, shape_.WithConstants({{0, 0}})),
        end_(gpu, kReduceSpv, shape_.WithConstants({{0, 1}})) {
    for (const uint32_t items : kItems)
      sources_.push_back(std::make_unique<Kernel>(gpu, kReduceSourceSpv, shape_.WithConstants({{0, items}})));
  }

  void Reset(VkCommandBuffer commands) const override {
    results_.Fill(commands, 0);
    queues_.Reset(commands, shape_);
  }

  void RecordGraph(VkCommandBuffer commands, uint32_t /*form*/) const override {
    gpu_.Push(commands, Push{results_.address(), 0, 0, 0, 0});
    graph_.Dispatch(commands, {"reduce_source"});
  }

  [[nodiscard]] uint32_t BaselineForms() const override { return static_cast<uint32_t>(sources_.size()); }

  void RecordBaseline(VkCommandBuffer commands, uint32_t form) const override {
    sources_[form]->Bind(commands);
    gpu_.Push(commands, Push{results_.address(), 0, sums_[0].address(), queues_.address(), 0});
    const Grid grid = GridOf(records_ / kReduced / kItems[form]);
    vkCmdDispatch(commands, grid.x, grid.y, 1);
    for (uint32_t level = 0; level < kLevels; ++level) {
      StepBarrier(commands);
      (level + 1 < kLevels ? reduce_ : end_).Bind(commands);
      gpu_.Push(commands, Push{results_.address(), sums_[level & 1].address(), sums_[~level & 1].address(),
                               queues_.address(), level});
      queues_.Dispatch(commands, level);
    }
  }

  [[nodiscard]] const Buffer& results() const override { return results_; }

  [[nodiscard]] std::string Check(const std::vector<uint32_t>& results) const override {
    uint32_t sum = 0;
    for (uint32_t index = 0; index < records_; ++index) sum += Hash(index);
    return CheckWords(results, 2, [&](size_t word) { return word == 0 ? sum : records_; });
  }

  [[nodiscard]] std::optional<Needs> BaselineNeeds() const override {
    const double records = records_;
    return Needs{2 * records * kSumBytes, 2 * records / kReduced, 1.0 + kLevels};
  }

 private:
  const Gpu& gpu_;
  const uint32_t records_;
  const Grid grid_;
  const Graph graph_;
  const QueueShape shape_;
  const Buffer results_;
  const Buffer sums_[2];  // of even and odd levels
  const Queues queues_;
  std::vector<std::unique_ptr<Kernel>> sources_;
  const Kernel reduce_;
  const Kernel end_;
};

}  // namespace

WorkloadEntry Reduction(uint32_t records) {
  return {"reduction", Amount(records, "records"), std::nullopt,
          [=](const Gpu& gpu) { return std::make_unique<ReductionWorkload>(gpu, records); }};
}

}  // namespace trellis::bench
