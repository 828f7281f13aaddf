// SPDX-License-Identifier: Apache-2.0
// The part of a dispatch's plan that its payloads do not decide: written to plan memory once per scratch address, and
// used again by every dispatch of the same counts there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "layer/graph/graph.h"
#include "layer/memory/plan_arena.h"
#include "layer/objects/buffer.h"
#include "layer/replay/planning/launch_size.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

struct DispatchEnvironment;
struct ExecutionGraphPipeline;
struct PlanCounts;
class PreparedRegions;
struct RelocatablePlan;

// One dispatch of an internal kernel.
struct KernelCall {
  VkDeviceAddress plan = 0;
  uint32_t x = 1;
  uint32_t y = 1;
};

// One dispatch of a node, or of the launches of a batch; or one draw of a mesh node.
struct NodeLaunch {
  uint32_t node = 0;          // that runs: of launch.slot
  Launch launch;              // the first one of a batch
  VkDeviceAddress block = 0;  // LaunchBlock or LaunchBatch
  // Buffer and offset of its VkDispatchIndirectCommand. A null buffer: the offset counts from the scratch address.
  VkBuffer arguments_buffer = VK_NULL_HANDLE;
  std::optional<VkDeviceSize> arguments;
  DispatchSize size;                   // of launches without arguments: roots of a dispatch from the host
  const std::string* label = nullptr;  // owned by PlacedPlan::counted; null: LaunchLabel, in level 0

  // `scratch`: where the scratch address is. Only with arguments.
  [[nodiscard]] BufferPlace ArgumentsIn(const BufferPlace& scratch) const {
    if (arguments_buffer != VK_NULL_HANDLE) return {arguments_buffer, *arguments};
    return {scratch.buffer, scratch.offset + *arguments};
  }
};

// Kernels that size launches. `sum` comes first: of grids, for launches that may have many records.
struct SizingPasses {
  std::optional<KernelCall> sum;
  KernelCall size;
};

struct LevelPlan {
  std::optional<SizingPasses> sizing;  // none if no launch and no region needs it before the level
  std::optional<KernelCall> batches;   // none if no launches run in batches
  std::optional<KernelCall> count;     // of what the level consumes, with the setting `report`
  bool copies_payloads = false;        // `count` does: launches, which may write them, wait for it
  uint32_t launch_begin = 0;           // its launches among those of all levels
  uint32_t launch_end = 0;
};

// Bounded mode: the kernel that precedes all launches of all levels, again and again (meta_shaders/levels/step_graph).
struct StepPasses {
  VkDeviceAddress first = 0;  // plans of the kernel
  VkDeviceAddress later = 0;
  VkDeviceAddress after = 0;  // once more, without launches
  uint32_t count = 0;
};

// Ownership: shared by the pipeline, while it is kept, and by the recordings that use it. Threading: immutable once
// FindOrPlacePlan has returned it.
struct PlacedPlan {
  std::shared_ptr<const RelocatablePlan> counted;
  std::shared_ptr<PlanArena> memory;  // keeps what the addresses point to
  std::optional<KernelCall> begin;    // none if the nodes need nothing but their launch blocks
  // Instead of the begin kernel: the regions that level 1 consumes, and a ControlBlock in plan memory.
  std::shared_ptr<const PreparedRegions> prepared;
  VkDeviceAddress control = 0;
  // Behind the begin kernel: regions that are too many for it. Next to level 0, where regions are prepared: those of
  // the next execution, and of later levels.
  std::optional<KernelCall> open;
  std::vector<LevelPlan> levels;
  std::vector<NodeLaunch> launches;  // level after level
  std::vector<NodeLaunch> draws;     // the same, after all levels
  // Before the draws: for levels where nothing but draws has to be sized.
  std::vector<SizingPasses> late_sizings;
  std::optional<StepPasses> steps;  // then no level is sized
  // Next to the last level; none if regions lose nothing, or others tell of it, and none are prepared.
  std::optional<KernelCall> losses;
  std::optional<KernelCall> release;         // of the ring; none if it was not claimed
  bool reports = false;                      // something may tell the host of losses or broken rules
  std::shared_ptr<const PlanCounts> counts;  // with the setting `report`; else null
  VkDeviceSize ring_bytes = 0;               // the ring that a dispatch needs

  [[nodiscard]] std::span<const NodeLaunch> launches_of(uint32_t level) const {
    return std::span(launches).subspan(levels[level].launch_begin,
                                       levels[level].launch_end - levels[level].launch_begin);
  }
  NodeLaunch& AddLaunch() {
    ++levels.back().launch_end;
    return launches.emplace_back();
  }
  LevelPlan& AddLevel() {
    LevelPlan& level = levels.emplace_back();
    level.launch_begin = level.launch_end = static_cast<uint32_t>(launches.size());
    return level;
  }
};

// What is to be placed where the environment says. All but `root_inputs` follows from the counts.
struct Placement {
  std::shared_ptr<const RelocatablePlan> counted;
  VkDeviceSize ring_bytes = 0;
  // The ring, if the plan is to have PlacedPlan::prepared. Else 0: the begin kernel finds one.
  VkDeviceAddress ring = 0;
  // Level 0's launches are the dispatch's own business: they read what it brings. Bounded mode has them here.
  bool brings_roots = false;
  std::span<const shared::RegionPlan> entry_openings;  // regions that level 0 consumes
  // In bounded mode, by launch of level 0: the address of its LaunchInput, 0 if it has none. Empty: they are made of
  // regions.
  std::span<const VkDeviceAddress> root_inputs;
};

// One that was placed before, if it is still kept. Fails when plan memory runs out. Threading: any thread.
[[nodiscard]] Expected<std::shared_ptr<const PlacedPlan>> FindOrPlacePlan(const ExecutionGraphPipeline& pipeline,
                                                                          const DispatchEnvironment& environment,
                                                                          const Placement& placement);

}  // namespace trellis
