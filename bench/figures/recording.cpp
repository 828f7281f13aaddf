#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>

#include "bench/figures/figures.h"
#include "bench/framework/messages.h"
#include "bench/framework/pipelines.h"
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
};

class Recording {
 public:
  explicit Recording(const Gpu& gpu) : gpu_(gpu), commands_(gpu.AllocateCommandBuffer()) {}
  ~Recording() { gpu_.FreeCommandBuffer(commands_); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // CPU time of recording into a command buffer that was used before.
  double Time(const RecordCommands& record) const {
    Begin(commands_);
    const auto begin = std::chrono::steady_clock::now();
    record(commands_);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    Check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
    return time.count();
  }

 private:
  const Gpu& gpu_;
  const VkCommandBuffer commands_;
};

std::optional<Expansion> FindExpansion(const Gpu& gpu, const Workload& workload, const Recording& recording) {
  const Messages messages(gpu);
  (void)recording.Time([&](VkCommandBuffer commands) { workload.RecordGraph(commands); });
  Expansion expansion;
  const std::string text = messages.Last("TRELLIS-dispatch-graph");
  if (std::sscanf(text.c_str(), "%u dispatches, %u levels", &expansion.dispatches, &expansion.levels) != 2)
    return std::nullopt;
  return expansion;
}

// The commands that a graph dispatch becomes, written by hand: push constants and an indirect dispatch for every
// launch, one pipeline for those of a level (there may be more, so this errs on the side of the rival); a kernel and
// two barriers between levels; a kernel with barriers before and after all.
class RawCommands {
 public:
  RawCommands(const Gpu& gpu, Expansion expansion)
      : gpu_(gpu), expansion_(expansion), kernels_{Kernel(gpu, kTouchSpv), Kernel(gpu, kTouchSpv)}, words_(gpu, 64) {}

  void Record(VkCommandBuffer commands) const {
    uint32_t launches = expansion_.dispatches - expansion_.levels - 1;
    StepBarrier(commands);
    Direct(commands);
    StepBarrier(commands);
    for (uint32_t level = 0; level < expansion_.levels; ++level) {
      if (level != 0) Close(commands);
      const uint32_t here = launches / (expansion_.levels - level);
      launches -= here;
      kernels_[0].Bind(commands);
      for (uint32_t launch = 0; launch < here; ++launch) Indirect(commands);
    }
    StepBarrier(commands);
    Direct(commands);
  }

 private:
  void Close(VkCommandBuffer commands) const {
    StepBarrier(commands);
    Direct(commands);
    StepBarrier(commands);
  }
  void Direct(VkCommandBuffer commands) const {
    kernels_[1].Bind(commands);
    gpu_.Push(commands, words_.address());
    vkCmdDispatch(commands, 1, 1, 1);
  }
  void Indirect(VkCommandBuffer commands) const {
    gpu_.Push(commands, words_.address());
    vkCmdDispatchIndirect(commands, words_.handle(), 0);
  }

  const Gpu& gpu_;
  const Expansion expansion_;
  const Kernel kernels_[2];
  const Buffer words_;
};

std::optional<Figure> Measure(const Gpu& gpu, const WorkloadEntry& entry, uint32_t recordings) {
  const std::unique_ptr<Workload> workload = entry.make(gpu);
  const Recording recording(gpu);
  const std::optional<Expansion> expansion = FindExpansion(gpu, *workload, recording);
  if (!expansion || expansion->levels < 2) return std::nullopt;
  const RawCommands raw(gpu, *expansion);
  std::vector<double> ours;
  std::vector<double> theirs;
  for (uint32_t i = 0; i < recordings; ++i) {
    ours.push_back(recording.Time([&](VkCommandBuffer commands) { workload->RecordGraph(commands); }));
    theirs.push_back(recording.Time([&](VkCommandBuffer commands) { raw.Record(commands); }));
  }
  const double our_time = Median(ours);
  const double their_time = Median(theirs);
  char note[128];
  std::snprintf(note, sizeof(note), "%.1f us for %u dispatches in %u levels; the same by hand: %.1f us", our_time / 1e3,
                expansion->dispatches, expansion->levels, their_time / 1e3);
  return Figure{"P7", "recording, " + entry.name + " " + entry.size, "", our_time / their_time, 1.5, note};
}

}  // namespace

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
