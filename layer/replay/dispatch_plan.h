// Everything that one graph dispatch needs in plan memory, and the dispatches that it becomes. No command is recorded
// here.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "layer/memory/plan_arena.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/replay/entry_inputs.h"
#include "layer/replay/launch_size.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

// What a plan depends on beside the graph and its inputs. Addresses are device addresses.
struct DispatchEnvironment {
  VkDeviceAddress scratch = 0;
  VkDeviceAddress ring_table = 0;
  VkDeviceAddress loss_reports = 0;
  VkDeviceSize ring_budget = 0;  // bytes: most for one ring, unless the inputs alone need more
  LaunchLimits limits;
};

// One dispatch of an internal kernel.
struct KernelCall {
  VkDeviceAddress plan = 0;
  uint32_t x = 1;
  uint32_t y = 1;
};

// One dispatch of a node: direct in level 0, indirect afterwards.
struct NodeLaunch {
  uint32_t node = 0;  // that runs: of launch.slot
  Launch launch;
  VkDeviceAddress block = 0;   // LaunchBlock
  DispatchSize size;           // level 0
  VkDeviceSize arguments = 0;  // later levels: offset of the DispatchArguments from the scratch address
};

struct LevelPlan {
  std::optional<KernelCall> close;  // none for level 0
  std::vector<NodeLaunch> launches;
};

struct DispatchPlan {
  std::optional<KernelCall> begin;      // none if the nodes need nothing but their launch blocks
  std::optional<KernelCall> copy;       // inputs of roots that are written
  std::vector<LevelPlan> levels;        // none if there is nothing to do
  std::optional<KernelCall> end;        // none if no ring is claimed
  VkDeviceSize ring_bytes = 0;          // the ring that this dispatch needs
  std::vector<std::string> complaints;  // what could not be done as asked
};

// Fails when plan memory runs out.
[[nodiscard]] Expected<DispatchPlan> PlanDispatch(const ExecutionGraphPipeline& pipeline, const EntryInputs& inputs,
                                                  const DispatchEnvironment& environment, PlanArena& arena);

}  // namespace trellis
