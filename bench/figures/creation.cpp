// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cinttypes>
#include <cstdio>

#include "bench/figures/figures.h"
#include "bench/framework/messages.h"
#include "bench/framework/pipelines.h"
#include "bench_nodes/many.h"

namespace trellis::bench {
namespace {

// Constants that no earlier run of the program has used: drivers keep what they compiled.
uint32_t FreshCode() {
  return static_cast<uint32_t>(std::chrono::system_clock::now().time_since_epoch() / std::chrono::microseconds(1));
}

std::vector<GraphNode> Nodes(uint32_t count) {
  const uint32_t code = FreshCode();
  std::vector<GraphNode> nodes;
  for (uint32_t i = 0; i < count; ++i) nodes.push_back({"many", kManyNode, {{0, i}, {1, code + i}}, i});
  return nodes;
}

}  // namespace

std::vector<Figure> CreationCost(const Gpu& gpu, bool quick) {
  const uint32_t count = quick ? 8 : 1023;
  const std::vector<GraphNode> nodes = Nodes(count);
  const Messages messages(gpu);
  const auto begin = std::chrono::steady_clock::now();
  const Graph graph(gpu, nodes);
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - begin;

  const std::string name = "creation of " + std::to_string(count) + " nodes";
  std::vector<Figure> figures = {{"P8", name, "ms", wall.count(), std::nullopt, "wall clock, all threads"}};
  const std::string text = messages.Last("TRELLIS-graph-created");
  const size_t times = text.find("read in ");
  uint64_t read = 0;
  uint64_t lowered = 0;
  uint64_t compiled = 0;
  uint32_t pipelines = 0;
  if (times == std::string::npos ||
      std::sscanf(text.c_str() + times,
                  "read in %" SCNu64 " us and lowered in %" SCNu64 " us; the driver compiled %u pipelines in %" SCNu64,
                  &read, &lowered, &pipelines, &compiled) != 4 ||
      compiled == 0)
    return figures;
  char note[160];
  std::snprintf(note, sizeof(note),
                "read %.1f ms, lowered %.1f ms, the driver %.1f ms for %u pipelines; sums of threads",
                double(read) / 1e3, double(lowered) / 1e3, double(compiled) / 1e3, pipelines);
  figures.push_back({"P8", name + ": layer / driver", "", double(read + lowered) / double(compiled), 0.1, note});
  return figures;
}

}  // namespace trellis::bench
