#include "layer/entry/hooks.h"
#include "layer/entry/recording.h"
#include "layer/replay/replay.h"

namespace trellis::entry {

VKAPI_ATTR void VKAPI_CALL CmdBeginRenderPass(VkCommandBuffer command_buffer, const VkRenderPassBeginInfo* info,
                                              VkSubpassContents contents) {
  const std::shared_ptr<CommandBuffer> recording = Recording(command_buffer);
  recording->inside_render_pass = true;
  recording->device.dispatch.CmdBeginRenderPass(command_buffer, info, contents);
}

VKAPI_ATTR void VKAPI_CALL CmdBeginRenderPass2(VkCommandBuffer command_buffer, const VkRenderPassBeginInfo* info,
                                               const VkSubpassBeginInfo* subpass) {
  const std::shared_ptr<CommandBuffer> recording = Recording(command_buffer);
  recording->inside_render_pass = true;
  recording->device.dispatch.CmdBeginRenderPass2(command_buffer, info, subpass);
}

VKAPI_ATTR void VKAPI_CALL CmdBeginRendering(VkCommandBuffer command_buffer, const VkRenderingInfo* info) {
  const std::shared_ptr<CommandBuffer> recording = Recording(command_buffer);
  // Between a render pass instance that is suspended and the one that resumes it, in a later command buffer, no barrier
  // may stand. No graph comes between it and the end of this one.
  if (info->flags & VK_RENDERING_SUSPENDING_BIT) LeaveGraphs(*recording);
  recording->inside_render_pass = true;
  recording->device.dispatch.CmdBeginRendering(command_buffer, info);
}

VKAPI_ATTR void VKAPI_CALL CmdEndRenderPass(VkCommandBuffer command_buffer) {
  const std::shared_ptr<CommandBuffer> recording = Recording(command_buffer);
  recording->inside_render_pass = false;
  recording->device.dispatch.CmdEndRenderPass(command_buffer);
}

VKAPI_ATTR void VKAPI_CALL CmdEndRenderPass2(VkCommandBuffer command_buffer, const VkSubpassEndInfo* subpass) {
  const std::shared_ptr<CommandBuffer> recording = Recording(command_buffer);
  recording->inside_render_pass = false;
  recording->device.dispatch.CmdEndRenderPass2(command_buffer, subpass);
}

VKAPI_ATTR void VKAPI_CALL CmdEndRendering(VkCommandBuffer command_buffer) {
  const std::shared_ptr<CommandBuffer> recording = Recording(command_buffer);
  recording->inside_render_pass = false;
  recording->device.dispatch.CmdEndRendering(command_buffer);
}

VKAPI_ATTR void VKAPI_CALL CmdEndRendering2KHR(VkCommandBuffer command_buffer, const VkRenderingEndInfoKHR* info) {
  const std::shared_ptr<CommandBuffer> recording = Recording(command_buffer);
  recording->inside_render_pass = false;
  recording->device.dispatch.CmdEndRendering2KHR(command_buffer, info);
}

}  // namespace trellis::entry
