// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/levels.h"

#include <algorithm>
#include <memory>
#include <span>

namespace trellis {
namespace {

void AppendLevel(const Graph& graph, std::span<const uint32_t> level, LevelSchedule& schedule) {
  schedule.slots.insert(schedule.slots.end(), level.begin(), level.end());
  schedule.level_begin.push_back(static_cast<uint32_t>(schedule.slots.size()));
  for (const uint32_t slot : level) graph.AppendLaunches(slot, schedule.launches);
  schedule.launch_begin.push_back(static_cast<uint32_t>(schedule.launches.size()));
}

// `last_level`: of the schedule, that lists the slot.
std::shared_ptr<const LevelSchedule> LongestPaths(const Graph& graph, const LevelSchedule& schedule,
                                                  std::span<const uint32_t> last_level) {
  auto longest = std::make_shared<LevelSchedule>();
  longest->level_begin = longest->launch_begin = {0};
  std::vector<uint32_t> slots;
  for (uint32_t level = 0; level < schedule.level_count(); ++level) {
    slots.clear();
    for (const uint32_t slot : schedule.level(level))
      if (level == 0 || last_level[slot] == level) slots.push_back(slot);
    AppendLevel(graph, slots, *longest);
  }
  longest->has_mesh_nodes = schedule.has_mesh_nodes;
  return longest;
}

}  // namespace

LevelSchedule AssignLevels(const Graph& graph, std::span<const uint32_t> roots) {
  LevelSchedule schedule;
  schedule.level_begin = schedule.launch_begin = {0};

  std::vector<uint32_t> level(roots.begin(), roots.end());
  std::sort(level.begin(), level.end());
  level.erase(std::unique(level.begin(), level.end()), level.end());

  // The last level that lists the slot; level 0 needs no entry.
  std::vector<uint32_t> listed_for(graph.slots.size(), 0);
  bool repeats = false;
  for (uint32_t next = 1; !level.empty(); ++next) {
    AppendLevel(graph, level, schedule);
    std::vector<uint32_t> consumers;
    for (const Launch& launch : schedule.launches_of(next - 1)) {
      for (const SlotEdge& edge : graph.slots[launch.slot].edges) {
        if (listed_for[edge.slot] == next) continue;
        repeats |= listed_for[edge.slot] != 0;
        listed_for[edge.slot] = next;
        consumers.push_back(edge.slot);
      }
    }
    std::sort(consumers.begin(), consumers.end());
    level = std::move(consumers);
  }
  schedule.has_mesh_nodes = graph.has_mesh_nodes && std::ranges::any_of(schedule.launches, [&graph](Launch launch) {
                              return graph.NodeOf(launch.slot).info.IsMesh();
                            });
  if (repeats) schedule.longest_paths = LongestPaths(graph, schedule, listed_for);
  return schedule;
}

}  // namespace trellis
