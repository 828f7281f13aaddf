#include "bench/framework/compare.h"

#include <algorithm>
#include <chrono>
#include <functional>

namespace trellis::bench {
namespace {

constexpr uint32_t kWarmUps = 2;

std::unique_ptr<TimedWork> Timed(const Gpu& gpu, const Workload& workload, const RecordCommands& work) {
  return std::make_unique<TimedWork>(
      gpu, [&](VkCommandBuffer commands) { workload.Reset(commands); }, work);
}

// Long enough for a GPU to leave its resting clocks, which checking results on the host lets it fall back to.
constexpr std::chrono::milliseconds kSettling(50);

void Settle(const TimedWork& ours, const TimedWork& theirs) {
  const auto begin = std::chrono::steady_clock::now();
  do {
    (void)ours.Run();
    (void)theirs.Run();
  } while (std::chrono::steady_clock::now() - begin < kSettling);
}

// Runs it cold and warm, and looks at the results.
double WarmUp(const TimedWork& work, const Workload& workload, const char* who, std::string& mistake) {
  const double cold = work.Run();
  for (uint32_t i = 0; i < kWarmUps; ++i) (void)work.Run();
  const std::string wrong = workload.Check(workload.results().Read());
  if (!wrong.empty() && mistake.empty()) mistake = std::string(who) + ": " + wrong;
  return cold;
}

struct Contender {
  std::unique_ptr<TimedWork> work;
  double cold = 0;
  std::vector<double> forms;  // medians of all
};

// The fastest of `forms` forms.
Contender Best(const Gpu& gpu, const Workload& workload, const char* who, uint32_t forms, uint32_t repetitions,
               const std::function<void(VkCommandBuffer, uint32_t form)>& record, std::string& mistake) {
  Contender best;
  std::vector<double> medians;
  for (uint32_t form = 0; form < forms; ++form) {
    auto work = Timed(gpu, workload, [&](VkCommandBuffer commands) { record(commands, form); });
    const double cold = WarmUp(*work, workload, who, mistake);
    if (forms == 1) return {std::move(work), cold, {}};
    std::vector<double> samples;
    for (uint32_t i = 0; i < repetitions; ++i) samples.push_back(work->Run());
    medians.push_back(Median(samples));
    if (medians.back() == *std::min_element(medians.begin(), medians.end())) best = {std::move(work), cold, {}};
  }
  best.forms = medians;
  return best;
}

}  // namespace

Comparison Compare(const Gpu& gpu, const Workload& workload, uint32_t repetitions, bool quick) {
  Comparison comparison;
  const Contender ours = Best(
      gpu, workload, "graph", workload.GraphForms(), repetitions,
      [&](VkCommandBuffer commands, uint32_t form) { workload.RecordGraph(commands, form); }, comparison.mistake);
  const Contender rival = Best(
      gpu, workload, "rival", workload.RivalForms(), repetitions,
      [&](VkCommandBuffer commands, uint32_t form) { workload.RecordRival(commands, form); }, comparison.mistake);

  Settle(*ours.work, *rival.work);
  std::vector<double> our_samples;
  std::vector<double> their_samples;
  for (uint32_t i = 0; i < repetitions; ++i) {
    our_samples.push_back(ours.work->Run());
    their_samples.push_back(rival.work->Run());
  }
  comparison.ours = Summarise(ours.cold, std::move(our_samples));
  comparison.theirs = Summarise(rival.cold, std::move(their_samples));
  comparison.our_forms = ours.forms;
  comparison.their_forms = rival.forms;
  // Now, because clocks change between workloads.
  if (const std::optional<Needs> needs = workload.RivalNeeds())
    comparison.rival_share = ShareOfBound(MeasureRates(gpu, quick), *needs, comparison.theirs.minimum);
  return comparison;
}

}  // namespace trellis::bench
