// SPDX-License-Identifier: Apache-2.0
#include "bench/growth.h"

#include <cstdio>

#include "bench/framework/compare.h"
#include "bench/framework/report.h"
#include "bench/workloads/workloads.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kRepetitions = 10;
constexpr uint32_t kQuickRepetitions = 1;

struct Series {
  const char* name;
  std::vector<uint32_t> quick;
  std::vector<uint32_t> full;
  WorkloadEntry (*make)(uint32_t x);
};

std::vector<uint32_t> PowersOfTwo(uint32_t first, uint32_t last, uint32_t factor) {
  std::vector<uint32_t> numbers;
  for (uint64_t number = first; number <= last; number *= factor) numbers.push_back(static_cast<uint32_t>(number));
  return numbers;
}

WorkloadEntry ChainOfLevels(uint32_t levels) { return Chain(levels, 1); }
WorkloadEntry ClassifyToNodes(uint32_t nodes) { return Classify(1u << 20, nodes); }
WorkloadEntry ClassifyFewToNodes(uint32_t nodes) { return Classify(1u << 12, nodes); }

std::vector<Series> AllSeries() {
  const std::vector<uint32_t> node_counts = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1023};
  return {{"records", {1024}, PowersOfTwo(1u << 10, 1u << 24, 4), FanOut},
          {"thread records", {1024}, PowersOfTwo(1u << 10, 1u << 24, 4), ThreadNodes},
          {"levels", {1, 2, 4}, {1, 2, 4, 8, 12, 16, 20, 24, 28, 32}, ChainOfLevels},
          {"nodes", {}, node_counts, ClassifyToNodes},
          {"nodes, 4 k records", {2, 8}, node_counts, ClassifyFewToNodes}};
}

}  // namespace

std::vector<GrowthPoint> MeasureGrowth(const Gpu& gpu, bool quick) {
  std::vector<GrowthPoint> points;
  for (const Series& series : AllSeries()) {
    for (const uint32_t x : quick ? series.quick : series.full) {
      const WorkloadEntry entry = series.make(x);
      const Comparison comparison = Compare(gpu, *entry.make(gpu), quick ? kQuickRepetitions : kRepetitions, quick);
      PrintRow({entry.name, entry.name, entry.size, comparison, std::nullopt});
      points.push_back({series.name, x, comparison.ours.median, comparison.theirs.median, comparison.mistake.empty()});
    }
  }
  return points;
}

std::string GrowthJson(const std::string& device, const std::vector<GrowthPoint>& points) {
  std::string text = "[";
  for (const GrowthPoint& point : points) {
    char line[256];
    std::snprintf(line, sizeof(line),
                  "%s\n {\"series\": \"%s\", \"x\": %u, \"device\": \"%s\", \"ours_ns\": %.0f, \"theirs_ns\": %.0f}",
                  text.size() > 1 ? "," : "", point.series.c_str(), point.x, device.c_str(), point.ours, point.theirs);
    text += line;
  }
  return text + "\n]\n";
}

}  // namespace trellis::bench
