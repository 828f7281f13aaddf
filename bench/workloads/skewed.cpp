// SPDX-License-Identifier: Apache-2.0
#include "bench/workloads/skewed.h"

#include "bench/workloads/hash.h"
#include "bench/workloads/queues.h"
#include "bench/workloads/workloads.h"
#include "bench_nodes/skewed.h"
#include "bench_nodes/skewed_part.h"
#include "bench_shaders/skewed.h"
#include "bench_shaders/skewed_part.h"
#include "bench_shaders/skewed_sums.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kProducerInvocations = 256;
constexpr uint32_t kPartInvocations = 32;
constexpr uint32_t kTaskBytes = 8;

// Forms of the baseline.
struct Shape {
  uint32_t items;  // records that an invocation of the producer looks at
  uint32_t parts;  // workgroups of the node that share one of the consumer
  bool sums;       // the consumer adds up in shared memory what is for the same record
};
constexpr Shape kShapes[] = {{1, 1, false}, {4, 4, false}, {4, 8, false}, {4, 16, false}, {4, 4, true},
                             {1, 8, true},  {4, 8, true},  {16, 8, true}, {4, 16, true},  {4, 32, true}};

struct Push {
  VkDeviceAddress results;
  VkDeviceAddress parts;
  VkDeviceAddress queues;
  uint32_t capacity;
};

constexpr uint32_t kFew = 4;
constexpr uint32_t kMany = 2048;

// `most`: kFew or kMany.
uint32_t WorkgroupsOf(uint32_t index, uint32_t most) {
  const uint32_t h = Hash(index);
  if (h % 16 != 0) return 0;
  if (most == kFew || (h >> 4) % 256 != 0) return 1 + (h >> 12) % kFew;
  return 64 + (h >> 12) % 1024;
}

uint64_t WorkgroupsOfAll(uint32_t records, uint32_t most) {
  uint64_t workgroups = 0;
  for (uint32_t index = 0; index < records; ++index) workgroups += WorkgroupsOf(index, most);
  return workgroups;
}

class SkewedWorkload final : public Workload {
 public:
  SkewedWorkload(const Gpu& gpu, uint32_t records, uint32_t most)
      : gpu_(gpu),
        records_(records),
        most_(most),
        parts_count_(WorkgroupsOfAll(records, most)),
        grid_(GridOf(records / kProducerInvocations)),
        graph_(gpu, {{"skewed", kSkewedNode, {{0, grid_.x}, {1, grid_.y}, {30, most}}},
                     {"skewed_part", kSkewedPartNode, {{30, most}}}}),
        results_(gpu, VkDeviceSize{records} * 4),
        parts_(gpu, (parts_count_ + 1) * kTaskBytes) {
    for (const Shape& shape : kShapes)
      if (records % (kProducerInvocations * shape.items) == 0 &&
          shape.parts * kPartInvocations <= gpu.limits().maxComputeWorkGroupInvocations)
        baselines_.push_back(MakeBaseline(shape));
  }

  void Reset(VkCommandBuffer commands) const override {
    results_.Fill(commands, 0);
    for (const Baseline& baseline : baselines_) baseline.queues->Reset(commands, baseline.shape);
  }

  void RecordGraph(VkCommandBuffer commands, uint32_t /*form*/) const override {
    gpu_.Push(commands, Push{results_.address(), 0, 0, 0});
    graph_.Dispatch(commands, {"skewed"});
  }

  [[nodiscard]] uint32_t BaselineForms() const override { return static_cast<uint32_t>(baselines_.size()); }

  void RecordBaseline(VkCommandBuffer commands, uint32_t form) const override {
    const Baseline& baseline = baselines_[form];
    gpu_.Push(commands, Push{results_.address(), parts_.address(), baseline.queues->address(),
                             static_cast<uint32_t>(parts_count_)});
    baseline.producer->Bind(commands);
    vkCmdDispatch(commands, baseline.producers.x, baseline.producers.y, 1);
    StepBarrier(commands);
    baseline.consumer->Bind(commands);
    baseline.queues->Dispatch(commands, 0);
  }

  [[nodiscard]] const Buffer& results() const override { return results_; }

  [[nodiscard]] std::string Check(const std::vector<uint32_t>& results) const override {
    return CheckWords(results, records_, [this](size_t word) {
      const auto index = static_cast<uint32_t>(word);
      uint32_t sum = 0;
      for (uint32_t part = 0; part < WorkgroupsOf(index, most_); ++part) sum += Hash(index ^ (part * 0x9e3779b9u));
      return sum;
    });
  }

  // A part is written to a list and read, and what it adds to a word is read and written.
  [[nodiscard]] std::optional<Needs> BaselineNeeds() const override {
    Needs needs;
    needs.bytes = static_cast<double>(parts_count_) * (2 * kTaskBytes + 8);
    needs.invocations = static_cast<double>(parts_count_) * kPartInvocations;
    needs.steps = 2;
    return needs;
  }

 private:
  struct Baseline {
    QueueShape shape;
    std::unique_ptr<Queues> queues;
    Grid producers;
    std::unique_ptr<Kernel> producer;
    std::unique_ptr<Kernel> consumer;
  };

  [[nodiscard]] Baseline MakeBaseline(const Shape& form) const {
    const QueueShape shape = ShapeOfQueue(gpu_, parts_count_, form.parts);
    return {shape, std::make_unique<Queues>(gpu_, 1), GridOf(records_ / (kProducerInvocations * form.items)),
            std::make_unique<Kernel>(gpu_, kSkewedSpv, shape.WithConstants({{0, form.items}, {30, most_}})),
            std::make_unique<Kernel>(gpu_, form.sums ? Words(kSkewedSumsSpv) : kSkewedPartSpv,
                                     shape.WithConstants({{0, form.parts * kPartInvocations}, {1, form.parts}}))};
  }

  const Gpu& gpu_;
  const uint32_t records_;
  const uint32_t most_;  // workgroups of a record
  const uint64_t parts_count_;
  const Grid grid_;
  const Graph graph_;
  const Buffer results_;
  const Buffer parts_;
  std::vector<Baseline> baselines_;
};

}  // namespace

std::unique_ptr<Workload> MakeSkewed(const Gpu& gpu, uint32_t records) {
  return std::make_unique<SkewedWorkload>(gpu, records, kMany);
}

uint64_t SkewedInvocations(uint32_t records) { return records + WorkgroupsOfAll(records, kMany) * kPartInvocations; }

WorkloadEntry Skewed(uint32_t records) {
  return {"skewed dynamic grids", Amount(records, "records"), std::nullopt,
          [=](const Gpu& gpu) { return MakeSkewed(gpu, records); }};
}

WorkloadEntry Sparse(uint32_t records) {
  return {"sparse dynamic grids", Amount(records, "records"), std::nullopt,
          [=](const Gpu& gpu) { return std::make_unique<SkewedWorkload>(gpu, records, kFew); }};
}

}  // namespace trellis::bench
