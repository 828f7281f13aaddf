// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/placing/draw_plan.h"

#include <algorithm>
#include <cstddef>

#include "layer/replay/placing/host_draws.h"
#include "layer/replay/placing/plan_writer.h"

namespace trellis {
namespace {

// What a draw reads, in one piece: a plan has one for each mesh node.
struct DrawMemory {
  shared::LaunchInput input;
  shared::LaunchBlock block;
};
static_assert(offsetof(DrawMemory, block) % 16 == 0, "nodes read launch blocks with that alignment");

}  // namespace

bool IsDrawnInPlace(const Graph& graph, const EntryInputs& inputs) {
  if (!graph.has_mesh_nodes) return false;
  const auto is_drawn = [](const Node& node) { return node.info.IsMesh() && !node.info.writes_input; };
  return std::all_of(inputs.roots.begin(), inputs.roots.end(), [&](const RootInput& root) {
    const Node& node = graph.nodes[root.node];
    return is_drawn(node) && std::all_of(node.sharers.begin(), node.sharers.end(),
                                         [&](uint32_t sharer) { return is_drawn(graph.nodes[sharer]); });
  });
}

Expected<DrawPlan> PlanDraws(const Graph& graph, const EntryInputs& inputs, const DrawLimits& limits,
                             PlanArena& arena) {
  DrawPlan plan;
  const LargestDraw largest(limits);
  const Expected<std::vector<Root>> roots = PrepareRoots(graph, inputs, LimitsOfDraws(), arena, plan.complaints);
  if (!roots) return roots.error();
  plan.draws.reserve(roots->size());
  for (const Root& root : *roots) {
    for (const RootLaunch& launch : root.launches) {
      DrawSplit split(launch, largest);
      while (const shared::LaunchInput* const input = split.Next()) {
        const Expected<PlanSpan> span = arena.Allocate(sizeof(DrawMemory));
        if (!span) return span.error();
        span->Store(0, DrawMemory{*input, DescribeBlock(graph, launch.described, span->address, shared::kFormInput)});
        NodeLaunch& draw = plan.draws.emplace_back();
        draw.node = graph.slots[launch.launch.slot].node;
        draw.launch = launch.launch;
        draw.block = span->address + offsetof(DrawMemory, block);
        draw.size = SizeOfDraw(*input, largest);
      }
    }
  }
  return plan;
}

}  // namespace trellis
