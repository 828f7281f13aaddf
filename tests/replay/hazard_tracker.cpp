#include "tests/replay/hazard_tracker.h"

#include <algorithm>

namespace trellis::test {
namespace {

constexpr VkPipelineStageFlags kIndirect = VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;

// A source scope includes logically earlier stages, a destination scope logically later ones; for execution only, not
// for memory.
VkPipelineStageFlags WithEarlier(VkPipelineStageFlags stages) {
  return stages & kCompute ? stages | kIndirect : stages;
}
VkPipelineStageFlags WithLater(VkPipelineStageFlags stages) { return stages & kIndirect ? stages | kCompute : stages; }

bool Overlap(const Access& a, const Access& b) { return a.begin < b.end && b.begin < a.end; }

bool Conflict(const Access& a, const Access& b) {
  return (a.write || b.write) && (a.group == 0 || a.group != b.group) && Overlap(a, b);
}

}  // namespace

bool HazardTracker::IsVisible(const Past& past, const Access& to) {
  return std::any_of(past.visible_to.begin(), past.visible_to.end(), [&to](const Scope& scope) {
    return (scope.stages & to.stage) != 0 && (scope.access & to.access) == to.access;
  });
}

void HazardTracker::Check(const Access& access, std::vector<std::string>& complaints) const {
  for (const Past& past : past_) {
    if (!Conflict(past.access, access)) continue;
    const std::string pair = access.what + " after " + past.access.what;
    if (!(past.ordered_before & access.stage)) {
      complaints.push_back("not ordered: " + pair);
    } else if (past.access.write && !IsVisible(past, access)) {
      complaints.push_back("not visible: " + pair);
    }
  }
}

void HazardTracker::Barrier(VkPipelineStageFlags source_stages, VkAccessFlags source_access,
                            VkPipelineStageFlags destination_stages, VkAccessFlags destination_access) {
  for (Past& past : past_) {
    const bool direct = (WithEarlier(source_stages) & past.access.stage) != 0;
    const bool chained = (WithEarlier(source_stages) & past.ordered_before) != 0;
    if (!direct && !chained) continue;
    past.ordered_before |= WithLater(destination_stages);
    if (!past.access.write) continue;
    if ((source_stages & past.access.stage) != 0 && (source_access & past.access.access) != 0) past.available = true;
    if (past.available) past.visible_to.push_back({destination_stages, destination_access});
  }
}

}  // namespace trellis::test
