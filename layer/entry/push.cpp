// SPDX-License-Identifier: Apache-2.0
#include "layer/entry/bind_points.h"
#include "layer/entry/hooks.h"

namespace trellis::entry {

namespace {

BoundSet& PushTarget(CommandBuffer& command_buffer, BindPointState& state, const BindLayout& layout, uint32_t set) {
  return state.Rebind(set, BoundSet::Kind::kPushDescriptors, layout, command_buffer.bind_sequence++);
}

// Returns whether the command has to go down too.
bool PushWithTemplate(CommandBuffer& command_buffer, VkDescriptorUpdateTemplate update_template,
                      VkPipelineLayout layout, const void* layout_chain, uint32_t set, const void* data) {
  const auto known = command_buffer.device.push_templates.Find(update_template);
  if (!known) return true;
  if (BindPointState* state = command_buffer.StateOf(known->bind_point))
    PushTarget(command_buffer, *state, FindBindLayout(command_buffer, layout, layout_chain), set)
        .pushed.PushWithTemplate(known->entries, data);
  return !IsGraphBindPoint(known->bind_point);
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL CmdPushConstants(VkCommandBuffer command_buffer, VkPipelineLayout layout,
                                            VkShaderStageFlags stages, uint32_t offset, uint32_t size,
                                            const void* values) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  object->push_constants.Push(layout, stages, offset, {static_cast<const uint8_t*>(values), size});
  object->device.dispatch.CmdPushConstants(command_buffer, layout, stages, offset, size, values);
}

VKAPI_ATTR void VKAPI_CALL CmdPushConstants2(VkCommandBuffer command_buffer, const VkPushConstantsInfo* info) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  object->push_constants.Push(FindBindLayout(*object, info->layout, info->pNext).handle, info->stageFlags, info->offset,
                              {static_cast<const uint8_t*>(info->pValues), info->size});
  object->device.dispatch.CmdPushConstants2(command_buffer, info);
}

VKAPI_ATTR void VKAPI_CALL CmdPushDescriptorSet(VkCommandBuffer command_buffer, VkPipelineBindPoint bind_point,
                                                VkPipelineLayout layout, uint32_t set, uint32_t count,
                                                const VkWriteDescriptorSet* writes) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  if (BindPointState* state = object->StateOf(bind_point))
    PushTarget(*object, *state, FindBindLayout(*object, layout), set).pushed.Push({writes, count});
  if (!IsGraphBindPoint(bind_point))
    object->device.dispatch.CmdPushDescriptorSet(command_buffer, bind_point, layout, set, count, writes);
}

VKAPI_ATTR void VKAPI_CALL CmdPushDescriptorSet2(VkCommandBuffer command_buffer, const VkPushDescriptorSetInfo* info) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  ForBindPoints(*object, *info, [&](BindPointState& state, const BindLayout& layout) {
    PushTarget(*object, state, layout, info->set).pushed.Push({info->pDescriptorWrites, info->descriptorWriteCount});
  });
  object->device.dispatch.CmdPushDescriptorSet2(command_buffer, info);
}

VKAPI_ATTR void VKAPI_CALL CmdPushDescriptorSetWithTemplate(VkCommandBuffer command_buffer,
                                                            VkDescriptorUpdateTemplate update_template,
                                                            VkPipelineLayout layout, uint32_t set, const void* data) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  if (PushWithTemplate(*object, update_template, layout, nullptr, set, data))
    object->device.dispatch.CmdPushDescriptorSetWithTemplate(command_buffer, update_template, layout, set, data);
}

VKAPI_ATTR void VKAPI_CALL CmdPushDescriptorSetWithTemplate2(VkCommandBuffer command_buffer,
                                                             const VkPushDescriptorSetWithTemplateInfo* info) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  if (PushWithTemplate(*object, info->descriptorUpdateTemplate, info->layout, info->pNext, info->set, info->pData))
    object->device.dispatch.CmdPushDescriptorSetWithTemplate2(command_buffer, info);
}

}  // namespace trellis::entry
