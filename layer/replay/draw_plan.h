// The draws that a dispatch becomes whose nodes are all mesh nodes of the host's: nothing has to be computed for them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "layer/memory/plan_arena.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/replay/entry_inputs.h"
#include "layer/replay/launch_size.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

// VkPhysicalDeviceMeshShaderPropertiesEXT.
struct DrawLimits {
  std::array<uint32_t, 3> max_workgroup_count = {};
  uint32_t max_workgroup_total_count = 0;
};

// One vkCmdDrawMeshTasksEXT.
struct Draw {
  uint32_t node = 0;
  VkDeviceAddress block = 0;  // LaunchBlock
  DispatchSize size;
  Launch launch;
};

struct DrawPlan {
  std::vector<Draw>
      draws;  // in the order of roots; those of one launch one behind the other, in their workgroups' order
  std::vector<std::string> complaints;  // what could not be done as asked
};

// Whether all that such a dispatch runs are draws for which nothing has to be computed.
[[nodiscard]] bool IsDrawnInPlace(const Graph& graph, const EntryInputs& inputs);

// For inputs that are drawn in place. `arena`: of the recording. Fails when plan memory runs out.
[[nodiscard]] Expected<DrawPlan> PlanDraws(const Graph& graph, const EntryInputs& inputs, const DrawLimits& limits,
                                           PlanArena& arena);

}  // namespace trellis
