// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/draw_plan.h"

#include <algorithm>
#include <utility>

#include "layer/replay/host_draws.h"
#include "layer/replay/plan_writer.h"

namespace trellis {
namespace {

class DrawPlanner {
 public:
  DrawPlanner(const Graph& graph, const DrawLimits& limits, PlanArena& arena)
      : graph_(graph), largest_(limits), arena_(arena) {}

  Expected<DrawPlan> Run(const EntryInputs& inputs) {
    const Expected<std::vector<Root>> roots = PrepareRoots(graph_, inputs, LimitsOfDraws(), arena_, plan_.complaints);
    if (!roots) return roots.error();
    for (const Root& root : *roots)
      for (const RootLaunch& launch : root.launches)
        if (Expected<void> done = PlanLaunch(launch); !done) return done.error();
    return std::move(plan_);
  }

 private:
  Expected<void> PlanLaunch(const RootLaunch& launch) {
    for (const shared::LaunchInput& input : SplitIntoDraws(launch, largest_))
      if (Expected<void> done = PlanDraw(launch, input); !done) return done;
    return {};
  }

  Expected<void> PlanDraw(const RootLaunch& launch, const shared::LaunchInput& input) {
    const Expected<PlanSpan> source = arena_.Upload(input);
    if (!source) return source.error();
    const shared::LaunchBlock block = DescribeBlock(graph_, launch.described, source->address, shared::kFormInput);
    const Expected<PlanSpan> placed = arena_.Upload(block);
    if (!placed) return placed.error();
    NodeLaunch& draw = plan_.draws.emplace_back();
    draw.node = graph_.slots[launch.launch.slot].node;
    draw.launch = launch.launch;
    draw.block = placed->address;
    draw.size = SizeOfDraw(input, largest_);
    return {};
  }

  const Graph& graph_;
  const LargestDraw largest_;
  PlanArena& arena_;
  DrawPlan plan_;
};

}  // namespace

bool IsDrawnInPlace(const Graph& graph, const EntryInputs& inputs) {
  if (!graph.has_mesh_nodes) return false;
  std::vector<Launch> launches;
  for (const RootInput& root : inputs.roots) graph.AppendLaunches(root.slot, launches);
  return std::all_of(launches.begin(), launches.end(), [&graph](Launch launch) {
    const spirv::NodeInfo& info = graph.NodeOf(launch.slot).info;
    return info.IsMesh() && !info.writes_input;
  });
}

Expected<DrawPlan> PlanDraws(const Graph& graph, const EntryInputs& inputs, const DrawLimits& limits,
                             PlanArena& arena) {
  return DrawPlanner(graph, limits, arena).Run(inputs);
}

}  // namespace trellis
