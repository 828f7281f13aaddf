// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "layer/entry/bind_points.h"
#include "layer/entry/hooks.h"
#include "layer/pipeline/execution_graph.h"

namespace trellis::entry {

namespace {

// Null if the pipeline may be bound there, for all that the layer can tell.
const char* WhyNotBindable(const Device& device, VkPipelineBindPoint bind_point, VkPipeline pipeline) {
  const std::shared_ptr<ExecutionGraphPipeline> graph = device.execution_graphs.Find(pipeline);
  if (graph ? graph->is_library : device.node_libraries.Find(pipeline) != nullptr)
    return "a pipeline library cannot be bound (VUID-vkCmdBindPipeline-pipeline-03382)";
  if (graph && !IsGraphBindPoint(bind_point))
    return "an execution graph can be bound at VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX only";
  return nullptr;
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL CmdBindPipeline(VkCommandBuffer command_buffer, VkPipelineBindPoint bind_point,
                                           VkPipeline pipeline) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  if (BindPointState* state = object->StateOf(bind_point)) {
    if (const char* why_not = WhyNotBindable(object->device, bind_point, pipeline))
      return object->Refuse("TRELLIS-pipeline-library", std::string("vkCmdBindPipeline: ") + why_not,
                            VK_ERROR_VALIDATION_FAILED_EXT);
    state->BindPipeline(pipeline);
    if (bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS) object->dynamic_states.BindPipeline();
  }
  if (!IsGraphBindPoint(bind_point)) object->device.dispatch.CmdBindPipeline(command_buffer, bind_point, pipeline);
}

VKAPI_ATTR void VKAPI_CALL CmdBindShadersEXT(VkCommandBuffer command_buffer, uint32_t count,
                                             const VkShaderStageFlagBits* stages, const VkShaderEXT* shaders) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  for (uint32_t i = 0; i < count; ++i) {
    const bool is_compute = stages[i] == VK_SHADER_STAGE_COMPUTE_BIT;
    BindPointState* const state =
        object->StateOf(is_compute ? VK_PIPELINE_BIND_POINT_COMPUTE : VK_PIPELINE_BIND_POINT_GRAPHICS);
    if (state) state->BindShader(stages[i], shaders ? shaders[i] : nullptr);
  }
  object->device.dispatch.CmdBindShadersEXT(command_buffer, count, stages, shaders);
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorSets(VkCommandBuffer command_buffer, VkPipelineBindPoint bind_point,
                                                 VkPipelineLayout layout, uint32_t first, uint32_t count,
                                                 const VkDescriptorSet* sets, uint32_t dynamic_offset_count,
                                                 const uint32_t* dynamic_offsets) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  if (BindPointState* state = object->StateOf(bind_point))
    state->BindSets(FindBindLayout(*object, layout), first, count, sets, {dynamic_offsets, dynamic_offset_count},
                    object->bind_sequence);
  if (!IsGraphBindPoint(bind_point))
    object->device.dispatch.CmdBindDescriptorSets(command_buffer, bind_point, layout, first, count, sets,
                                                  dynamic_offset_count, dynamic_offsets);
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorSets2(VkCommandBuffer command_buffer,
                                                  const VkBindDescriptorSetsInfo* info) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  ForBindPoints(*object, *info, [&](BindPointState& state, const BindLayout& layout) {
    state.BindSets(layout, info->firstSet, info->descriptorSetCount, info->pDescriptorSets,
                   {info->pDynamicOffsets, info->dynamicOffsetCount}, object->bind_sequence);
  });
  object->device.dispatch.CmdBindDescriptorSets2(command_buffer, info);
}

VKAPI_ATTR void VKAPI_CALL CmdSetDescriptorBufferOffsetsEXT(VkCommandBuffer command_buffer,
                                                            VkPipelineBindPoint bind_point, VkPipelineLayout layout,
                                                            uint32_t first, uint32_t count,
                                                            const uint32_t* buffer_indices,
                                                            const VkDeviceSize* offsets) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  if (BindPointState* state = object->StateOf(bind_point))
    state->BindDescriptorBuffers(FindBindLayout(*object, layout), first, count, buffer_indices, offsets,
                                 object->bind_sequence);
  if (!IsGraphBindPoint(bind_point))
    object->device.dispatch.CmdSetDescriptorBufferOffsetsEXT(command_buffer, bind_point, layout, first, count,
                                                             buffer_indices, offsets);
}

VKAPI_ATTR void VKAPI_CALL CmdSetDescriptorBufferOffsets2EXT(VkCommandBuffer command_buffer,
                                                             const VkSetDescriptorBufferOffsetsInfoEXT* info) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  ForBindPoints(*object, *info, [&](BindPointState& state, const BindLayout& layout) {
    state.BindDescriptorBuffers(layout, info->firstSet, info->setCount, info->pBufferIndices, info->pOffsets,
                                object->bind_sequence);
  });
  object->device.dispatch.CmdSetDescriptorBufferOffsets2EXT(command_buffer, info);
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorBufferEmbeddedSamplersEXT(VkCommandBuffer command_buffer,
                                                                      VkPipelineBindPoint bind_point,
                                                                      VkPipelineLayout layout, uint32_t set) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  if (BindPointState* state = object->StateOf(bind_point))
    state->Rebind(set, BoundSet::Kind::kEmbeddedSamplers, FindBindLayout(*object, layout), object->bind_sequence++);
  if (!IsGraphBindPoint(bind_point))
    object->device.dispatch.CmdBindDescriptorBufferEmbeddedSamplersEXT(command_buffer, bind_point, layout, set);
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorBufferEmbeddedSamplers2EXT(
    VkCommandBuffer command_buffer, const VkBindDescriptorBufferEmbeddedSamplersInfoEXT* info) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  ForBindPoints(*object, *info, [&](BindPointState& state, const BindLayout& layout) {
    state.Rebind(info->set, BoundSet::Kind::kEmbeddedSamplers, layout, object->bind_sequence++);
  });
  object->device.dispatch.CmdBindDescriptorBufferEmbeddedSamplers2EXT(command_buffer, info);
}

}  // namespace trellis::entry
