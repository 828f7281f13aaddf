// SPDX-License-Identifier: Apache-2.0
// Instances are culled; patches of the visible ones are subdivided level by level.
#include <algorithm>
#include <numeric>

#include "bench/workloads/hash.h"
#include "bench/workloads/queues.h"
#include "bench/workloads/workloads.h"
#include "bench_nodes/cull.h"
#include "bench_nodes/draw.h"
#include "bench_nodes/subdivide.h"
#include "bench_shaders/cull.h"
#include "bench_shaders/draw.h"
#include "bench_shaders/subdivide.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kWorld = 65536;
constexpr uint32_t kView = 32768;
constexpr uint32_t kMaxSize = 256;
constexpr uint32_t kSubdivisions = 4;
constexpr uint32_t kLevels = kSubdivisions + 2;  // with those that cull instances and draw patches
constexpr uint32_t kInstanceBytes = 16;
constexpr uint32_t kPatchBytes = 16;

// How instances are tested.
struct Test {
  uint32_t invocations;
  uint32_t items;  // of an invocation

  [[nodiscard]] uint32_t instances() const { return invocations * items; }
};
struct GraphForm {
  Test test;
  uint32_t patches;  // of a workgroup of both other nodes; 1: thread nodes
};
constexpr GraphForm kGraphForms[] = {{{256, 1}, 1},    {{256, 1}, 64}, {{1024, 1}, 1},
                                     {{1024, 1}, 128}, {{256, 4}, 1},  {{256, 4}, 256}};
struct BaselineForm {
  Test test;
  uint32_t invocations;  // of later levels
  bool by_subgroups;
};
constexpr BaselineForm kBaselineForms[] = {{{256, 1}, 64, true},    {{256, 1}, 64, false},   {{256, 1}, 128, false},
                                           {{256, 1}, 256, false},  {{256, 4}, 256, false},  {{256, 4}, 256, true},
                                           {{256, 4}, 512, false},  {{1024, 1}, 512, false}, {{1024, 1}, 1024, false},
                                           {{1024, 4}, 256, false}, {{1024, 4}, 1024, false}};

struct Push {
  VkDeviceAddress results;
  VkDeviceAddress instances;
  VkDeviceAddress patches;
  VkDeviceAddress next;
  VkDeviceAddress queues;
  uint32_t queue;
  uint32_t next_queue;
};

struct Instance {
  uint32_t x;
  uint32_t y;
  uint32_t size;
  uint32_t seed;
};

struct Patch {
  uint32_t instance;
  uint32_t key;
  uint32_t corner;
  uint32_t size;
};

Instance MakeInstance(uint32_t number) {
  const uint32_t place = Hash(number);
  return {place % kWorld, place / kWorld, 16 + Hash(place) % kMaxSize, Hash(~number)};
}

bool IsVisible(const Instance& instance) {
  return instance.x < kView + instance.size && instance.y < kView + instance.size;
}

uint32_t ChildrenOf(const Patch& patch) {
  const uint32_t fate = Hash(patch.key ^ patch.corner) & 0xff;
  if (fate < 128) return 0;
  return fate < 212 ? 1 : 4;
}

Patch Child(const Patch& patch, uint32_t number, uint32_t children) {
  const uint32_t key = Hash(patch.key + number);
  if (children == 1) return {patch.instance, key, patch.corner, patch.size};
  const uint32_t half = patch.size / 2;
  const uint32_t x = (patch.corner + half * (number & 1)) & 0xffff;
  const uint32_t y = ((patch.corner >> 16) + half * (number >> 1)) & 0xffff;
  return {patch.instance, key, y << 16 | x, half};
}

// What a walk on the CPU finds.
struct Walk {
  explicit Walk(uint32_t instances) : results(instances, 0) {
    std::vector<Patch> level;
    for (uint32_t number = 0; number < instances; ++number) {
      const Instance instance = MakeInstance(number);
      if (IsVisible(instance)) level.push_back({number, instance.seed, instance.y << 16 | instance.x, instance.size});
    }
    for (uint32_t i = 0; i < kSubdivisions; ++i) {
      counts.push_back(level.size());
      std::vector<Patch> next;
      for (const Patch& patch : level) {
        const uint32_t children = ChildrenOf(patch);
        for (uint32_t child = 0; child < children; ++child) next.push_back(Child(patch, child, children));
      }
      level = std::move(next);
    }
    counts.push_back(level.size());
    for (const Patch& patch : level) results[patch.instance] += Hash(patch.key ^ patch.corner) + patch.size;
  }

  std::vector<uint64_t> counts;  // of patches, by level
  std::vector<uint32_t> results;
};

bool Fits(const Gpu& gpu, uint32_t invocations) { return invocations <= gpu.limits().maxComputeWorkGroupInvocations; }

