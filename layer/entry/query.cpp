// SPDX-License-Identifier: Apache-2.0
// Queries and transform feedback: a render pass instance in which one began cannot be split before its end.
#include "layer/entry/hooks.h"
#include "layer/objects/registry.h"

namespace trellis::entry {

VKAPI_ATTR void VKAPI_CALL CmdBeginQuery(VkCommandBuffer command_buffer, VkQueryPool pool, uint32_t query,
                                         VkQueryControlFlags flags) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  object->render_pass.BeginQuery();
  object->device.dispatch.CmdBeginQuery(command_buffer, pool, query, flags);
}

VKAPI_ATTR void VKAPI_CALL CmdEndQuery(VkCommandBuffer command_buffer, VkQueryPool pool, uint32_t query) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  object->render_pass.EndQuery();
  object->device.dispatch.CmdEndQuery(command_buffer, pool, query);
}

VKAPI_ATTR void VKAPI_CALL CmdBeginQueryIndexedEXT(VkCommandBuffer command_buffer, VkQueryPool pool, uint32_t query,
                                                   VkQueryControlFlags flags, uint32_t index) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  object->render_pass.BeginQuery();
  object->device.dispatch.CmdBeginQueryIndexedEXT(command_buffer, pool, query, flags, index);
}

VKAPI_ATTR void VKAPI_CALL CmdEndQueryIndexedEXT(VkCommandBuffer command_buffer, VkQueryPool pool, uint32_t query,
                                                 uint32_t index) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  object->render_pass.EndQuery();
  object->device.dispatch.CmdEndQueryIndexedEXT(command_buffer, pool, query, index);
}

VKAPI_ATTR void VKAPI_CALL CmdBeginTransformFeedbackEXT(VkCommandBuffer command_buffer, uint32_t first, uint32_t count,
                                                        const VkBuffer* buffers, const VkDeviceSize* offsets) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  object->render_pass.SetTransformFeedback(true);
  object->device.dispatch.CmdBeginTransformFeedbackEXT(command_buffer, first, count, buffers, offsets);
}

VKAPI_ATTR void VKAPI_CALL CmdEndTransformFeedbackEXT(VkCommandBuffer command_buffer, uint32_t first, uint32_t count,
                                                      const VkBuffer* buffers, const VkDeviceSize* offsets) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  object->render_pass.SetTransformFeedback(false);
  object->device.dispatch.CmdEndTransformFeedbackEXT(command_buffer, first, count, buffers, offsets);
}

}  // namespace trellis::entry
