// SPDX-License-Identifier: Apache-2.0
// Everything that one graph dispatch needs in plan memory, and the dispatches that it becomes: what is its own, and
// what it shares with others (placed_plan.h). No command is recorded here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "layer/memory/plan_arena.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/replay/placing/placed_plan.h"
#include "layer/replay/planning/dispatch_environment.h"
#include "layer/replay/planning/entry_inputs.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

// The kernels that make level 0's regions out of infos that the device reads (meta_shaders/shared/entry_plan.h).
struct EntryPasses {
  KernelCall count_infos, append_infos;
  VkDeviceAddress copy_chunks = 0;   // its plan
  VkDeviceSize chunk_arguments = 0;  // offset of its VkDispatchIndirectCommand from the scratch address
};

struct DispatchPlan {
  std::optional<KernelCall> copy;            // inputs of roots that are written
  std::optional<EntryPasses> entry;          // infos that the device reads
  std::vector<NodeLaunch> roots;             // level 0, where the dispatch brings it
  std::vector<NodeLaunch> root_draws;        // and those of its launches that are drawn
  VkDeviceAddress push_constant_copy = 0;    // of the application's push constants, if the layout has a copy_offset
  std::vector<std::string> complaints;       // what could not be done as asked
  std::shared_ptr<const PlacedPlan> placed;  // all the rest; null if there is nothing to do

  [[nodiscard]] std::span<const NodeLaunch> launches_of(uint32_t level) const {
    return level == 0 && !roots.empty() ? std::span(roots) : placed->launches_of(level);
  }
  [[nodiscard]] bool has_draws() const { return placed && !(root_draws.empty() && placed->draws.empty()); }
};

// What vkCmdDispatchGraphIndirectAMDX and vkCmdDispatchGraphIndirectCountAMDX read on the device:
// VkDispatchGraphInfoAMDX structures, or the VkDispatchGraphCountInfoAMDX that says where they are.
struct DeviceInputs {
  VkDeviceAddress count_info = 0;  // 0: the rest is set
  VkDeviceAddress infos = 0;
  uint64_t info_stride = 0;
  uint32_t info_count = 0;
};

// `arena`: of the recording. Fails when plan memory runs out.
[[nodiscard]] Expected<DispatchPlan> PlanDispatch(const ExecutionGraphPipeline& pipeline, const EntryInputs& inputs,
                                                  const DispatchEnvironment& environment, PlanArena& arena);
[[nodiscard]] Expected<DispatchPlan> PlanDispatch(const ExecutionGraphPipeline& pipeline, const DeviceInputs& inputs,
                                                  const DispatchEnvironment& environment, PlanArena& arena);

}  // namespace trellis
