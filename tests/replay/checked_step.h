// SPDX-License-Identifier: Apache-2.0
// What step_graph reads and writes, and the launches that it may let run. Which of them it is shows on the device
// alone: as if it were all.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "meta_shaders/shared/graph_data.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/step_plan.h"
#include "tests/replay/checked_memory.h"
#include "tests/replay/open_regions.h"

namespace trellis::test {

struct StepTouch {
  uint64_t begin = 0;
  uint64_t end = 0;
  VkAccessFlags access = 0;
  std::string what;
};

struct CheckedStep {
  std::vector<StepTouch> touches;
  std::map<uint64_t, PreparedInput> inputs;  // by address of the LaunchInput
  std::map<uint64_t, PreparedInput> drawn;   // the same, of draws
};

class StepChecker {
 public:
  // `copied`: inputs that the copy kernel prepared, by address of their LaunchInput.
  StepChecker(const shared::StepPlan& plan, const std::map<uint64_t, PreparedInput>& copied, OpenRegions& open,
              std::vector<std::string>& complaints)
      : plan_(plan),
        sizing_(At<shared::SizingPlan>(plan.sizing)),
        copied_(copied),
        open_(open),
        complaints_(complaints) {}

  [[nodiscard]] CheckedStep Check(uint64_t ring_bytes) {
    constexpr VkAccessFlags kReadWrite = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    Touch(sizing_.control, sizeof(shared::ControlBlock), VK_ACCESS_SHADER_READ_BIT, "reads the control block");
    Touch(plan_.state, sizeof(shared::StepState), kReadWrite, "keeps its state");
    Touch(plan_.totals, plan_.launch_count * sizeof(uint32_t), kReadWrite, "keeps totals");
    for (uint32_t i = 0; i < plan_.launch_count; ++i) CheckLaunch(i, ring_bytes);
    if (plan_.phase == shared::kAfterSteps) {
      step_.inputs.clear();
      step_.drawn.clear();  // nothing runs any more, and nothing is opened for it
      return std::move(step_);
    }
    for (uint32_t i = 0; i < OpeningCount(); ++i) CheckOpening(At<shared::RegionPlan>(plan_.openings, i), ring_bytes);
    return std::move(step_);
  }

 private:
  [[nodiscard]] uint32_t OpeningCount() const {
    uint32_t last = 0;
    for (uint32_t i = 0; i < plan_.level_count; ++i)
      last = std::max(last, At<shared::StepLevel>(plan_.levels, i).opening_end);
    return last;
  }

  void Touch(uint64_t begin, uint64_t bytes, VkAccessFlags access, const std::string& what) {
    step_.touches.push_back({begin, begin + bytes, access, "step_graph " + what});
  }

  void CheckOpening(const shared::RegionPlan& opening, uint64_t ring_bytes) {
    Touch(sizing_.regions + opening.region * sizeof(shared::Region), sizeof(shared::Region),
          VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT, "opens region " + std::to_string(opening.slot));
    if (opening.offset + uint64_t{opening.stride} * opening.dense + uint64_t{opening.state_units} * 16 > ring_bytes)
      complaints_.push_back("region " + std::to_string(opening.slot) + " leaves the ring in a step");
  }

  void CheckLaunch(uint32_t index, uint64_t ring_bytes) {
    const shared::StepLaunch& step = At<shared::StepLaunch>(plan_.launches, index);
    const uint64_t input = sizing_.inputs + index * sizeof(shared::LaunchInput);
    const uint64_t region = sizing_.regions + step.region * sizeof(shared::Region);
    PreparedInput prepared;
    if (step.level != 0 || index < plan_.entry_launches) {
      const shared::RegionPlan* opening = open_.Find(region, step.level);
      if (opening == nullptr) return complaints_.push_back("a step consumes a region that nobody opened");
      prepared = InRegion(*opening);
      Touch(region, sizeof(shared::Region), VK_ACCESS_SHADER_READ_BIT, "reads region " + std::to_string(opening->slot));
      if (opening->dense < opening->capacity || opening->state_words != 0) FindPool(step, *opening, prepared);
      CheckRecords(step.launch, *opening, prepared, ring_bytes);
    } else if (step.root != 0) {
      prepared = RootInput(step.root);
    }
    prepared.slot = step.launch.identity;
    prepared.level = step.level;
    prepared.arguments = sizing_.arguments + index * sizeof(shared::DispatchArguments);
    Touch(input, sizeof(shared::LaunchInput), VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
          "describes an input");
    if (step.launch.draws != 0) return CheckDraws(step.launch, prepared);
    Touch(prepared.arguments, sizeof(shared::DispatchArguments), VK_ACCESS_SHADER_WRITE_BIT, "writes arguments");
    step_.inputs[input] = prepared;
  }

