#include "bench/workloads/skewed.h"

#include "bench/workloads/hash.h"
#include "bench/workloads/queues.h"
#include "bench/workloads/workloads.h"
#include "bench_nodes/skewed.h"
#include "bench_nodes/skewed_part.h"
#include "bench_shaders/skewed.h"
#include "bench_shaders/skewed_part.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kProducerInvocations = 256;
constexpr uint32_t kPartInvocations = 32;
constexpr uint32_t kTaskBytes = 8;

struct Push {
  VkDeviceAddress results;
  VkDeviceAddress parts;
  VkDeviceAddress queues;
  uint32_t capacity;
};

uint32_t WorkgroupsOf(uint32_t index) {
  const uint32_t h = Hash(index);
  if (h % 16 != 0) return 0;
  if ((h >> 4) % 256 != 0) return 1 + (h >> 12) % 4;
  return 64 + (h >> 12) % 1024;
}

uint64_t WorkgroupsOfAll(uint32_t records) {
  uint64_t workgroups = 0;
  for (uint32_t index = 0; index < records; ++index) workgroups += WorkgroupsOf(index);
  return workgroups;
}

class SkewedWorkload final : public Workload {
 public:
  SkewedWorkload(const Gpu& gpu, uint32_t records)
      : gpu_(gpu),
        records_(records),
        parts_count_(WorkgroupsOfAll(records)),
        grid_(GridOf(records / kProducerInvocations)),
        shape_(ShapeOfQueue(gpu, parts_count_, 1)),
        graph_(gpu, {{"skewed", kSkewedNode, {{0, grid_.x}, {1, grid_.y}}}, {"skewed_part", kSkewedPartNode}}),
        results_(gpu, VkDeviceSize{records} * 4),
        parts_(gpu, (parts_count_ + 1) * kTaskBytes),
        queues_(gpu, 1),
        producer_(gpu, kSkewedSpv, shape_.WithConstants({})),
        consumer_(gpu, kSkewedPartSpv, shape_.WithConstants({})) {}

  void Reset(VkCommandBuffer commands) const override {
    results_.Fill(commands, 0);
    queues_.Reset(commands, shape_);
  }

  void RecordGraph(VkCommandBuffer commands, uint32_t /*form*/) const override {
    gpu_.Push(commands, Push{results_.address(), 0, 0, 0});
    graph_.Dispatch(commands, {"skewed"});
  }

  void RecordRival(VkCommandBuffer commands, uint32_t) const override {
    gpu_.Push(commands,
              Push{results_.address(), parts_.address(), queues_.address(), static_cast<uint32_t>(parts_count_)});
    producer_.Bind(commands);
    vkCmdDispatch(commands, grid_.x, grid_.y, 1);
    StepBarrier(commands);
    consumer_.Bind(commands);
    queues_.Dispatch(commands, 0);
  }

  [[nodiscard]] const Buffer& results() const override { return results_; }

  [[nodiscard]] std::string Check(const std::vector<uint32_t>& results) const override {
    return CheckWords(results, records_, [](size_t word) {
      const auto index = static_cast<uint32_t>(word);
      uint32_t sum = 0;
      for (uint32_t part = 0; part < WorkgroupsOf(index); ++part) sum += Hash(index ^ (part * 0x9e3779b9u));
      return sum;
    });
  }

  [[nodiscard]] std::optional<Needs> RivalNeeds() const override {
    const auto parts = static_cast<double>(parts_count_);
    return Needs{parts * (2 * kTaskBytes + 8), parts + records_ / kProducerInvocations, 2};
  }

 private:
  const Gpu& gpu_;
  const uint32_t records_;
  const uint64_t parts_count_;
  const Grid grid_;
  const QueueShape shape_;
  const Graph graph_;
  const Buffer results_;
  const Buffer parts_;
  const Queues queues_;
  const Kernel producer_;
  const Kernel consumer_;
};

}  // namespace

std::unique_ptr<Workload> MakeSkewed(const Gpu& gpu, uint32_t records) {
  return std::make_unique<SkewedWorkload>(gpu, records);
}

uint64_t SkewedInvocations(uint32_t records) { return records + WorkgroupsOfAll(records) * kPartInvocations; }

WorkloadEntry Skewed(uint32_t records) {
  return {"skewed dynamic grids", Amount(records, "records"), std::nullopt,
          [=](const Gpu& gpu) { return MakeSkewed(gpu, records); }};
}

}  // namespace trellis::bench
