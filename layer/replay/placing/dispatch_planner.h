// SPDX-License-Identifier: Apache-2.0
// What dispatches from the host and from the device have in common.
#pragma once

#include <utility>

#include "layer/replay/placing/plan_writer.h"

namespace trellis {

// Fills a DispatchPlan.
class DispatchPlanner : protected PlanWriter {
 protected:
  DispatchPlanner(const ExecutionGraphPipeline& pipeline, const DispatchEnvironment& environment, PlanArena& arena)
      : PlanWriter(pipeline, environment, arena) {}

  // For nodes that read the application's push constants from memory.
  [[nodiscard]] Expected<void> CopyPushConstants();
  // Levels and memory, from what is known of level 0's launches.
  void PlanLevels(RelocatablePlanKey key) { counted_ = FindOrMakePlan(pipeline_, std::move(key), environment_); }
  // After PlanLevels.
  [[nodiscard]] Expected<void> Place(Placement placement);

  DispatchPlan plan_;
};

}  // namespace trellis
