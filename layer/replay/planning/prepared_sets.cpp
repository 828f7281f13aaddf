// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/planning/prepared_sets.h"

#include <algorithm>
#include <limits>

#include "layer/graph/region_layout.h"
#include "meta_shaders/shared/graph_data.h"

namespace trellis {
namespace {

// More dispatches in level 1 would take as long, for the set that is not used, as the begin kernel.
constexpr size_t kMaxDispatches = 32;

// An indirect draw of nothing takes a GPU no time, but each is recorded.
constexpr size_t kMaxDraws = 128;

constexpr uint64_t kMaxSetBytes = 832 * 1024;

// The two sets have the same alignment to cache lines.
constexpr uint64_t kLineBytes = 128;

// Returns how many of them take their arguments from a region. Each is recorded once per set.
size_t CountFromRegions(std::span<const RelocatableLaunch> launches) {
  return static_cast<size_t>(std::count_if(launches.begin(), launches.end(),
                                           [](const RelocatableLaunch& launch) { return launch.from_region; }));
}

}  // namespace

bool CanPrepareRegions(const RelocatablePlan& plan) {
  if (plan.steps || plan.UsesLongestPaths() || !plan.scratch.opens_all_levels || plan.levels.size() < 2) return false;
  const RelocatableLevel& consumers = plan.levels[1];
  return CountFromRegions(consumers.single_launches()) + consumers.batches.size() <= kMaxDispatches &&
         CountFromRegions(consumers.draws) <= kMaxDraws && PreparedSetBytes(plan.scratch) <= kMaxSetBytes;
}

uint64_t PreparedRegionsBytes(const ScratchLayout& scratch) {
  return (uint64_t{scratch.slot_count} + 1) * sizeof(shared::Region);
}

uint64_t PreparedSetBytes(const ScratchLayout& scratch) {
  const uint64_t counts = uint64_t{scratch.launch_count} * sizeof(uint32_t);
  return (PreparedRegionsBytes(scratch) + counts + kLineBytes - 1) / kLineBytes * kLineBytes;
}

uint32_t AdaptableUnits(std::span<const shared::RegionPlan> openings) {
  const auto grows = [](const shared::RegionPlan& opening) { return opening.dense < opening.capacity; };
  const auto has_record_state = [](const shared::RegionPlan& opening) { return opening.state_words != 0; };
  if (std::ranges::none_of(openings, grows) || std::ranges::any_of(openings, has_record_state)) return 0;
  const uint64_t pool = openings.back().offset;
  if (pool / kRegionAlignment > std::numeric_limits<uint32_t>::max()) return 0;
  return static_cast<uint32_t>((pool - kRegionAlignment - openings.front().offset) / kRegionAlignment);
}

}  // namespace trellis
