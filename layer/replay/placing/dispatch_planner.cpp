// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/placing/dispatch_planner.h"

#include <algorithm>
#include <span>
#include <vector>

namespace trellis {

Expected<void> DispatchPlanner::CopyPushConstants() {
  const PipelineLayout& layout = *pipeline_.layout;
  if (!layout.copy_offset) return {};
  std::vector<uint8_t> bytes(layout.application_size);
  const std::span<const uint8_t> pushed = environment_.push_constants;
  std::copy_n(pushed.begin(), std::min(pushed.size(), bytes.size()), bytes.begin());
  return Upload(std::span<const uint8_t>(bytes), plan_.push_constant_copy);
}

Expected<void> DispatchPlanner::Place(Placement placement) {
  placement.counted = counted_;
  Expected<std::shared_ptr<const PlacedPlan>> placed = FindOrPlacePlan(pipeline_, environment_, placement);
  if (!placed) return placed.error();
  plan_.placed = *std::move(placed);
  UsePrepared(*plan_.placed);
  return {};
}

}  // namespace trellis
