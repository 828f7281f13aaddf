// SPDX-License-Identifier: Apache-2.0
// A node array in which every node is a shader of its own, but only eight get records.
#include "bench/workloads/hash.h"
#include "bench/workloads/sorting.h"
#include "bench/workloads/workloads.h"
#include "bench_nodes/shader.h"
#include "bench_shaders/shader.h"
#include "bench_shaders/shader_lists.h"

namespace trellis::bench {
namespace {

struct GraphForm {
  Sort sort;
  uint32_t together;
  uint32_t records;  // of a workgroup of a shader; 1: thread nodes
};
constexpr GraphForm kGraphForms[] = {{{false, 256, 1}, 1, 1},   {{false, 1024, 1}, 1, 1}, {{false, 1024, 1}, 1, 256},
                                     {{true, 1024, 4}, 1, 256}, {{true, 256, 8}, 1, 1},   {{true, 512, 4}, 1, 1},
                                     {{true, 512, 4}, 8, 256}};
constexpr Sort kBaselineSorts[] = {{false, 256, 4}, {false, 512, 4}, {false, 1024, 4}, {true, 256, 4},
                                   {true, 512, 4},  {true, 1024, 2}, {true, 1024, 4}};

// Workgroups of the shaders in use, for a form of the baseline each.
struct Workgroup {
  uint32_t invocations;
  uint32_t rounds;

  [[nodiscard]] uint32_t records() const { return invocations * rounds; }
};
constexpr Workgroup kBaselineWorkgroups[] = {{64, 1}, {128, 1}, {256, 1}, {256, 4}, {512, 2}};
constexpr uint32_t kQueuesOfLine = 8;

struct Push {
  VkDeviceAddress results;
  VkDeviceAddress records;
  VkDeviceAddress queues;
  uint32_t capacity;
  uint32_t records_a_step;
};

uint32_t ShaderResult(const RecordWords& record, uint32_t shader) {
  uint32_t value = record[1];
  for (uint32_t i = 0; i <= shader % 4; ++i) value = Hash(value + shader * 0x9e3779b9u);
  return value + record[2];
}

std::vector<GraphNode> Nodes(const GraphForm& form, uint32_t records, uint32_t shaders) {
  std::vector<GraphNode> nodes = {SortingNode(form.sort, form.together, records, shaders, Spread::kFew)};
  for (uint32_t shader = 0; shader < shaders; ++shader)
    nodes.push_back({"bin", kShaderNode, {{0, shader}, {1, form.records}}, shader});
  return nodes;
}

class ManyShadersWorkload final : public Workload {
 public:
  ManyShadersWorkload(const Gpu& gpu, uint32_t records, uint32_t shaders)
      : gpu_(gpu),
        records_(records),
        shaders_(shaders),
        capacity_(2 * (records / kFewBins) + 4096),
        results_(gpu, VkDeviceSize{records} * 4),
        lists_(gpu, VkDeviceSize{capacity_} * kFewBins * kRecordBytes),
        queues_(gpu, kFewBins * kQueuesOfLine) {
    for (const GraphForm& form : kGraphForms)
      if (Fits(gpu, form.sort, form.together, shaders))
        graphs_.push_back(std::make_unique<Graph>(gpu, Nodes(form, records, shaders)));
    MakeBaselines();
  }

  void Reset(VkCommandBuffer commands) const override {
    results_.Fill(commands, 0);
    queues_.Reset(commands, {});
  }

  [[nodiscard]] uint32_t GraphForms() const override { return static_cast<uint32_t>(graphs_.size()); }

  void RecordGraph(VkCommandBuffer commands, uint32_t form) const override {
    gpu_.Push(commands, Push{results_.address(), 0, 0, 0, 0});
    graphs_[form]->Dispatch(commands, {"classify"});
  }

  [[nodiscard]] uint32_t BaselineForms() const override {
    return static_cast<uint32_t>(producers_.size() * consumers_.size());
  }

  void RecordBaseline(VkCommandBuffer commands, uint32_t form) const override {
    const Producer& producer = producers_[form / consumers_.size()];
    const Consumer& consumer = consumers_[form % consumers_.size()];
    gpu_.Push(commands,
              Push{results_.address(), lists_.address(), queues_.address(), capacity_, consumer.workgroup.records()});
    producer.kernel->Bind(commands);
    vkCmdDispatch(commands, producer.grid.x, producer.grid.y, 1);
    StepBarrier(commands);
    for (uint32_t list = 0; list < kFewBins; ++list) {
      consumer.kernels[list]->Bind(commands);
      queues_.Dispatch(commands, list * kQueuesOfLine);
    }
  }

  [[nodiscard]] const Buffer& results() const override { return results_; }

  [[nodiscard]] std::string Check(const std::vector<uint32_t>& results) const override {
    return CheckWords(results, records_, [&](size_t word) {
      const auto index = static_cast<uint32_t>(word);
      return ShaderResult(MakeRecord(index), BinOf(index, shaders_, Spread::kFew));
    });
  }

  // Each record is written once and read once, and makes one word.
  [[nodiscard]] std::optional<Needs> BaselineNeeds() const override {
    return Needs{records_ * (2.0 * kRecordBytes + 4), 1.0 * kFewBins, 2};
  }

 private:
  struct Producer {
    std::unique_ptr<Kernel> kernel;
    Grid grid;
  };
  struct Consumer {
    Workgroup workgroup;
    std::vector<std::unique_ptr<Kernel>> kernels;  // by list
  };

  void MakeBaselines() {
    for (const Sort& sort : kBaselineSorts) {
      const uint32_t items = sort.items_of_workgroup();
      if (!Fits(gpu_, sort, 1, kFewBins) || records_ % items != 0) continue;
      const Constants constants = {
          {0, sort.invocations}, {1, sort.items}, {2, items}, {3, sort.in_shared_memory ? 1u : 0u}};
      producers_.push_back({std::make_unique<Kernel>(gpu_, kShaderListsSpv, constants), GridOf(records_ / items)});
    }
    for (const Workgroup& workgroup : kBaselineWorkgroups) {
      if (workgroup.invocations > gpu_.limits().maxComputeWorkGroupInvocations) continue;
      consumers_.push_back({workgroup, {}});
      for (uint32_t list = 0; list < kFewBins; ++list) {
        const uint32_t shader = list * (shaders_ / kFewBins) + shaders_ / (2 * kFewBins);
        consumers_.back().kernels.push_back(std::make_unique<Kernel>(
            gpu_, kShaderSpv, Constants{{0, shader}, {1, workgroup.invocations}, {2, workgroup.rounds}, {3, list}}));
      }
    }
  }

  const Gpu& gpu_;
  const uint32_t records_;
  const uint32_t shaders_;
  const uint32_t capacity_;
  const Buffer results_;
  const Buffer lists_;
  const Queues queues_;
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<Producer> producers_;
  std::vector<Consumer> consumers_;
};

}  // namespace

WorkloadEntry ManyShaders(uint32_t records, uint32_t shaders) {
  return {"many shaders",
          Amount(records, "to ") + std::to_string(kFewBins) + " of " + std::to_string(shaders) + " shaders",
          std::nullopt, [=](const Gpu& gpu) { return std::make_unique<ManyShadersWorkload>(gpu, records, shaders); }};
}

}  // namespace trellis::bench
