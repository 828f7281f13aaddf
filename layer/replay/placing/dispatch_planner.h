// SPDX-License-Identifier: Apache-2.0
// What dispatches from the host and from the device have in common.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "layer/replay/placing/plan_writer.h"

namespace trellis {

// Fills a DispatchPlan.
class DispatchPlanner : protected PlanWriter {
 protected:
  DispatchPlanner(const ExecutionGraphPipeline& pipeline, const DispatchEnvironment& environment, PlanArena& arena)
      : PlanWriter(pipeline, environment, arena) {}

  // For nodes that read the application's push constants from memory.
  [[nodiscard]] Expected<void> CopyPushConstants() {
    const PipelineLayout& layout = *pipeline_.layout;
    if (!layout.copy_offset) return {};
    std::vector<uint8_t> bytes(layout.application_size);
    const std::span<const uint8_t> pushed = environment_.push_constants;
    std::copy_n(pushed.begin(), std::min(pushed.size(), bytes.size()), bytes.begin());
    return Upload(std::span<const uint8_t>(bytes), plan_.push_constant_copy);
  }
  // Levels and memory, from what is known of level 0's launches.
  void PlanLevels(RelocatablePlanKey key) { counted_ = FindOrMakePlan(pipeline_, std::move(key), environment_); }
  // After PlanLevels.
  [[nodiscard]] Expected<void> Place(Placement placement) {
    placement.counted = counted_;
    Expected<std::shared_ptr<const PlacedPlan>> placed = FindOrPlacePlan(pipeline_, environment_, placement);
    if (!placed) return placed.error();
    plan_.placed = *std::move(placed);
    UsePrepared(*plan_.placed);
    return {};
  }

  DispatchPlan plan_;
};

}  // namespace trellis
