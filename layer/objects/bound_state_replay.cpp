#include "layer/objects/bound_state_replay.h"

#include "layer/objects/device.h"

namespace trellis {

namespace {

constexpr VkPipelineBindPoint kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;

void BindSet(const CommandBuffer& command_buffer, uint32_t number, const BoundSet& bound, VkPipelineLayout layout) {
  const DeviceDispatch& dispatch = command_buffer.device.dispatch;
  const VkCommandBuffer handle = command_buffer.handle;
  switch (bound.kind) {
    case BoundSet::Kind::kNone:
      break;
    case BoundSet::Kind::kDescriptorSet:
      dispatch.CmdBindDescriptorSets(handle, kCompute, layout, number, 1, &bound.descriptor_set,
                                     static_cast<uint32_t>(bound.dynamic_offsets.size()), bound.dynamic_offsets.data());
      break;
    case BoundSet::Kind::kPushDescriptors: {
      const PushedDescriptors::WriteList list = bound.pushed.Writes();
      if (dispatch.CmdPushDescriptorSet && !list.writes.empty())
        dispatch.CmdPushDescriptorSet(handle, kCompute, layout, number, static_cast<uint32_t>(list.writes.size()),
                                      list.writes.data());
      break;
    }
    case BoundSet::Kind::kDescriptorBuffer:
      if (dispatch.CmdSetDescriptorBufferOffsetsEXT)
        dispatch.CmdSetDescriptorBufferOffsetsEXT(handle, kCompute, layout, number, 1, &bound.buffer_index,
                                                  &bound.buffer_offset);
      break;
    case BoundSet::Kind::kEmbeddedSamplers:
      if (dispatch.CmdBindDescriptorBufferEmbeddedSamplersEXT)
        dispatch.CmdBindDescriptorBufferEmbeddedSamplersEXT(handle, kCompute, layout, number);
      break;
  }
}

bool Fits(const BoundSet& bound, const PipelineLayout& layout, uint32_t number) {
  return bound.layout.sets ? CompatibleForSet(*bound.layout.sets, layout.sets, number) : number < layout.sets.size();
}

}  // namespace

void BindGraphSets(const CommandBuffer& command_buffer, const PipelineLayout& layout) {
  for (const auto& [number, bound] : command_buffer.compute.InOrder())
    if (IsBoundForComputeAlone(command_buffer, layout, number))
      BindSet(command_buffer, number, *bound, layout.node_layout);
  // What was bound for something else may not fit this graph, which then does not use it.
  for (const auto& [number, bound] : command_buffer.execution_graph.InOrder())
    if (Fits(*bound, layout, number)) BindSet(command_buffer, number, *bound, layout.node_layout);
}

bool IsBoundForComputeAlone(const CommandBuffer& command_buffer, const PipelineLayout& layout, uint32_t set) {
  const auto fits = [&](const BindPointState& state) {
    return set < state.sets.size() && state.sets[set].kind != BoundSet::Kind::kNone &&
           Fits(state.sets[set], layout, set);
  };
  return fits(command_buffer.compute) && !fits(command_buffer.execution_graph);
}

void RestoreComputeState(const CommandBuffer& command_buffer) {
  const DeviceDispatch& dispatch = command_buffer.device.dispatch;
  const VkCommandBuffer handle = command_buffer.handle;
  const BindPointState& compute = command_buffer.compute;
  if (compute.pipeline) {
    dispatch.CmdBindPipeline(handle, kCompute, compute.pipeline);
  } else if (compute.shader && dispatch.CmdBindShadersEXT) {
    const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    dispatch.CmdBindShadersEXT(handle, 1, &stage, &compute.shader);
  }
  for (const auto& [number, bound] : compute.InOrder()) BindSet(command_buffer, number, *bound, bound->layout.handle);
  for (const PushConstantCall& call : command_buffer.push_constants.Calls())
    dispatch.CmdPushConstants(handle, call.layout, call.stages, call.offset, static_cast<uint32_t>(call.bytes.size()),
                              call.bytes.data());
}

}  // namespace trellis
