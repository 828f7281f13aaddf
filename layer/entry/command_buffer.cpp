// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/command_buffer.h"

#include "layer/entry/hooks.h"
#include "layer/objects/registry.h"
#include "layer/replay/replay.h"

namespace trellis::entry {

VKAPI_ATTR VkResult VKAPI_CALL BeginCommandBuffer(VkCommandBuffer command_buffer,
                                                  const VkCommandBufferBeginInfo* info) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  object->BeginRecording(info->flags);
  return object->device.dispatch.BeginCommandBuffer(command_buffer, info);
}

VKAPI_ATTR VkResult VKAPI_CALL EndCommandBuffer(VkCommandBuffer command_buffer) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  object->is_recording = false;
  RecordEndOfGraphs(*object);
  const VkResult result = object->device.dispatch.EndCommandBuffer(command_buffer);
  return result == VK_SUCCESS ? object->recorded_error : result;
}

VKAPI_ATTR VkResult VKAPI_CALL ResetCommandBuffer(VkCommandBuffer command_buffer, VkCommandBufferResetFlags flags) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  object->Discard();
  return object->device.dispatch.ResetCommandBuffer(command_buffer, flags);
}

VKAPI_ATTR void VKAPI_CALL CmdExecuteCommands(VkCommandBuffer command_buffer, uint32_t count,
                                              const VkCommandBuffer* secondaries) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  object->device.dispatch.CmdExecuteCommands(command_buffer, count, secondaries);
  object->ForgetBoundState();
}

}  // namespace trellis::entry
