// SPDX-License-Identifier: Apache-2.0
#include "layer/entry/hooks.h"
#include "layer/entry/recording.h"

namespace trellis::entry {

VKAPI_ATTR void VKAPI_CALL CmdBeginConditionalRenderingEXT(VkCommandBuffer command_buffer,
                                                           const VkConditionalRenderingBeginInfoEXT* info) {
  const std::shared_ptr<CommandBuffer> recording = Recording(command_buffer);
  recording->conditional_rendering = *info;
  recording->conditional_rendering->pNext = nullptr;
  recording->render_pass.SetConditionalRendering(true);
  recording->device.dispatch.CmdBeginConditionalRenderingEXT(command_buffer, info);
}

VKAPI_ATTR void VKAPI_CALL CmdEndConditionalRenderingEXT(VkCommandBuffer command_buffer) {
  const std::shared_ptr<CommandBuffer> recording = Recording(command_buffer);
  recording->conditional_rendering.reset();
  recording->render_pass.SetConditionalRendering(false);
  recording->device.dispatch.CmdEndConditionalRenderingEXT(command_buffer);
}

}  // namespace trellis::entry
