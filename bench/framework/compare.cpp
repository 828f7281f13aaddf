#include "bench/framework/compare.h"

#include <chrono>

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

struct Rival {
  std::unique_ptr<TimedWork> work;
  double cold = 0;
};

Rival BestRival(const Gpu& gpu, const Workload& workload, uint32_t repetitions, std::string& mistake) {
  Rival best;
  double best_time = 0;
  for (uint32_t form = 0; form < workload.RivalForms(); ++form) {
    auto work = Timed(gpu, workload, [&](VkCommandBuffer commands) { workload.RecordRival(commands, form); });
    const double cold = WarmUp(*work, workload, "rival", mistake);
    std::vector<double> samples;
    for (uint32_t i = 0; i < repetitions; ++i) samples.push_back(work->Run());
    const double time = Median(samples);
    if (best.work && time >= best_time) continue;
    best = {std::move(work), cold};
    best_time = time;
  }
  return best;
}

}  // namespace

Comparison Compare(const Gpu& gpu, const Workload& workload, const Rates& rates, uint32_t repetitions) {
  Comparison comparison;
  const auto ours = Timed(gpu, workload, [&](VkCommandBuffer commands) { workload.RecordGraph(commands); });
  const double cold = WarmUp(*ours, workload, "graph", comparison.mistake);
  const Rival rival = BestRival(gpu, workload, repetitions, comparison.mistake);

  Settle(*ours, *rival.work);
  std::vector<double> our_samples;
  std::vector<double> their_samples;
  for (uint32_t i = 0; i < repetitions; ++i) {
    our_samples.push_back(ours->Run());
    their_samples.push_back(rival.work->Run());
  }
  comparison.ours = Summarise(cold, std::move(our_samples));
  comparison.theirs = Summarise(rival.cold, std::move(their_samples));
  if (const std::optional<Needs> needs = workload.RivalNeeds())
    comparison.rival_share = ShareOfBound(rates, *needs, comparison.theirs.minimum);
  return comparison;
}

}  // namespace trellis::bench
