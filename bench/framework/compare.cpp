// SPDX-License-Identifier: Apache-2.0
#include "bench/framework/compare.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>

#include "bench/framework/pipelines.h"
#include "bench_shaders/empty.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kWarmUps = 2;

// One form of a workload, recorded.
class Contender {
 public:
  Contender(const Gpu& gpu, const Workload& workload, const RecordCommands& record)
      : work_(std::make_unique<TimedWork>(
            gpu, [&](VkCommandBuffer commands) { workload.Reset(commands); }, record)),
        cold_(work_->Run()) {
    for (uint32_t i = 0; i < kWarmUps; ++i) (void)Run();
  }

  double Run() {
    const double time = work_->Run();
    fastest_ = std::min(fastest_, time);
    return time;
  }

  [[nodiscard]] double cold() const { return cold_; }
  [[nodiscard]] double fastest() const { return fastest_; }  // but for the first run

 private:
  std::unique_ptr<TimedWork> work_;
  double cold_ = 0;
  double fastest_ = std::numeric_limits<double>::max();
};

// All forms, warmed up, and their results looked at.
std::vector<Contender> Contenders(const Gpu& gpu, const Workload& workload, const char* who, uint32_t forms,
                                  const std::function<void(VkCommandBuffer, uint32_t form)>& record,
                                  std::string& mistake) {
  std::vector<Contender> contenders;
  for (uint32_t form = 0; form < forms; ++form) {
    contenders.emplace_back(gpu, workload, [&](VkCommandBuffer commands) { record(commands, form); });
    const std::string wrong = workload.Check(workload.results().Read());
    if (!wrong.empty() && mistake.empty()) mistake = std::string(who) + ": " + wrong;
  }
  return contenders;
}

// Checking results on the host lets a GPU fall back to resting clocks, a fifth of its clocks at worst. It takes work
// without pauses until it leaves them: for as long as this at least, and until all is about as fast as it has been, but
// not forever.
constexpr std::chrono::milliseconds kSettling(500);
constexpr std::chrono::milliseconds kMaxSettling(3000);
constexpr double kSettled = 1.1;
// Empty workgroups next to each of them, since small work alone leaves a GPU idle for most of the time. They touch no
// memory.
constexpr uint32_t kLoad[] = {4096, 256};

void Settle(const Gpu& gpu, const std::vector<Contender*>& contenders) {
  const Kernel empty(gpu, kEmptySpv, {{0, 32}});
  const TimedWork load(
      gpu, [](VkCommandBuffer) {},
      [&](VkCommandBuffer commands) {
        empty.Bind(commands);
        vkCmdDispatch(commands, kLoad[0], kLoad[1], 1);
      });
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    double now = 0;
    double fastest = 0;
    for (Contender* contender : contenders) {
      (void)load.Run();
      now += contender->Run();
      fastest += contender->fastest();
    }
    const auto passed = std::chrono::steady_clock::now() - begin;
    if (passed > kMaxSettling || (passed > kSettling && now < kSettled * fastest)) return;
  }
}

// Of each contender; they take turns.
std::vector<std::vector<double>> Sample(const std::vector<Contender*>& contenders, uint32_t repetitions) {
  std::vector<std::vector<double>> samples(contenders.size());
  for (uint32_t i = 0; i < repetitions; ++i) {
    for (size_t k = 0; k < contenders.size(); ++k) samples[k].push_back(contenders[k]->Run());
  }
  return samples;
}

size_t Fastest(const std::vector<double>& medians) {
  return static_cast<size_t>(std::min_element(medians.begin(), medians.end()) - medians.begin());
}

}  // namespace

Comparison Compare(const Gpu& gpu, const Workload& workload, uint32_t repetitions, bool quick) {
  Comparison comparison;
  std::vector<Contender> ours = Contenders(
      gpu, workload, "graph", workload.GraphForms(),
      [&](VkCommandBuffer commands, uint32_t form) { workload.RecordGraph(commands, form); }, comparison.mistake);
  std::vector<Contender> theirs = Contenders(
      gpu, workload, "baseline", workload.BaselineForms(),
      [&](VkCommandBuffer commands, uint32_t form) { workload.RecordBaseline(commands, form); }, comparison.mistake);
  std::vector<Contender*> all;
  for (Contender& contender : ours) all.push_back(&contender);
  for (Contender& contender : theirs) all.push_back(&contender);

  // No pauses from here on, or forms would be chosen by the clocks they happen to meet.
  if (!gpu.is_cpu() && !quick) Settle(gpu, all);
  size_t our_form = 0;
  size_t their_form = 0;
  if (all.size() > 2) {
    const auto samples = Sample(all, repetitions);
    for (size_t i = 0; i < all.size(); ++i)
      (i < ours.size() ? comparison.our_forms : comparison.their_forms).push_back(Median(samples[i]));
    our_form = Fastest(comparison.our_forms);
    their_form = Fastest(comparison.their_forms);
  }
  const auto finals = Sample({&ours[our_form], &theirs[their_form]}, repetitions);
  comparison.ours = Summarise(ours[our_form].cold(), finals[0]);
  comparison.theirs = Summarise(theirs[their_form].cold(), finals[1]);
  // Now, because clocks change between workloads.
  if (const std::optional<Needs> needs = workload.BaselineNeeds())
    comparison.baseline_share = ShareOfBound(MeasureRates(gpu, quick), *needs, comparison.theirs.minimum);
  return comparison;
}

}  // namespace trellis::bench
