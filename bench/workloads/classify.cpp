// SPDX-License-Identifier: Apache-2.0
// Items are sorted into the nodes of a node array, each of which adds up its own.
#include <numeric>

#include "bench/workloads/sorting.h"
#include "bench/workloads/workloads.h"
#include "bench_nodes/bin.h"
#include "bench_shaders/bin.h"
#include "bench_shaders/bin_parts.h"
#include "bench_shaders/classify.h"
#include "bench_shaders/classify_sorted.h"

namespace trellis::bench {
namespace {

struct Form : Sort {
  uint32_t records_of_share;  // that a workgroup of the bins takes
  uint32_t together = 1;      // most items that an invocation of the graph sends at once
  uint32_t at_once = 4;       // records that an invocation of the graph's bins asks for at once
};
constexpr uint32_t kBaselinesAtOnce[] = {4, 8};
constexpr Form kGraphForms[] = {
    {{false, 256, 1}, 256},        {{false, 512, 1}, 256},        {{false, 1024, 1}, 256},
    {{false, 1024, 1}, 1024},      {{true, 256, 8}, 256},         {{true, 256, 8}, 1024},
    {{true, 512, 4}, 256},         {{true, 512, 4}, 1024},        {{true, 512, 4}, 2048},
    {{true, 512, 8}, 1024},        {{true, 512, 8}, 2048},        {{true, 1024, 4}, 256},
    {{true, 1024, 4}, 1024},       {{true, 1024, 4}, 2048},       {{true, 512, 4}, 2048, 5},
    {{true, 512, 8}, 2048, 11},    {{true, 1024, 4}, 2048, 5},    {{true, 256, 16}, 8192, 48},
    {{true, 256, 24}, 8192, 96},   {{true, 512, 4}, 2048, 1, 8},  {{true, 512, 4}, 2304, 1, 9},
    {{true, 512, 4}, 4608, 1, 9},  {{true, 1024, 4}, 2048, 1, 8}, {{true, 1024, 4}, 2304, 1, 9},
    {{true, 1024, 4}, 4608, 1, 6}, {{true, 1024, 4}, 4608, 1, 9}};
constexpr Form kBaselineForms[] = {{{false, 256, 1}, 1024}, {{false, 256, 4}, 1024}, {{true, 256, 4}, 1024},
                                   {{true, 256, 8}, 2048},  {{true, 256, 16}, 2048}, {{true, 512, 8}, 4096},
                                   {{true, 1024, 2}, 2048}, {{true, 1024, 4}, 1024}, {{true, 1024, 4}, 2048},
                                   {{true, 1024, 4}, 4096}, {{true, 1024, 8}, 2048}, {{true, 256, 16}, 8192},
                                   {{true, 256, 24}, 4096}, {{true, 256, 24}, 8192}, {{true, 256, 28}, 8192}};

struct Push {
  VkDeviceAddress results;
  VkDeviceAddress records;
  VkDeviceAddress counters;
  uint32_t item_count;
  uint32_t capacity;
  VkDeviceAddress starts;
};

std::vector<GraphNode> Nodes(uint32_t items, const Form& form, uint32_t bins, Spread spread) {
  std::vector<GraphNode> nodes = {SortingNode(form, form.together, items, bins, spread)};
  for (uint32_t bin = 0; bin < bins; ++bin)
    nodes.push_back({"bin", kBinNode, {{0, bin}, {1, form.records_of_share}, {2, form.at_once}}, bin});
  return nodes;
}

class ClassifyWorkload final : public Workload {
 public:
  ClassifyWorkload(const Gpu& gpu, uint32_t items, uint32_t bins, Spread spread)
      : gpu_(gpu),
        items_(items),
        bins_(bins),
        spread_(spread),
        capacity_(spread == Spread::kUniform ? 2 * (items / bins) + 4096 : items),
        results_(gpu, VkDeviceSize{bins} * 4),
        list_(gpu, VkDeviceSize{capacity_} * (spread == Spread::kUniform ? bins : 1) * kRecordBytes),
        counters_(gpu, VkDeviceSize{bins} * kCounterBytes),
        starts_(gpu, VkDeviceSize{bins} * 4) {
    starts_.Write(Starts());
    for (const uint32_t at_once : kBaselinesAtOnce) {
      if (spread != Spread::kUniform) {
        bins_of_baselines_.push_back(std::make_unique<Kernel>(gpu, kBinPartsSpv, Constants{{0, bins}, {1, at_once}}));
        continue;
      }
      for (const uint32_t neighbours : {0u, 1u})
        bins_of_baselines_.push_back(std::make_unique<Kernel>(gpu, kBinSpv, Constants{{0, neighbours}, {1, at_once}}));
    }
    for (const Form& form : kGraphForms)
      if (Fits(gpu, form, form.together, bins) && (form.together != 1 || items % form.items_of_workgroup() == 0))
        graphs_.push_back(std::make_unique<Graph>(gpu, Nodes(items, form, bins, spread)));
    for (const Form& form : kBaselineForms)
      if (Fits(gpu, form, form.together, bins))
        for (const std::unique_ptr<Kernel>& bin : bins_of_baselines_) baselines_.push_back(MakeBaseline(form, *bin));
  }

