// SPDX-License-Identifier: Apache-2.0
#include "tests/replay/hazard_tracker.h"

#include <algorithm>
#include <iterator>

namespace trellis::test {
namespace {

constexpr VkPipelineStageFlags kIndirect = VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
constexpr VkPipelineStageFlags kShaders = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT;

// A source scope includes logically earlier stages, a destination scope logically later ones; for execution only, not
// for memory.
VkPipelineStageFlags WithEarlier(VkPipelineStageFlags stages) {
  return stages & kShaders ? stages | kIndirect : stages;
}
VkPipelineStageFlags WithLater(VkPipelineStageFlags stages) { return stages & kIndirect ? stages | kShaders : stages; }

bool Conflict(const Access& a, const Access& b) { return (a.write || b.write) && (a.group == 0 || a.group != b.group); }

}  // namespace

bool HazardTracker::IsVisible(const Past& past, const Access& to) {
  return std::any_of(past.visible_to.begin(), past.visible_to.end(), [&to](const Scope& scope) {
    return (scope.stages & to.stage) != 0 && (scope.access & to.access) == to.access;
  });
}

bool HazardTracker::AreAlike(const Past& a, const Past& b) {
  const auto are_equal = [](const Scope& one, const Scope& other) {
    return one.stages == other.stages && one.access == other.access;
  };
  return a.access.write == b.access.write && a.access.stage == b.access.stage && a.access.access == b.access.access &&
         a.access.group == b.access.group && a.ordered_before == b.ordered_before && a.available == b.available &&
         std::equal(a.visible_to.begin(), a.visible_to.end(), b.visible_to.begin(), b.visible_to.end(), are_equal);
}

void HazardTracker::CheckAgainst(const Past& past, const Access& access, std::vector<std::string>& complaints) {
  if (!Conflict(past.access, access)) return;
  const bool is_ordered = (past.ordered_before & access.stage) != 0;
  if (is_ordered && (!past.access.write || IsVisible(past, access))) return;
  complaints.push_back((is_ordered ? "not visible: " : "not ordered: ") + access.what + " after " + past.access.what);
}

void HazardTracker::Check(const Access& access, std::vector<std::string>& complaints) const {
  auto segment = segments_.upper_bound(access.begin);
  if (segment != segments_.begin() && std::prev(segment)->second.end > access.begin) --segment;
  for (; segment != segments_.end() && segment->first < access.end; ++segment)
    for (const Past& past : segment->second.past) CheckAgainst(past, access, complaints);
}

void HazardTracker::SplitAt(uint64_t place) {
  const auto after = segments_.lower_bound(place);
  if (after == segments_.begin()) return;
  Segment& before = std::prev(after)->second;
  if (before.end <= place) return;
  segments_.emplace_hint(after, place, before);
  before.end = place;
}

void HazardTracker::Add(const Access& access) {
  SplitAt(access.begin);
  SplitAt(access.end);
  const Past past = {access, 0, false, {}};
  for (uint64_t place = access.begin; place < access.end;) {
    auto segment = segments_.lower_bound(place);
    if (segment == segments_.end() || segment->first != place) {
      const uint64_t end = segment == segments_.end() ? access.end : std::min(segment->first, access.end);
      segment = segments_.emplace_hint(segment, place, Segment{end, {}});
    }
    std::vector<Past>& known = segment->second.past;
    if (std::none_of(known.begin(), known.end(), [&past](const Past& one) { return AreAlike(one, past); }))
      known.push_back(past);
    place = segment->second.end;
  }
}

void HazardTracker::MakeVisible(Past& past, const Scope& to) {
  const auto holds = [](const Scope& scope, const Scope& other) {
    return (other.stages & ~scope.stages) == 0 && (other.access & ~scope.access) == 0;
  };
  std::vector<Scope>& scopes = past.visible_to;
  if (std::any_of(scopes.begin(), scopes.end(), [&](const Scope& scope) { return holds(scope, to); })) return;
  scopes.erase(std::remove_if(scopes.begin(), scopes.end(), [&](const Scope& scope) { return holds(to, scope); }),
               scopes.end());
  scopes.push_back(to);
}

void HazardTracker::RemoveDuplicates(std::vector<Past>& past) {
  auto end = past.begin();
  for (auto it = past.begin(); it != past.end(); ++it) {
    if (std::any_of(past.begin(), end, [&it](const Past& kept) { return AreAlike(kept, *it); })) continue;
    if (end != it) *end = std::move(*it);
    ++end;
  }
  past.erase(end, past.end());
}

void HazardTracker::Barrier(VkPipelineStageFlags source_stages, VkAccessFlags source_access,
                            VkPipelineStageFlags destination_stages, VkAccessFlags destination_access) {
  const auto apply = [&](Past& past) {
    past.access.group = 0;
    const bool direct = (WithEarlier(source_stages) & past.access.stage) != 0;
    const bool chained = (WithEarlier(source_stages) & past.ordered_before) != 0;
    if (!direct && !chained) return;
    past.ordered_before |= WithLater(destination_stages);
    if (!past.access.write) return;
    if ((source_stages & past.access.stage) != 0 && (source_access & past.access.access) != 0) past.available = true;
    if (past.available) MakeVisible(past, {destination_stages, destination_access});
  };
  for (auto& [begin, segment] : segments_) {
    for (Past& past : segment.past) apply(past);
    RemoveDuplicates(segment.past);
  }
}

}  // namespace trellis::test
