// Places the levels of a graph: everything behind what a dispatch brings.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "layer/replay/plan_writer.h"

namespace trellis {

// Fills a PlacedPlan, whose `memory` is there. Lives as long as that takes; refers to its arguments.
class LevelPlanner : PlanWriter {
 public:
  LevelPlanner(const ExecutionGraphPipeline& pipeline, const DispatchEnvironment& environment,
               const Placement& placement, PlacedPlan& plan)
      : PlanWriter(pipeline, environment, *plan.memory, placement.counted), placement_(placement), plan_(plan) {}

  [[nodiscard]] Expected<void> Run();

 private:
  [[nodiscard]] Expected<void> PlanLevels();
  // A level whose launches are made of regions.
  [[nodiscard]] Expected<void> PlanLevel(uint32_t level);
  NodeLaunch& AddLaunch(const RelocatableLaunch& launch);
  // What the close kernels of all levels have in common.
  [[nodiscard]] shared::ClosePlan CommonClosePlan() const;
  // In bounded mode, instead of PlanLevel for each level.
  [[nodiscard]] Expected<void> PlanSteps();
  [[nodiscard]] Expected<void> PlanStepLevel(uint32_t level, std::vector<shared::StepLaunch>& launches);
  [[nodiscard]] std::vector<shared::StepTurn> DescribeTurns() const;
  [[nodiscard]] Expected<void> UploadStepPlans(shared::StepPlan step);
  [[nodiscard]] Expected<void> PlanSingle(uint32_t level, const RelocatableLaunch& launch);
  [[nodiscard]] Expected<void> PlanBatches(uint32_t level);
  [[nodiscard]] Expected<void> UploadMembers(uint32_t level, const RelocatableBatch& batch, VkDeviceAddress& address);
  [[nodiscard]] Expected<void> PlanClose(uint32_t level);
  [[nodiscard]] bool NeedsBegin() const;
  // The begin kernel, when all levels are planned.
  [[nodiscard]] Expected<void> PlanBegin();
  // What nodes do not do for their own sake, after PlanBegin: reports of losses, and giving the ring back.
  [[nodiscard]] Expected<void> PlanEnd();
  [[nodiscard]] Expected<void> PlanLosses();
  [[nodiscard]] Expected<void> PlanRelease();
  [[nodiscard]] bool MayReport() const;
  // On the device.
  [[nodiscard]] bool ReadsInfos() const { return !placement_.entry_openings.empty(); }

  const Placement& placement_;
  PlacedPlan& plan_;
  VkDeviceAddress openings_ = 0;  // those of the begin kernel and open_regions
  uint32_t opening_count_ = 0;
};

}  // namespace trellis
