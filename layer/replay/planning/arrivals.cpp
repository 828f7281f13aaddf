// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/planning/arrivals.h"

#include <algorithm>

namespace trellis {
namespace {

// At most, of one record of the level, one level later.
double SentByRecord(const Graph& graph, const LoadBounds& loads, std::span<const Launch> launches) {
  double max_records = 0;
  for (const Launch launch : launches) {
    const double workgroups = WorkgroupsOfRecord(graph.NodeOf(launch.slot).info, 1);
    max_records = std::max(max_records, workgroups * loads.Of(launch.slot, 1).records);
  }
  return max_records;
}

}  // namespace

std::vector<double> EstimateArrivals(const Graph& graph, const LoadBounds& loads, const RelocatablePlan& plan,
                                     std::span<const RootCount> roots) {
  const LevelSchedule& schedule = *plan.schedule;
  std::vector<double> arriving(schedule.level_count());
  if (arriving.size() < 2) return arriving;
  if (plan.UsesLongestPaths()) {
    for (const shared::RegionPlan& opening : plan.memory.openings) arriving[opening.level] += opening.capacity;
    return arriving;
  }
  for (const RootCount& root : roots)
    arriving[1] += static_cast<double>(root.workgroups) * loads.Of(root.launch.slot, 1).records;
  for (uint32_t level = 1; level + 1 < arriving.size(); ++level)
    arriving[level + 1] = arriving[level] * SentByRecord(graph, loads, schedule.launches_of(level));
  return arriving;
}

}  // namespace trellis
