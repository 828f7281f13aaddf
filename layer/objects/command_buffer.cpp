// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/command_buffer.h"

#include "layer/objects/device.h"

namespace trellis {

void CommandBuffer::Refuse(const char* id, const std::string& why, VkResult error) {
  device.diagnostics.Error(id, why, {{VK_OBJECT_TYPE_COMMAND_BUFFER, HandleToU64(handle)}});
  RememberError(error);
}

void CommandBuffer::Discard() {
  ForgetBoundState();
  is_recording = false;
  chained_layouts.clear();
  conditional_rendering.reset();
  usage = 0;
  render_pass.End();
  holds_graph = false;
  graphs = {};
  ring_bytes = 0;
  recorded_error = VK_SUCCESS;
  keep_alive.clear();
  submissions.clear();
  initialized_scratch.clear();
}

void CommandBuffer::ForgetBoundState() {
  compute = {};
  graphics = {};
  execution_graph = {};
  push_constants = {};
  dynamic_states = {};
  bind_sequence = 0;
}

BindPointState* CommandBuffer::StateOf(VkPipelineBindPoint bind_point) {
  if (bind_point == VK_PIPELINE_BIND_POINT_COMPUTE) return &compute;
  if (bind_point == VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX) return &execution_graph;
  if (bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS && device.shader_mesh_enqueue_enabled) return &graphics;
  return nullptr;
}

}  // namespace trellis