  void CheckDraws(const shared::LaunchPlan& launch, PreparedInput prepared) {
    for (uint32_t i = launch.first_draw; i < launch.first_draw + launch.draws; ++i) {
      const uint64_t input = sizing_.inputs + i * sizeof(shared::LaunchInput);
      prepared.arguments = sizing_.arguments + i * sizeof(shared::DispatchArguments);
      Touch(input, sizeof(shared::LaunchInput), VK_ACCESS_SHADER_WRITE_BIT, "describes the input of a draw");
      Touch(prepared.arguments, sizeof(shared::DispatchArguments), VK_ACCESS_SHADER_WRITE_BIT,
            "writes arguments of a draw");
      step_.drawn[input] = prepared;
    }
  }

  // Of a region that grows.
  void FindPool(const shared::StepLaunch& step, const shared::RegionPlan& opening, PreparedInput& prepared) {
    const uint64_t region = sizing_.regions + step.pool * sizeof(shared::Region);
    const shared::RegionPlan* pool = open_.Find(region, step.level);
    if (pool == nullptr) return complaints_.push_back("a step reads a region that grows out of nothing");
    prepared.pool = kRing + pool->offset;
    prepared.pool_bytes = uint64_t{pool->stride} * pool->capacity + uint64_t{pool->state_units} * 16;
    const bool takes_state = step.launch.state_words != shared::kNoRecordState && opening.state_words != 0;
    const VkAccessFlags access = VK_ACCESS_SHADER_READ_BIT | (takes_state ? VK_ACCESS_SHADER_WRITE_BIT : 0);
    Touch(prepared.pool, prepared.pool_bytes, access, "uses what the pool gave");
    Touch(region, sizeof(shared::Region), VK_ACCESS_SHADER_READ_BIT, "reads the pool's region");
  }

  void CheckRecords(const shared::LaunchPlan& launch, const shared::RegionPlan& opening, PreparedInput& prepared,
                    uint64_t ring_bytes) {
    if (launch.kind == shared::kLaunchDynamicGrid) {
      Touch(prepared.records, prepared.record_bytes, VK_ACCESS_SHADER_READ_BIT, "reads grids");
      if (launch.draws == 0) {
        prepared.slices = sizing_.slices + launch.slice_table * kSliceTableBytes;
        Touch(prepared.slices, kSliceTableBytes, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
              "keeps slices");
      }
    }
    if (launch.state_words == shared::kNoRecordState) return;
    PlaceRecordState(opening, launch, prepared);
    Touch(prepared.record_state, prepared.record_state_bytes, VK_ACCESS_SHADER_WRITE_BIT, "writes record_state");
    if (prepared.record_state + prepared.record_state_bytes > kRing + ring_bytes)
      complaints_.push_back("record_state leave the ring");
  }

  // In plan memory, which nobody writes; or a copy, which the first step reads.
  PreparedInput RootInput(uint64_t root) {
    if (const auto copy = copied_.find(root); copy != copied_.end()) {
      Touch(root, sizeof(shared::LaunchInput), VK_ACCESS_SHADER_READ_BIT, "reads a copied input");
      return copy->second;
    }
    const shared::LaunchInput& input = At<shared::LaunchInput>(root);
    PreparedInput prepared;
    prepared.records = input.records.base;
    prepared.record_bytes = uint64_t{input.records.count} * input.records.stride;
    return prepared;
  }

  const shared::StepPlan& plan_;
  const shared::SizingPlan& sizing_;
  const std::map<uint64_t, PreparedInput>& copied_;
  OpenRegions& open_;
  std::vector<std::string>& complaints_;
  CheckedStep step_;
};

}  // namespace trellis::test
