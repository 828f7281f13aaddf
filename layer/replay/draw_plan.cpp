#include "layer/replay/draw_plan.h"

#include <algorithm>
#include <utility>

#include "layer/device/advertised_properties.h"
#include "layer/replay/host_roots.h"
#include "layer/replay/plan_writer.h"

namespace trellis {
namespace {

// Workgroups are numbered in 32 bits, through all draws of a launch.
LaunchLimits LimitsOfLaunch() { return {UINT32_MAX, 1, 1, kMaxExecutionGraphWorkgroups, false}; }

class DrawPlanner {
 public:
  DrawPlanner(const Graph& graph, const DrawLimits& limits, PlanArena& arena)
      : graph_(graph),
        most_x_(std::max(std::min(limits.max_workgroup_count[0], limits.max_workgroup_total_count), 1u)),
        most_workgroups_(
            most_x_ *
            std::max(std::min(limits.max_workgroup_count[1], limits.max_workgroup_total_count / most_x_), 1u)),
        arena_(arena) {}

  Expected<DrawPlan> Run(const EntryInputs& inputs) {
    const Expected<std::vector<Root>> roots = PrepareRoots(graph_, inputs, LimitsOfLaunch(), arena_, plan_.complaints);
    if (!roots) return roots.error();
    for (const Root& root : *roots)
      for (const RootLaunch& launch : root.launches)
        if (Expected<void> done = PlanLaunch(launch); !done) return done.error();
    return std::move(plan_);
  }

 private:
  Expected<void> PlanLaunch(const RootLaunch& launch) {
    const uint64_t end = launch.size.workgroups;
    for (uint64_t first = 0; first < end; first += most_workgroups_)
      if (Expected<void> done = PlanDraw(launch, static_cast<uint32_t>(first),
                                         static_cast<uint32_t>(std::min(first + most_workgroups_, end)));
          !done)
        return done;
    return {};
  }

  // Of the workgroups [first, end).
  Expected<void> PlanDraw(const RootLaunch& launch, uint32_t first, uint32_t end) {
    shared::LaunchInput input = launch.input;
    input.first_workgroup = first;
    input.workgroup_count = end;
    const Expected<PlanSpan> source = arena_.Upload(input);
    if (!source) return source.error();
    const shared::LaunchBlock block = DescribeBlock(graph_, launch.described, source->address, shared::kFormInput);
    const Expected<PlanSpan> placed = arena_.Upload(block);
    if (!placed) return placed.error();
    plan_.draws.push_back(
        {graph_.slots[launch.launch.slot].node, placed->address, SplitIntoRows(end - first, most_x_), launch.launch});
    return {};
  }

  const Graph& graph_;
  const uint32_t most_x_;
  const uint32_t most_workgroups_;  // of one draw: whole rows, so that as many fit whatever their number
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
