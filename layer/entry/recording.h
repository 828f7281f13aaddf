#pragma once

#include <memory>

#include "layer/objects/bind_layout.h"
#include "layer/objects/registry.h"

namespace trellis::entry {

// The command buffer that a vkCmd* records into. Never null on a device whose commands are hooked:
// vkAllocateCommandBuffers is hooked there too.
[[nodiscard]] inline std::shared_ptr<CommandBuffer> Recording(VkCommandBuffer command_buffer) {
  return CommandBuffers().Find(command_buffer);
}

[[nodiscard]] inline bool IsGraphBindPoint(VkPipelineBindPoint bind_point) {
  return bind_point == VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;
}

// VkBindDescriptorSetsInfo and its relatives name stages instead of a bind point; COMPUTE stands for both compute and
// execution graphs. Calls apply(BindPointState&, const BindLayout&) for each.
template <typename Info, typename Apply>
void ForComputeBindPoints(CommandBuffer& recording, const Info& info, Apply&& apply) {
  if (!(info.stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)) return;
  const BindLayout layout = FindBindLayout(recording, info.layout, info.pNext);
  apply(recording.compute, layout);
  apply(recording.execution_graph, layout);
}

}  // namespace trellis::entry
