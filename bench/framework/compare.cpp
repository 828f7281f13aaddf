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

  // Of its form; the first run, where there is one form only.
  [[nodiscard]] double seen() const { return forms.empty() ? cold : *std::min_element(forms.begin(), forms.end()); }
};

// Checking results on the host lets a GPU fall back to resting clocks, and it takes work without pauses until it leaves
// them: as long as this at least, and until it is about as fast as it has been, but not forever.
constexpr std::chrono::milliseconds kSettling(50);
constexpr std::chrono::milliseconds kMostSettling(3000);
constexpr double kSettled = 1.1;

void Settle(const Contender& ours, const Contender& theirs, bool quick) {
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    const double our_time = ours.work->Run();
    const double their_time = theirs.work->Run();
    const bool are_fast = our_time < kSettled * ours.seen() && their_time < kSettled * theirs.seen();
    const auto passed = std::chrono::steady_clock::now() - begin;
    if (passed > kSettling && (are_fast || quick || passed > kMostSettling)) return;
  }
}

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

  Settle(ours, rival, quick);
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
