// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "bench/figures/figures.h"
#include "bench/framework/messages.h"
#include "bench/framework/pipelines.h"
#include "bench/framework/recording.h"
#include "bench/workloads/workloads.h"
#include "bench_shaders/touch.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kRecordings = 101;
constexpr uint32_t kQuickRecordings = 3;

// What the layer says that a graph dispatch became.
struct Expansion {
  uint32_t dispatches = 0;
  uint32_t levels = 0;
  uint32_t binds = 0;
  uint32_t barriers = 0;  // but for the one at the end of the recording
};

std::optional<Expansion> FindExpansion(const Gpu& gpu, const Workload& workload, const Recording& recording) {
  const Messages messages(gpu);
  (void)recording.Time([&](VkCommandBuffer commands) { workload.RecordGraph(commands, 0); });
  Expansion expansion;
  const std::string text = messages.Last("TRELLIS-dispatch-graph");
  if (std::sscanf(text.c_str(), "%u dispatches, %u levels, %u pipelines bound, %u barriers", &expansion.dispatches,
                  &expansion.levels, &expansion.binds, &expansion.barriers) != 4)
    return std::nullopt;
  return expansion;
}

// The commands that a graph dispatch becomes, written by hand: a kernel before and one after all; between them push
// constants and an indirect dispatch for everything else; as many barriers, evenly spread, and one at the end; as many
// pipelines bound.
class RawCommands {
 public:
  RawCommands(const Gpu& gpu, Expansion expansion)
      : gpu_(gpu),
        expansion_(expansion),
        kernels_{Kernel(gpu, kTouchSpv), Kernel(gpu, kTouchSpv)},
        words_(gpu, 64),
        labels_(gpu) {}

  void Record(VkCommandBuffer commands) const {
    uint32_t number = 0;
    labels_.Begin(commands, "execution graph");
    Direct(commands, number++);
    const uint32_t launches = expansion_.dispatches - 2;
    uint32_t barriers = 0;
    for (uint32_t launch = 0; launch < launches; ++launch) {
      for (; barriers * launches < expansion_.barriers * (launch + 1); ++barriers) StepBarrier(commands);
      Indirect(commands, number++);
    }
    Direct(commands, number);
    StepBarrier(commands);
    labels_.End(commands);
  }

 private:
  // What is bound changes as often as the graph's pipelines do, evenly spread.
  void Prepare(VkCommandBuffer commands, uint32_t number) const {
    const auto binds_before = [this](uint32_t dispatch) { return dispatch * expansion_.binds / expansion_.dispatches; };
    const uint32_t next = binds_before(number + 1);
    if (number == 0 || next != binds_before(number)) kernels_[next & 1].Bind(commands);
    gpu_.Push(commands, words_.address());
  }
  void Direct(VkCommandBuffer commands, uint32_t number) const {
    labels_.Begin(commands, "internal kernel");
    Prepare(commands, number);
    vkCmdDispatch(commands, 1, 1, 1);
    labels_.End(commands);
  }
  void Indirect(VkCommandBuffer commands, uint32_t number) const {
    labels_.Begin(commands, "node of a level");
    Prepare(commands, number);
    vkCmdDispatchIndirect(commands, words_.handle(), 0);
    labels_.End(commands);
  }

  const Gpu& gpu_;
  const Expansion expansion_;
  const Kernel kernels_[2];
  const Buffer words_;
  const Labels labels_;
};

std::optional<Figure> Measure(const Gpu& gpu, const WorkloadEntry& entry, uint32_t recordings) {
  const std::unique_ptr<Workload> workload = entry.make(gpu);
  const Recording recording(gpu);
  const std::optional<Expansion> expansion = FindExpansion(gpu, *workload, recording);
  if (!expansion || expansion->levels < 2) return std::nullopt;
  const RawCommands raw(gpu, *expansion);
  const auto [our_time, their_time] = MediansInTurns(
      recordings, [&] { return recording.Time([&](VkCommandBuffer commands) { workload->RecordGraph(commands, 0); }); },
      [&] { return recording.Time([&](VkCommandBuffer commands) { raw.Record(commands); }); });
  char note[128];
  std::snprintf(note, sizeof(note), "%.1f us for %u dispatches in %u levels; hand-written: %.1f us", our_time / 1e3,
                expansion->dispatches, expansion->levels, their_time / 1e3);
  return Figure{"P7", "recording, " + entry.name + " " + entry.size, "", our_time / their_time, 1.5, note};
}

