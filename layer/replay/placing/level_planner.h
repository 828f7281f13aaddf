// SPDX-License-Identifier: Apache-2.0
// Places the levels of a graph: everything behind what a dispatch brings.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "layer/replay/placing/plan_writer.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/step_plan.h"

namespace trellis {

// Where in the region that it is made of a launch has its dispatch's arguments, in bytes.
[[nodiscard]] inline uint64_t ArgumentsInRegion(const shared::LaunchPlan& launch) {
  return launch.kind == shared::kLaunchCoalescing ? offsetof(shared::Region, workgroups)
                                                  : offsetof(shared::Region, reserved);
}

// Workgroups of a kernel that opens a region, or reports what one lost, in each invocation.
[[nodiscard]] inline uint32_t WorkgroupsToOpen(uint32_t regions) {
  return (regions + shared::kLevelsWorkgroup - 1) / shared::kLevelsWorkgroup;
}

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
  // Adds a launch to the level, or to the draws if its node is a mesh node.
  NodeLaunch& AddLaunch(const RelocatableLaunch& launch);
  // What the sizing kernels of all levels have in common.
  [[nodiscard]] shared::SizingPlan CommonSizingPlan() const;
  // In bounded mode, instead of PlanLevel for each level.
  [[nodiscard]] Expected<void> PlanSteps();
  [[nodiscard]] Expected<void> PlanStepLevel(uint32_t level, std::vector<shared::StepLaunch>& launches);
  [[nodiscard]] Expected<void> UploadStepPlans(shared::StepPlan step);
  [[nodiscard]] Expected<void> PlanFromRegion(uint32_t level, const RelocatableLaunch& launch);
  // `position`: of the input and the arguments in scratch.
  [[nodiscard]] Expected<void> PlanFromInput(uint32_t level, const RelocatableLaunch& launch, uint32_t position);
  // Launches of mesh nodes, which are drawn after all levels.
  [[nodiscard]] Expected<void> PlanDraws(uint32_t level);
  [[nodiscard]] Expected<void> PlanBatches(uint32_t level);
  [[nodiscard]] Expected<void> UploadMembers(uint32_t level, uint32_t set, const RelocatableBatch& batch,
                                             VkDeviceAddress& address);
  [[nodiscard]] Expected<void> PlanSizing(uint32_t level);
  // Sets of regions that the launches of a level read: a launch that is made of a region is dispatched for each, and
  // has workgroups in the set of the execution only.
  [[nodiscard]] uint32_t SetsOf(uint32_t level) const;
  [[nodiscard]] VkDeviceAddress RegionAddress(uint32_t level, uint32_t set, uint32_t slot) const;
  // `counts`: RelocatableBatch::counts.
  [[nodiscard]] VkDeviceAddress CountsAddress(uint32_t level, uint32_t set, uint64_t counts) const;
  void TakeArguments(uint32_t level, uint32_t set, const RelocatableLaunch& launch, NodeLaunch& node) const;
  // Makes PlacedPlan::prepared. It stays null, and a begin kernel is planned, where there is no memory for it.
  [[nodiscard]] Expected<void> PrepareRegions();
  void FindPreparedOpenings();
  // Return LossPlan::dense_units and dense_parts, for prepared regions that grow.
  [[nodiscard]] uint32_t DenseUnits() const;
  [[nodiscard]] VkDeviceAddress DensePartsAddress() const;
  // What executions do for the next one, when all levels are planned.
  [[nodiscard]] Expected<void> PlanPreparing();
  // Sets `openings_`: `first`, and behind them `later`.
  [[nodiscard]] Expected<void> UploadOpenings(std::span<const shared::RegionPlan> first,
                                              std::span<const shared::RegionPlan> later);
  // The kernel that opens them. Completes `open`.
  [[nodiscard]] Expected<void> PlanOpen(shared::OpenPlan open);
  [[nodiscard]] bool NeedsBegin() const;
  // The begin kernel, when all levels are planned.
  [[nodiscard]] Expected<void> PlanBegin();
  // Plans loss reporting and ring release. Call after PlanBegin or PlanPreparing.
  [[nodiscard]] Expected<void> PlanEnd();
  [[nodiscard]] Expected<void> PlanLosses();
  // For the setting `report`: makes PlacedPlan::counts, and the kernels that add to them.
  [[nodiscard]] Expected<void> PlanCounting();
  [[nodiscard]] Expected<void> PlanRelease();
  [[nodiscard]] bool CannotLose() const;
  [[nodiscard]] bool MayReport() const;
  // On the device.
  [[nodiscard]] bool ReadsInfos() const { return !placement_.entry_openings.empty(); }

  const Placement& placement_;
  PlacedPlan& plan_;
  std::vector<shared::RegionPlan> prepared_openings_;  // as the sets have them
  VkDeviceAddress counted_last_ = 0;                   // CountPlan of the last level, for the losses kernel; or 0
  VkDeviceAddress openings_ = 0;  // prepared regions first, then those in scratch that are not opened between levels
  uint32_t opening_count_ = 0;
};

}  // namespace trellis
