// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>

#include "bench/figures/figures.h"
#include "bench/framework/buffer.h"
#include "bench/framework/pipelines.h"
#include "bench_nodes/loose.h"

namespace trellis::bench {
namespace {

constexpr uint32_t kNodes = 2;

class Watch {
 public:
  // Milliseconds since the last lap, or since the beginning.
  double Lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double, std::milli> lap = now - last_;
    last_ = now;
    return lap.count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

std::vector<Figure> ColdDispatch(const std::string& device) {
  const Gpu gpu(device);
  const Buffer results(gpu, VkDeviceSize{kNodes} * 4);
  gpu.RunOnce([&](VkCommandBuffer commands) { results.Fill(commands, 0); });
  std::vector<GraphNode> nodes;
  for (uint32_t level = 0; level < kNodes; ++level) nodes.push_back({"loose", kLooseNode, {{0, level}}, level});
  const VkCommandBuffer commands = gpu.AllocateCommandBuffer();

  Watch watch;
  const Graph graph(gpu, nodes);
  const double creation = watch.Lap();
  Begin(commands);
  gpu.Push(commands, results.address());
  graph.Dispatch(commands, {"loose", 1, {1, 1, 1, 1}});
  Check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  const double recording = watch.Lap();
  gpu.Submit({commands});
  const double execution = watch.Lap();
  gpu.FreeCommandBuffer(commands);

  const std::vector<uint32_t> sums = results.Read();
  for (uint32_t level = 0; level < kNodes; ++level)
    if (sums[level] != level + 1) Fail("the first graph of a device gave wrong results");
  char note[160];
  std::snprintf(note, sizeof(note),
                "a new device, a graph of %u nodes: creation %.1f ms, recording %.1f ms, execution %.1f ms", kNodes,
                creation, recording, execution);
  return {{"cold", "cold first dispatch", "ms", creation + recording + execution, std::nullopt, note}};
}

}  // namespace trellis::bench
