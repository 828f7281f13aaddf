// SPDX-License-Identifier: Apache-2.0
// The records of bench/shaders/shared/records.glsl, and workloads that consist of making them and consuming them one by
// one.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "bench/framework/workload.h"
#include "bench/workloads/queues.h"

namespace trellis::bench {

inline constexpr uint32_t kRecordBytes = 16;
inline constexpr uint32_t kProducerInvocations = 256;
// Of items over bins: spread.glsl. The numbers are its specialisation constant.
enum class Spread : uint32_t { kUniform, kZipf, kOne, kFew };
inline constexpr uint32_t kFewBins = 8;

using RecordWords = std::array<uint32_t, 4>;
RecordWords MakeRecord(uint32_t index);
// What the light consumers compute of a record.
RecordWords LightResult(const RecordWords& record);
uint32_t BinOf(uint32_t index, uint32_t bins, Spread spread);
uint32_t BinResult(uint32_t index, uint32_t bin);

// Whether `results` holds result(MakeRecord(i)) for each of `records` records, one after the other. Goes through them
// in order.
std::string CheckRecords(const std::vector<uint32_t>& results, uint32_t records,
                         RecordWords (*result)(const RecordWords&));

// How one record is consumed, by a node and by hand-written compute.
struct Consumer {
  Words node;
  Words baseline;
  // What workgroups of the baseline may look like: invocations (specialisation constant 0 of `baseline`), the records
  // that they take at once, and how often (constant 1). Each is tried.
  struct Workgroup {
    uint32_t invocations;
    uint32_t records;
    uint32_t rounds = 1;
  };
  std::vector<Workgroup> workgroups;
  RecordWords (*result)(const RecordWords&) = LightResult;
  uint32_t invocations_of_record = 1;
  bool arithmetic = false;  // it is neither memory nor launching that takes the time
};

// A producer writes `records` records, a consumer makes four words of each.
class RecordsWorkload final : public Workload {
 public:
  RecordsWorkload(const Gpu& gpu, uint32_t records, const Consumer& consumer);

  void Reset(VkCommandBuffer commands) const override;
  [[nodiscard]] uint32_t GraphForms() const override { return static_cast<uint32_t>(graphs_.size()); }
  void RecordGraph(VkCommandBuffer commands, uint32_t form) const override;
  [[nodiscard]] uint32_t BaselineForms() const override { return static_cast<uint32_t>(baselines_.size()); }
  void RecordBaseline(VkCommandBuffer commands, uint32_t form) const override;
  [[nodiscard]] const Buffer& results() const override { return results_; }
  [[nodiscard]] std::string Check(const std::vector<uint32_t>& results) const override;
  [[nodiscard]] std::optional<Needs> BaselineNeeds() const override;

 private:
  struct Baseline {
    Consumer::Workgroup workgroup;
    Grid producers;
    std::unique_ptr<Kernel> produce;
    std::unique_ptr<Kernel> consume;
    std::unique_ptr<Queues> queues;
    QueueShape shape;
  };
  // `items`: records that an invocation of the producer makes.
  [[nodiscard]] std::unique_ptr<Graph> MakeGraph(uint32_t items) const;
  [[nodiscard]] Baseline MakeBaseline(Consumer::Workgroup workgroup, uint32_t items) const;

  const Gpu& gpu_;
  const uint32_t records_;
  const Consumer consumer_;
  const Buffer results_;
  const Buffer list_;
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<Baseline> baselines_;
};

}  // namespace trellis::bench
