#pragma once

#include <memory>

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

}  // namespace trellis::entry
