// SPDX-License-Identifier: Apache-2.0
#include "layer/entry/hooks.h"
#include "layer/objects/registry.h"

namespace trellis::entry {

VKAPI_ATTR void VKAPI_CALL CmdBeginConditionalRenderingEXT(VkCommandBuffer command_buffer,
                                                           const VkConditionalRenderingBeginInfoEXT* info) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  object->conditional_rendering = *info;
  object->conditional_rendering->pNext = nullptr;
  object->render_pass.SetConditionalRendering(true);
  object->device.dispatch.CmdBeginConditionalRenderingEXT(command_buffer, info);
}

VKAPI_ATTR void VKAPI_CALL CmdEndConditionalRenderingEXT(VkCommandBuffer command_buffer) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  object->conditional_rendering.reset();
  object->render_pass.SetConditionalRendering(false);
  object->device.dispatch.CmdEndConditionalRenderingEXT(command_buffer);
}

}  // namespace trellis::entry
