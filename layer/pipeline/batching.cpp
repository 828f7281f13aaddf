#include "layer/pipeline/batching.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {
namespace {

// A kernel with its barrier takes as long as a dozen indirect dispatches (measured on an H200: 4 to 5 us and 0.37 us).
constexpr size_t kLeastWorthwhile = 16;

// Nodes of one module and entry point may share a pipeline; no other ones do.
using Code = std::pair<const CachedModule*, std::string_view>;

Code CodeOf(const StageNode& stage) { return {stage.module.get(), stage.source.info.entry_point}; }

}  // namespace

size_t FewestLaunches(const Settings& settings) {
  // Times are told by node.
  if (settings.launch_batches == LaunchBatches::kNever || settings.timing) return SIZE_MAX;
  return settings.launch_batches == LaunchBatches::kAlways ? 2 : kLeastWorthwhile;
}

void LeaveOutOfBatches(const Settings& settings, std::span<StageNode> stages, Graph& graph) {
  std::map<Code, size_t> launches_of;
  std::vector<Launch> launches;
  for (uint32_t slot = 0; slot < graph.slots.size(); ++slot) graph.AppendLaunches(slot, launches);
  for (const Launch& launch : launches) {
    const uint32_t node = graph.slots[launch.slot].node;
    if (node < stages.size()) ++launches_of[CodeOf(stages[node])];
  }
  const size_t fewest = FewestLaunches(settings);
  for (size_t i = 0; i < stages.size(); ++i) {
    if (launches_of[CodeOf(stages[i])] >= fewest) continue;
    stages[i].source.info.in_batches = false;
    graph.nodes[i].info.in_batches = false;
  }
}

}  // namespace trellis
