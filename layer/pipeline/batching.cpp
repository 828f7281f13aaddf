// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/batching.h"

#include <cstdint>
#include <map>

namespace trellis {
namespace {

// A kernel with its barrier takes as long as a dozen indirect dispatches (measured on an H200: 4 to 5 us and 0.37 us).
constexpr size_t kLeastWorthwhile = 16;

}  // namespace

size_t FewestLaunches(const Settings& settings) {
  // Times are told by node.
  if (settings.launch_batches == LaunchBatches::kNever || settings.timing) return SIZE_MAX;
  return settings.launch_batches == LaunchBatches::kAlways ? 2 : kLeastWorthwhile;
}

void LeaveOutOfBatches(const Settings& settings, std::span<StageNode> stages, Graph& graph) {
  // Launches that a kernel sizes are never in a batch: those with record state, and those of nodes that share an
  // input.
  std::map<const CachedModule*, size_t> launches_of;
  for (const Slot& slot : graph.slots)
    if (slot.node < stages.size() && graph.nodes[slot.node].info.StateWords() == 0)
      ++launches_of[stages[slot.node].module.get()];
  const size_t fewest = FewestLaunches(settings);
  for (size_t i = 0; i < stages.size(); ++i) {
    if (launches_of[stages[i].module.get()] >= fewest && graph.nodes[i].info.StateWords() == 0) continue;
    stages[i].source.info.in_batches = false;
    graph.nodes[i].info.in_batches = false;
  }
}

}  // namespace trellis
