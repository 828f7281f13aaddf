// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <optional>

#include "bench/figures/figures.h"
#include "bench/framework/buffer.h"
#include "bench/framework/environment.h"
#include "bench/framework/pipelines.h"
#include "bench/framework/stopwatch.h"
#include "bench_nodes/loose.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kLevels = 4;
constexpr uint32_t kFewSteps = 16;

// Nanoseconds of a graph for which so many steps are recorded, of which as many have something to do as it has levels;
// nothing if its results are wrong.
std::optional<double> TimeWithSteps(const std::string& device, uint32_t steps, uint32_t repetitions) {
  const ScopedVariable ring("TRELLIS_RING_BUDGET", "1");
  const ScopedVariable rounds("TRELLIS_MAX_ROUNDS", std::to_string(steps));
  const Gpu gpu(device);
  std::vector<GraphNode> nodes;
  for (uint32_t level = 0; level < kLevels; ++level) nodes.push_back({"loose", kLooseNode, {{0, level}}, level});
  const Graph graph(gpu, nodes);
  const Buffer results(gpu, VkDeviceSize{kLevels} * 4);
  const TimedWork work(
      gpu, [&](VkCommandBuffer commands) { results.Fill(commands, 0); },
      [&](VkCommandBuffer commands) {
        gpu.Push(commands, results.address());
        graph.Dispatch(commands, {"loose", 1, {1, 1, 1, 1}});
      });
  std::vector<double> samples;
  for (uint32_t i = 0; i <= repetitions; ++i) samples.push_back(work.Run());
  const std::vector<uint32_t> sums = results.Read();
  for (uint32_t level = 0; level < kLevels; ++level)
    if (sums[level] != level + 1) return std::nullopt;
  return Median(samples);
}

}  // namespace

std::vector<Figure> UnusedSteps(const std::string& device, bool quick) {
  const uint32_t more = quick ? 16 : 512;
  const uint32_t repetitions = quick ? 2 : 20;
  const std::optional<double> few = TimeWithSteps(device, kFewSteps, repetitions);
  const std::optional<double> many = TimeWithSteps(device, kFewSteps + more, repetitions);
  if (!few || !many) Fail("a graph in steps gave wrong results");
  char note[128];
  std::snprintf(note, sizeof(note), "bounded mode, a graph of %u levels: %.1f us with %u steps, %.1f us with %u",
                kLevels, *few / 1e3, kFewSteps + kLevels, *many / 1e3, kFewSteps + more + kLevels);
  return {{"steps", "an unused step", "us a level", (*many - *few) / 1e3 / more / kLevels, 3.5, note}};
}

}  // namespace trellis::bench
