// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "layer/objects/bind_layout.h"
#include "layer/objects/registry.h"

namespace trellis::entry {

[[nodiscard]] inline bool IsGraphBindPoint(VkPipelineBindPoint bind_point) {
  return bind_point == VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;
}

// VkBindDescriptorSetsInfo and its relatives name stages instead of a bind point; COMPUTE stands for both compute and
// execution graphs. Calls apply(BindPointState&, const BindLayout&) for each bind point that the layer follows.
template <typename Info, typename Apply>
void ForBindPoints(CommandBuffer& command_buffer, const Info& info, Apply&& apply) {
  constexpr VkShaderStageFlags kGraphicsStages =
      VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
  const bool for_compute = (info.stageFlags & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  BindPointState* const graphics =
      (info.stageFlags & kGraphicsStages) != 0 ? command_buffer.StateOf(VK_PIPELINE_BIND_POINT_GRAPHICS) : nullptr;
  if (!for_compute && !graphics) return;
  const BindLayout layout = FindBindLayout(command_buffer, info.layout, info.pNext);
  if (graphics) apply(*graphics, layout);
  if (!for_compute) return;
  apply(command_buffer.compute, layout);
  apply(command_buffer.execution_graph, layout);
}

}  // namespace trellis::entry
