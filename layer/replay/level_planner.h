// What dispatches from the host and from the device have in common: everything behind their first level.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "layer/replay/dispatch_plan.h"
#include "layer/replay/relocatable_plan.h"

namespace trellis {

// Fills a DispatchPlan. Lives as long as one dispatch is planned; refers to its arguments.
class LevelPlanner {
 protected:
  LevelPlanner(const ExecutionGraphPipeline& pipeline, const DispatchEnvironment& environment, PlanArena& arena,
               DispatchPlan& plan)
      : pipeline_(pipeline),
        graph_(pipeline.graph),
        environment_(environment),
        arena_(arena),
        plan_(plan),
        scratch_(pipeline.scratch_layout()) {}

  // Stores `values` in plan memory and gives `address` its place.
  template <typename T>
  [[nodiscard]] Expected<void> Upload(std::span<const T> values, VkDeviceAddress& address) {
    Expected<PlanSpan> span = arena_.Upload(values);
    if (!span) return span.error();
    address = span->address;
    return {};
  }
  template <typename T>
  [[nodiscard]] Expected<void> Upload(const T& value, VkDeviceAddress& address) {
    return Upload(std::span<const T>(&value, 1), address);
  }

  // The same for several, one behind the other.
  template <typename T>
  [[nodiscard]] Expected<void> UploadJoined(std::initializer_list<std::span<const T>> all, VkDeviceAddress& address) {
    size_t bytes = 0;
    for (const std::span<const T> values : all) bytes += values.size_bytes();
    Expected<PlanSpan> span = arena_.Allocate(bytes);
    if (!span) return span.error();
    size_t offset = 0;
    for (const std::span<const T> values : all) {
      span->Store(offset, values);
      offset += values.size_bytes();
    }
    address = span->address;
    return {};
  }

  [[nodiscard]] shared::LaunchPlan Describe(Launch launch) const;
  [[nodiscard]] const spirv::NodeInfo& InfoOf(Launch launch) const { return graph_.NodeOf(launch.slot).info; }
  // Region[] by slot.
  [[nodiscard]] VkDeviceAddress RegionsConsumedBy(uint32_t level) const {
    return environment_.scratch + scratch_.region_offset(level, 0);
  }
  [[nodiscard]] VkDeviceAddress RegionsProducedBy(uint32_t level) const { return RegionsConsumedBy(level + 1); }

  // For nodes that read the application's push constants from memory.
  [[nodiscard]] Expected<void> CopyPushConstants();
  // Levels and memory from level 0's slots and what is known of their launches. `reserved`: bytes of the ring that
  // something else takes as long as steps run.
  void PlanLevels(std::span<const uint32_t> slots, std::span<const RootCount> counts, uint64_t reserved);
  // Of a level, with what can be said of it without an address.
  NodeLaunch& AddLaunch(const RelocatableLaunch& launch);
  // The launch block of a launch of `level`. `source`: LaunchInput, or the region that the launch is made of.
  [[nodiscard]] Expected<void> UploadBlock(uint32_t level, const shared::LaunchPlan& described, VkDeviceAddress source,
                                           bool from_region, VkDeviceAddress& address);
  // Of the launch block of a slot, with its outputs.
  [[nodiscard]] uint32_t BlockBytes(uint32_t slot) const {
    return static_cast<uint32_t>(sizeof(shared::LaunchBlock) +
                                 pipeline_.outputs[slot].size() * sizeof(shared::NodeOutput));
  }
  // A level whose launches are made of regions.
  [[nodiscard]] Expected<void> PlanLevel(uint32_t level);
  // These after PlanLevels.
  [[nodiscard]] const LevelSchedule& schedule() const { return *counted_->schedule; }
  [[nodiscard]] std::span<const RelocatableLaunch> level_launches(uint32_t level) const {
    return counted_->levels[level].launches;
  }
  [[nodiscard]] const GraphPlan& memory() const { return counted_->memory; }
  [[nodiscard]] const std::optional<StepSchedule>& steps() const { return counted_->steps; }  // bounded mode
  // In bounded mode, instead of PlanLevel for each level. `root_inputs`: by launch of level 0, the address of its
  // LaunchInput, 0 if it has none; empty: they are made of regions.
  [[nodiscard]] Expected<void> PlanSteps(std::span<const VkDeviceAddress> root_inputs);
  // The begin kernel, when all levels are planned. `entry_openings`: regions that level 0 consumes.
  [[nodiscard]] Expected<void> PlanBegin(std::span<const shared::RegionPlan> entry_openings);
  // The end kernel, after PlanBegin.
  [[nodiscard]] Expected<void> PlanEnd();

  const ExecutionGraphPipeline& pipeline_;
  const Graph& graph_;
  const DispatchEnvironment& environment_;
  PlanArena& arena_;
  DispatchPlan& plan_;
  ScratchLayout scratch_;

 private:
  // What the close kernels of all levels have in common.
  [[nodiscard]] shared::ClosePlan CommonClosePlan() const;
  [[nodiscard]] Expected<void> PlanStepLevel(uint32_t level, std::span<const VkDeviceAddress> root_inputs,
                                             std::vector<shared::StepLaunch>& launches);
  [[nodiscard]] std::vector<shared::StepTurn> DescribeTurns() const;
  [[nodiscard]] Expected<void> UploadStepPlans(shared::StepPlan step);
  void StoreBlock(uint32_t level, const shared::LaunchPlan& described, VkDeviceAddress source, bool from_region,
                  const PlanSpan& span, uint64_t offset) const;
  [[nodiscard]] Expected<void> PlanSingle(uint32_t level, const RelocatableLaunch& launch);
  [[nodiscard]] Expected<void> PlanBatches(uint32_t level);
  [[nodiscard]] Expected<void> UploadMembers(uint32_t level, const RelocatableBatch& batch, VkDeviceAddress& address);
  [[nodiscard]] Expected<void> PlanClose(uint32_t level);

  std::shared_ptr<const RelocatablePlan> counted_;  // shared with dispatches of the same counts
  VkDeviceAddress openings_ = 0;                    // those of the begin kernel and open_regions
  uint32_t opening_count_ = 0;
};

}  // namespace trellis