// Command buffers of a pool of their own, which is reset as a whole.
class CommandBuffers {
 public:
  CommandBuffers(const Gpu& gpu, uint32_t count) : gpu_(gpu), commands_(count) {
    auto pool = Struct<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    pool.queueFamilyIndex = gpu.queue_family();
    Check(vkCreateCommandPool(gpu.device(), &pool, nullptr, &pool_), "vkCreateCommandPool");
    auto allocation = Struct<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    allocation.commandPool = pool_;
    allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocation.commandBufferCount = count;
    Check(vkAllocateCommandBuffers(gpu.device(), &allocation, commands_.data()), "vkAllocateCommandBuffers");
  }
  ~CommandBuffers() { vkDestroyCommandPool(gpu_.device(), pool_, nullptr); }
  CommandBuffers(const CommandBuffers&) = delete;
  CommandBuffers& operator=(const CommandBuffers&) = delete;

  // Returns the CPU time per command buffer of resetting the pool and recording all of them.
  double Time(const RecordCommands& record) const {
    const auto begin = std::chrono::steady_clock::now();
    Check(vkResetCommandPool(gpu_.device(), pool_, 0), "vkResetCommandPool");
    for (const VkCommandBuffer commands : commands_) {
      Begin(commands);
      record(commands);
      Check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    }
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() /
           static_cast<double>(commands_.size());
  }

 private:
  const Gpu& gpu_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::vector<VkCommandBuffer> commands_;
};

}  // namespace

std::vector<Figure> CommandBufferCost(const Gpu& gpu, bool quick) {
  const WorkloadEntry entry = Chain(2, 1);
  const std::unique_ptr<Workload> workload = entry.make(gpu);
  const std::optional<Expansion> expansion = FindExpansion(gpu, *workload, Recording(gpu));
  if (!expansion) return {};
  const RawCommands raw(gpu, *expansion);
  const std::vector<uint32_t> counts =
      quick ? std::vector<uint32_t>{1, 64} : std::vector<uint32_t>{1, 16, 32, 64, 256, 1024};
  std::vector<Figure> figures;
  for (const uint32_t count : counts) {
    const CommandBuffers graphs(gpu, count);
    const CommandBuffers raws(gpu, count);
    const auto [our_time, their_time] = MediansInTurns(
        std::max(kQuickRecordings, (quick ? 16u : 8192u) / count),
        [&] { return graphs.Time([&](VkCommandBuffer commands) { workload->RecordGraph(commands, 0); }); },
        [&] { return raws.Time([&](VkCommandBuffer commands) { raw.Record(commands); }); });
    char note[128];
    std::snprintf(note, sizeof(note), "%.1f us for each command buffer of a pool that is reset; hand-written: %.1f us",
                  our_time / 1e3, their_time / 1e3);
    figures.push_back(
        {"P7", "recording, command buffers: " + std::to_string(count), "", our_time / their_time, std::nullopt, note});
  }
  return figures;
}

std::vector<Figure> RecordingCost(const Gpu& gpu, bool quick) {
  const std::vector<WorkloadEntry> entries =
      quick ? std::vector{Chain(8, 1)} : std::vector{Chain(32, 1), Mixed(1024, 8), Classify(4096, 128)};
  std::vector<Figure> figures;
  for (const WorkloadEntry& entry : entries)
    if (std::optional<Figure> figure = Measure(gpu, entry, quick ? kQuickRecordings : kRecordings))
      figures.push_back(*std::move(figure));
  return figures;
}

}  // namespace trellis::bench
