// SPDX-License-Identifier: Apache-2.0
// What writes plans into plan memory: the part that knows where things lie.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "layer/replay/placing/dispatch_plan.h"
#include "layer/replay/planning/relocatable_plan.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {

// The launch block of the node of slot `described.identity`, without what it appends to.
[[nodiscard]] shared::LaunchBlock DescribeBlock(const Graph& graph, const shared::LaunchPlan& described,
                                                VkDeviceAddress source, uint32_t form);

// Lives as long as one dispatch is planned; refers to its arguments.
class PlanWriter {
 protected:
  PlanWriter(const ExecutionGraphPipeline& pipeline, const DispatchEnvironment& environment, PlanArena& arena,
             std::shared_ptr<const RelocatablePlan> counted = nullptr)
      : pipeline_(pipeline),
        graph_(pipeline.graph),
        environment_(environment),
        arena_(arena),
        counted_(std::move(counted)) {}

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

  [[nodiscard]] const spirv::NodeInfo& InfoOf(Launch launch) const { return graph_.NodeOf(launch.slot).info; }

  // These where the counts are known.
  [[nodiscard]] const LevelSchedule& schedule() const { return *counted_->schedule; }
  [[nodiscard]] const ScratchLayout& scratch() const { return counted_->scratch; }
  [[nodiscard]] const GraphPlan& memory() const { return counted_->memory; }
  [[nodiscard]] const std::optional<StepSchedule>& steps() const { return counted_->steps; }  // bounded mode
  [[nodiscard]] std::span<const RelocatableLaunch> level_launches(uint32_t level) const {
    return counted_->levels[level].launches;
  }
  // Region[] by slot.
  [[nodiscard]] VkDeviceAddress RegionsConsumedBy(uint32_t level) const {
    if (level == 1 && prepared_regions_ != 0) return prepared_regions_;
    return environment_.scratch + scratch().region_offset(level, 0);
  }
  [[nodiscard]] VkDeviceAddress RegionsProducedBy(uint32_t level) const { return RegionsConsumedBy(level + 1); }

  [[nodiscard]] VkDeviceAddress ControlAddress() const {
    return prepared_control_ != 0 ? prepared_control_ : environment_.scratch + scratch().control;
  }
  // Returns DeviceReport::origin, with what the messages about dropped records need to know of the plan.
  [[nodiscard]] uint32_t Origin() const;
  // From now on control block and regions of level 1 are those of the plan, if it has any.
  void UsePrepared(const PlacedPlan& plan);

  // With what can be said of a launch without an address.
  [[nodiscard]] NodeLaunch LaunchOf(const RelocatableLaunch& launch) const;
  // The launch block of a launch of `level`. `source`: LaunchInput, or the region that the launch is made of.
  [[nodiscard]] Expected<void> UploadBlock(uint32_t level, const shared::LaunchPlan& described, VkDeviceAddress source,
                                           bool from_region, VkDeviceAddress& address);
  void StoreBlock(uint32_t level, const shared::LaunchPlan& described, VkDeviceAddress source, bool from_region,
                  const PlanSpan& span, uint64_t offset) const;
  // Returns the bytes of a slot's launch block, with its outputs.
  [[nodiscard]] uint32_t BlockBytes(uint32_t slot) const {
    return static_cast<uint32_t>(sizeof(shared::LaunchBlock) +
                                 pipeline_.outputs[slot].size() * sizeof(shared::NodeOutput));
  }

  const ExecutionGraphPipeline& pipeline_;
  const Graph& graph_;
  const DispatchEnvironment& environment_;
  PlanArena& arena_;
  std::shared_ptr<const RelocatablePlan> counted_;  // shared with dispatches of the same counts

 private:
  VkDeviceAddress prepared_control_ = 0;
  VkDeviceAddress prepared_regions_ = 0;  // kAlternating
};

}  // namespace trellis