class CullingWorkload final : public Workload {
 public:
  CullingWorkload(const Gpu& gpu, uint32_t instances)
      : gpu_(gpu),
        count_(instances),
        walk_(instances),
        results_(gpu, VkDeviceSize{instances} * 4),
        instances_(gpu, VkDeviceSize{instances} * kInstanceBytes),
        patches_{Buffer(gpu, MaxPatches() * kPatchBytes), Buffer(gpu, MaxPatches() * kPatchBytes)} {
    std::vector<uint32_t> words;
    for (uint32_t number = 0; number < instances; ++number) {
      const Instance instance = MakeInstance(number);
      words.insert(words.end(), {instance.x, instance.y, instance.size, instance.seed});
    }
    instances_.Write(words);
    for (const GraphForm& form : kGraphForms)
      if (Fits(gpu, form.test.invocations)) graphs_.push_back(MakeGraph(form));
    for (const BaselineForm& form : kBaselineForms)
      if (Fits(gpu, std::max(form.test.invocations, form.invocations))) baselines_.push_back(MakeBaseline(form));
  }

  void Reset(VkCommandBuffer commands) const override {
    results_.Fill(commands, 0);
    for (const Baseline& baseline : baselines_) baseline.queues->Reset(commands, baseline.shape);
  }

  [[nodiscard]] uint32_t GraphForms() const override { return static_cast<uint32_t>(graphs_.size()); }

  void RecordGraph(VkCommandBuffer commands, uint32_t form) const override {
    gpu_.Push(commands, Push{results_.address(), instances_.address(), 0, 0, 0, 0, 0});
    graphs_[form]->Dispatch(commands, {"cull"});
  }

  [[nodiscard]] uint32_t BaselineForms() const override { return static_cast<uint32_t>(baselines_.size()); }

  void RecordBaseline(VkCommandBuffer commands, uint32_t form) const override {
    const Baseline& baseline = baselines_[form];
    for (uint32_t level = 0; level < kLevels; ++level) {
      // The list that a level reads has the number of the level before.
      gpu_.Push(commands, Push{results_.address(), instances_.address(), patches_[level & 1].address(),
                               patches_[~level & 1].address(), baseline.queues->address(), level - 1, level});
      if (level == 0) {
        baseline.cull->Bind(commands);
        vkCmdDispatch(commands, baseline.grid.x, baseline.grid.y, 1);
        continue;
      }
      StepBarrier(commands);
      (level + 1 < kLevels ? baseline.subdivide : baseline.draw)->Bind(commands);
      baseline.queues->Dispatch(commands, level - 1);
    }
  }

  [[nodiscard]] const Buffer& results() const override { return results_; }

  [[nodiscard]] std::string Check(const std::vector<uint32_t>& results) const override {
    return CheckWords(results, count_, [&](size_t instance) { return walk_.results[instance]; });
  }

  // Instances are read, patches written and read once, and what a patch adds to a word is read and written.
  [[nodiscard]] std::optional<Needs> BaselineNeeds() const override {
    const double patches = double(std::accumulate(walk_.counts.begin(), walk_.counts.end(), uint64_t{0}));
    Needs needs;
    needs.bytes = 1.0 * count_ * kInstanceBytes + 2 * patches * kPatchBytes + 8.0 * double(walk_.counts.back());
    needs.steps = kLevels;
    return needs;
  }

 private:
  struct Baseline {
    Grid grid;
    QueueShape shape;
    std::unique_ptr<Kernel> cull;
    std::unique_ptr<Kernel> subdivide;
    std::unique_ptr<Kernel> draw;
    std::unique_ptr<Queues> queues;
  };

  [[nodiscard]] uint64_t MaxPatches() const { return *std::max_element(walk_.counts.begin(), walk_.counts.end()); }

  [[nodiscard]] std::unique_ptr<Graph> MakeGraph(const GraphForm& form) const {
    const Grid grid = GridOf(count_ / form.test.instances());
    const Constants test = {
        {0, grid.x}, {1, grid.y}, {3, form.test.invocations}, {4, form.test.instances()}, {5, form.test.items}};
    const std::vector<GraphNode> nodes = {{"cull", kCullNode, test},
                                          {"subdivide", kSubdivideNode, {{0, form.patches}, {1, kSubdivisions - 1}}},
                                          {"draw", kDrawNode, {{0, form.patches}}}};
    return std::make_unique<Graph>(gpu_, nodes);
  }

  [[nodiscard]] Baseline MakeBaseline(const BaselineForm& form) const {
    const QueueShape shape = ShapeOfQueue(gpu_, MaxPatches(), form.invocations);
    const uint32_t by_subgroups = form.by_subgroups ? 1 : 0;
    const Constants level = shape.WithConstants({{0, form.invocations}, {1, by_subgroups}});
    const Constants test = shape.WithConstants({{0, form.test.invocations}, {1, by_subgroups}, {5, form.test.items}});
    return {GridOf(count_ / form.test.instances()),          shape,
            std::make_unique<Kernel>(gpu_, kCullSpv, test),  std::make_unique<Kernel>(gpu_, kSubdivideSpv, level),
            std::make_unique<Kernel>(gpu_, kDrawSpv, level), std::make_unique<Queues>(gpu_, kLevels - 1)};
  }

  const Gpu& gpu_;
  const uint32_t count_;
  const Walk walk_;
  const Buffer results_;
  const Buffer instances_;
  const Buffer patches_[2];  // read by even and odd levels
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<Baseline> baselines_;
};

}  // namespace

WorkloadEntry Culling(uint32_t instances) {
  return {"culling and subdivision", Amount(instances, "instances"), std::nullopt,
          [=](const Gpu& gpu) { return std::make_unique<CullingWorkload>(gpu, instances); }};
}

}  // namespace trellis::bench