  void Reset(VkCommandBuffer commands) const override {
    results_.Fill(commands, 0);
    counters_.Fill(commands, 0);
  }

  [[nodiscard]] uint32_t GraphForms() const override { return static_cast<uint32_t>(graphs_.size()); }

  void RecordGraph(VkCommandBuffer commands, uint32_t form) const override {
    gpu_.Push(commands, Push{results_.address(), 0, 0, 0, 0, 0});
    graphs_[form]->Dispatch(commands, {"classify"});
  }

  [[nodiscard]] uint32_t BaselineForms() const override { return static_cast<uint32_t>(baselines_.size()); }

  void RecordBaseline(VkCommandBuffer commands, uint32_t form) const override {
    const Baseline& baseline = baselines_[form];
    gpu_.Push(commands,
              Push{results_.address(), list_.address(), counters_.address(), items_, capacity_, starts_.address()});
    baseline.classify->Bind(commands);
    vkCmdDispatch(commands, baseline.producers.x, baseline.producers.y, 1);
    StepBarrier(commands);
    baseline.bin->Bind(commands);
    vkCmdDispatch(commands, baseline.consumers.x, baseline.consumers.y, 1);
  }

  [[nodiscard]] const Buffer& results() const override { return results_; }

  [[nodiscard]] std::string Check(const std::vector<uint32_t>& results) const override {
    std::vector<uint32_t> sums(bins_, 0);
    for (uint32_t item = 0; item < items_; ++item) {
      const uint32_t bin = BinOf(item, bins_, spread_);
      sums[bin] += BinResult(item, bin);
    }
    return CheckWords(results, bins_, [&](size_t bin) { return sums[bin]; });
  }

  // Each record is written once and read once.
  [[nodiscard]] std::optional<Needs> BaselineNeeds() const override {
    return Needs{2.0 * items_ * kRecordBytes, 1.0 * bins_, 2};
  }

 private:
  struct Baseline {
    std::unique_ptr<Kernel> classify;
    Grid producers;
    Grid consumers;
    const Kernel* bin;
  };

  [[nodiscard]] Baseline MakeBaseline(const Form& form, const Kernel& bin) const {
    const uint32_t items = form.items_of_workgroup();
    const Constants constants = {
        {0, bins_}, {1, form.items}, {2, form.invocations}, {3, items}, {8, static_cast<uint32_t>(spread_)}};
    const Grid consumers = spread_ == Spread::kUniform ? Grid{DivideUp(items_, bins_ * form.records_of_share), bins_}
                                                       : GridOf(DivideUp(items_, form.records_of_share));
    return {std::make_unique<Kernel>(gpu_, form.in_shared_memory ? Words(kClassifySortedSpv) : kClassifySpv, constants),
            GridOf(DivideUp(items_, items)), consumers, &bin};
  }

  // Where the lists of the bins begin, if they lie one behind the other: exactly as large as they must be.
  [[nodiscard]] std::vector<uint32_t> Starts() const {
    std::vector<uint32_t> starts(bins_, 0);
    for (uint32_t item = 0; item < items_; ++item) {
      const uint32_t bin = BinOf(item, bins_, spread_);
      if (bin + 1 < bins_) ++starts[bin + 1];
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    return starts;
  }

  const Gpu& gpu_;
  const uint32_t items_;
  const uint32_t bins_;
  const Spread spread_;
  const uint32_t capacity_;
  const Buffer results_;
  const Buffer list_;
  const Buffer counters_;
  const Buffer starts_;
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<Baseline> baselines_;
  // Each takes neighbours, or every so-manyth record; as many at once as kBaselinesAtOnce says.
  std::vector<std::unique_ptr<Kernel>> bins_of_baselines_;
};

}  // namespace

WorkloadEntry Classify(uint32_t records, uint32_t bins, Spread spread) {
  constexpr const char* kSpreads[] = {"", ", Zipf", ", all to one", ", few"};
  return {"classify", Amount(records, "to ") + std::to_string(bins) + " nodes" + kSpreads[static_cast<size_t>(spread)],
          std::nullopt, [=](const Gpu& gpu) { return std::make_unique<ClassifyWorkload>(gpu, records, bins, spread); }};
}

}  // namespace trellis::bench
