// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/bound_state_replay.h"

#include "layer/objects/device.h"

namespace trellis {

namespace {

void BindSet(const CommandBuffer& command_buffer, VkPipelineBindPoint bind_point, uint32_t number,
             const BoundSet& bound, VkPipelineLayout layout) {
  const DeviceDispatch& dispatch = command_buffer.device.dispatch;
  const VkCommandBuffer handle = command_buffer.handle;
  switch (bound.kind) {
    case BoundSet::Kind::kNone:
      break;
    case BoundSet::Kind::kDescriptorSet:
      dispatch.CmdBindDescriptorSets(handle, bind_point, layout, number, 1, &bound.descriptor_set,
                                     static_cast<uint32_t>(bound.dynamic_offsets.size()), bound.dynamic_offsets.data());
      break;
    case BoundSet::Kind::kPushDescriptors: {
      const PushedDescriptors::WriteList list = bound.pushed.Writes();
      if (dispatch.CmdPushDescriptorSet && !list.writes.empty())
        dispatch.CmdPushDescriptorSet(handle, bind_point, layout, number, static_cast<uint32_t>(list.writes.size()),
                                      list.writes.data());
      break;
    }
    case BoundSet::Kind::kDescriptorBuffer:
      if (dispatch.CmdSetDescriptorBufferOffsetsEXT)
        dispatch.CmdSetDescriptorBufferOffsetsEXT(handle, bind_point, layout, number, 1, &bound.buffer_index,
                                                  &bound.buffer_offset);
      break;
    case BoundSet::Kind::kEmbeddedSamplers:
      if (dispatch.CmdBindDescriptorBufferEmbeddedSamplersEXT)
        dispatch.CmdBindDescriptorBufferEmbeddedSamplersEXT(handle, bind_point, layout, number);
      break;
  }
}

void Restore(const CommandBuffer& command_buffer, VkPipelineBindPoint bind_point, const BindPointState& state) {
  const DeviceDispatch& dispatch = command_buffer.device.dispatch;
  const VkCommandBuffer handle = command_buffer.handle;
  if (state.pipeline) dispatch.CmdBindPipeline(handle, bind_point, state.pipeline);
  if (dispatch.CmdBindShadersEXT)
    for (const BoundShader& bound : state.shaders) dispatch.CmdBindShadersEXT(handle, 1, &bound.stage, &bound.shader);
  for (const auto& [number, bound] : state.InOrder())
    BindSet(command_buffer, bind_point, number, *bound, bound->layout.handle);
  for (const PushConstantCall& call : command_buffer.push_constants.Calls())
    dispatch.CmdPushConstants(handle, call.layout, call.stages, call.offset, static_cast<uint32_t>(call.bytes.size()),
                              call.bytes.data());
}

bool Fits(const BoundSet& bound, const PipelineLayout& layout, uint32_t number) {
  return bound.layout.sets ? CompatibleForSet(*bound.layout.sets, layout.sets, number) : number < layout.sets.size();
}

}  // namespace

void BindGraphSets(const CommandBuffer& command_buffer, const PipelineLayout& layout, VkPipelineBindPoint target) {
  const VkPipelineLayout through = target == VK_PIPELINE_BIND_POINT_GRAPHICS ? layout.draw_layout : layout.node_layout;
  for (const auto& [number, bound] : command_buffer.compute.InOrder())
    if (IsBoundForComputeAlone(command_buffer, layout, number))
      BindSet(command_buffer, target, number, *bound, through);
  // What was bound for something else may not fit this graph, which then does not use it.
  for (const auto& [number, bound] : command_buffer.execution_graph.InOrder())
    if (Fits(*bound, layout, number)) BindSet(command_buffer, target, number, *bound, through);
}

bool IsBoundForComputeAlone(const CommandBuffer& command_buffer, const PipelineLayout& layout, uint32_t set) {
  const auto fits = [&](const BindPointState& state) {
    return set < state.sets.size() && state.sets[set].kind != BoundSet::Kind::kNone &&
           Fits(state.sets[set], layout, set);
  };
  return fits(command_buffer.compute) && !fits(command_buffer.execution_graph);
}

void RestoreComputeState(const CommandBuffer& command_buffer) {
  Restore(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, command_buffer.compute);
}

void RestoreGraphicsState(const CommandBuffer& command_buffer) {
  Restore(command_buffer, VK_PIPELINE_BIND_POINT_GRAPHICS, command_buffer.graphics);
}

}  // namespace trellis
