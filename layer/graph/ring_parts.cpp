// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/ring_parts.h"

#include <algorithm>
#include <numeric>

namespace trellis {
namespace {

constexpr uint32_t kHalves = 2;

// Adds to `rooms` until each has its entry of `wanted`, or as much as all can have that have less.
void Fill(std::span<const uint64_t> wanted, uint64_t left, std::vector<uint64_t>& rooms) {
  const auto missing = [&](size_t part) { return wanted[part] - std::min(wanted[part], rooms[part]); };
  std::vector<size_t> order(rooms.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return missing(a) < missing(b); });
  for (size_t i = 0; i < order.size(); ++i) {
    const uint64_t share = left / (order.size() - i) / kPartAlignment * kPartAlignment;
    const uint64_t given = std::min(missing(order[i]), share);
    rooms[order[i]] += given;
    left -= given;
  }
}

uint64_t WholeUnits(uint64_t bytes, uint64_t max_bytes) {
  return std::min(bytes, max_bytes - kPartAlignment) / kPartAlignment * kPartAlignment + kPartAlignment;
}

}  // namespace

bool IsKept(const Graph& graph, const LevelSchedule& schedule, uint32_t level) {
  return std::ranges::any_of(schedule.launches_of(level),
                             [&graph](Launch launch) { return graph.NodeOf(launch.slot).info.IsMesh(); });
}

RingParts HalvesOf(const LevelSchedule& schedule, uint64_t half_bytes) {
  RingParts parts;
  for (uint32_t level = 0; level + 1 < schedule.level_count(); ++level) parts.of_level.push_back(level % kHalves);
  parts.room.assign(kHalves, half_bytes / kPartAlignment * kPartAlignment);
  return parts;
}

RingParts PartsToKeep(const Graph& graph, const LevelSchedule& schedule, uint64_t ring_bytes) {
  RingParts parts;
  uint32_t next = kHalves;
  for (uint32_t level = 0; level + 1 < schedule.level_count(); ++level)
    parts.of_level.push_back(IsKept(graph, schedule, level + 1) ? next++ : level % kHalves);
  parts.room.assign(next, ring_bytes / kPartAlignment * kPartAlignment);
  return parts;
}

std::vector<uint64_t> DivideRing(std::span<const PartNeed> needs, uint64_t ring_bytes) {
  std::vector<uint64_t> least, wanted;
  const uint64_t max_bytes = std::max(ring_bytes, kPartAlignment);
  for (const PartNeed& need : needs) {
    least.push_back(need.least == 0 ? 0 : WholeUnits(need.least, max_bytes));
    wanted.push_back(need.wanted == 0 ? 0 : WholeUnits(need.wanted, max_bytes));
  }
  std::vector<uint64_t> rooms(needs.size());
  Fill(least, ring_bytes, rooms);
  Fill(wanted, ring_bytes - std::accumulate(rooms.begin(), rooms.end(), uint64_t{0}), rooms);
  return rooms;
}

}  // namespace trellis
