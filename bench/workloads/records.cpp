// SPDX-License-Identifier: Apache-2.0
#include "bench/workloads/records.h"

#include <algorithm>
#include <bit>

#include "bench/workloads/hash.h"
#include "bench_nodes/produce.h"
#include "bench_shaders/produce.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kItems[] = {1, 4};  // of an invocation of the producer

struct Push {
  VkDeviceAddress results;
  VkDeviceAddress records;
  VkDeviceAddress queues;
};

}  // namespace

RecordWords MakeRecord(uint32_t index) { return {index, Hash(index), index * 3, ~index}; }

RecordWords LightResult(const RecordWords& record) {
  return {Hash(record[0]), Hash(record[1] + 1), Hash(record[2] + 2), Hash(record[3] + 3)};
}

uint32_t BinOf(uint32_t index, uint32_t bins, Spread spread) {
  const uint32_t seed = Hash(index);
  if (spread == Spread::kUniform) return seed % bins;
  if (spread == Spread::kOne) return bins / 2;
  if (spread == Spread::kFew) return seed % kFewBins * (bins / kFewBins) + bins / (2 * kFewBins);
  const auto octaves = static_cast<uint32_t>(std::bit_width(bins + 1) - 1);
  const uint32_t first = (1u << (seed >> 16) % octaves) - 1;
  return first + (seed & first);
}

uint32_t BinResult(uint32_t index, uint32_t bin) { return Hash(Hash(index) ^ (bin * 0x9e3779b9u)) + index * 3; }

std::string CheckRecords(const std::vector<uint32_t>& results, uint32_t records,
                         RecordWords (*result)(const RecordWords&)) {
  RecordWords expected = {};
  return CheckWords(results, size_t{records} * expected.size(), [&](size_t word) {
    const size_t part = word % expected.size();
    if (part == 0) expected = result(MakeRecord(static_cast<uint32_t>(word / expected.size())));
    return expected[part];
  });
}

RecordsWorkload::RecordsWorkload(const Gpu& gpu, uint32_t records, const Consumer& consumer)
    : gpu_(gpu),
      records_(records),
      consumer_(consumer),
      results_(gpu, VkDeviceSize{records} * kRecordBytes),
      list_(gpu, VkDeviceSize{records} * kRecordBytes) {
  for (const uint32_t items : kItems) graphs_.push_back(MakeGraph(items));
  for (const Consumer::Workgroup workgroup : consumer.workgroups) {
    if (workgroup.invocations > gpu.limits().maxComputeWorkGroupInvocations) continue;
    for (const uint32_t items : kItems) baselines_.push_back(MakeBaseline(workgroup, items));
  }
}

std::unique_ptr<Graph> RecordsWorkload::MakeGraph(uint32_t items) const {
  const Grid grid = GridOf(records_ / kProducerInvocations / items);
  const std::vector<GraphNode> nodes = {{"produce", kProduceNode, {{0, grid.x}, {1, grid.y}, {2, items}}},
                                        {"consume", consumer_.node}};
  return std::make_unique<Graph>(gpu_, nodes);
}

RecordsWorkload::Baseline RecordsWorkload::MakeBaseline(Consumer::Workgroup workgroup, uint32_t items) const {
  const QueueShape shape = ShapeOfQueue(gpu_, records_, workgroup.records * workgroup.rounds);
  return {workgroup,
          GridOf(records_ / kProducerInvocations / items),
          std::make_unique<Kernel>(gpu_, kProduceSpv, shape.WithConstants({{0, items}})),
          std::make_unique<Kernel>(gpu_, consumer_.baseline,
                                   shape.WithConstants({{0, workgroup.invocations}, {1, workgroup.rounds}})),
          std::make_unique<Queues>(gpu_, 1),
          shape};
}

void RecordsWorkload::Reset(VkCommandBuffer commands) const {
  results_.Fill(commands, 0);
  for (const Baseline& baseline : baselines_) baseline.queues->Reset(commands, baseline.shape);
}

void RecordsWorkload::RecordGraph(VkCommandBuffer commands, uint32_t form) const {
  gpu_.Push(commands, Push{results_.address(), 0, 0});
  graphs_[form]->Dispatch(commands, {"produce"});
}

void RecordsWorkload::RecordBaseline(VkCommandBuffer commands, uint32_t form) const {
  const Baseline& baseline = baselines_[form];
  gpu_.Push(commands, Push{results_.address(), list_.address(), baseline.queues->address()});
  baseline.produce->Bind(commands);
  vkCmdDispatch(commands, baseline.producers.x, baseline.producers.y, 1);
  StepBarrier(commands);
  baseline.consume->Bind(commands);
  baseline.queues->Dispatch(commands, 0);
}

std::string RecordsWorkload::Check(const std::vector<uint32_t>& results) const {
  return CheckRecords(results, records_, consumer_.result);
}

std::optional<Needs> RecordsWorkload::BaselineNeeds() const {
  if (consumer_.arithmetic) return std::nullopt;
  uint32_t most = 1;
  for (const Baseline& baseline : baselines_)
    most = std::max(most, baseline.workgroup.records * baseline.workgroup.rounds);
  const double records = records_;
  return Needs{3 * records * kRecordBytes, records / kProducerInvocations + records / most, 2,
               records * consumer_.invocations_of_record};
}

}  // namespace trellis::bench
