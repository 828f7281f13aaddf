// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/render_pass.h"

#include "layer/entry/hooks.h"
#include "layer/entry/scoped_undo.h"
#include "layer/objects/registry.h"
#include "layer/replay/replay.h"

namespace trellis::entry {
namespace {

template <typename Create, typename CreateInfo>
VkResult CreateWithParts(Device& device, Create create, const CreateInfo& info, const VkAllocationCallbacks* allocator,
                         VkRenderPass* render_pass) {
  VkRenderPass handle = VK_NULL_HANDLE;
  if (const VkResult result = create(device.handle, &info, allocator, &handle); result != VK_SUCCESS) return result;
  ScopedUndo undo([&] { device.dispatch.DestroyRenderPass(device.handle, handle, allocator); });
  device.render_passes.Insert(handle, MakeRenderPass(device, info));
  undo.Keep();
  *render_pass = handle;
  return VK_SUCCESS;
}

template <typename Command, typename... Arguments>
void EndInstance(VkCommandBuffer command_buffer, Command DeviceDispatch::*command, Arguments... arguments) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  object->render_pass.End();
  (object->device.dispatch.*command)(command_buffer, arguments...);
  LeaveInstance(*object);
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateRenderPass(VkDevice device, const VkRenderPassCreateInfo* info,
                                                const VkAllocationCallbacks* allocator, VkRenderPass* render_pass) {
  const std::shared_ptr<Device> object = FindDevice(device);
  return CreateWithParts(*object, object->dispatch.CreateRenderPass, *info, allocator, render_pass);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateRenderPass2(VkDevice device, const VkRenderPassCreateInfo2* info,
                                                 const VkAllocationCallbacks* allocator, VkRenderPass* render_pass) {
  const std::shared_ptr<Device> object = FindDevice(device);
  return CreateWithParts(*object, object->dispatch.CreateRenderPass2, *info, allocator, render_pass);
}

VKAPI_ATTR void VKAPI_CALL DestroyRenderPass(VkDevice device, VkRenderPass render_pass,
                                             const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> object = FindDevice(device);
  object->render_passes.Take(render_pass);
  object->dispatch.DestroyRenderPass(device, render_pass, allocator);
}

// The begin of an instance goes down as it is if there is no memory to copy it: its end will go down too.

VKAPI_ATTR void VKAPI_CALL CmdBeginRenderPass(VkCommandBuffer command_buffer, const VkRenderPassBeginInfo* info,
                                              VkSubpassContents contents) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  const Device& device = object->device;
  const std::shared_ptr<const RenderPass> render_pass = device.render_passes.Find(info->renderPass);
  const VkRenderPassBeginInfo* first = info;
  const ScopedUndo begin([&] { device.dispatch.CmdBeginRenderPass(command_buffer, first, contents); });
  first = object->render_pass.Begin(*info, render_pass.get(), contents);
}

VKAPI_ATTR void VKAPI_CALL CmdBeginRenderPass2(VkCommandBuffer command_buffer, const VkRenderPassBeginInfo* info,
                                               const VkSubpassBeginInfo* subpass) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  const Device& device = object->device;
  const std::shared_ptr<const RenderPass> render_pass = device.render_passes.Find(info->renderPass);
  const VkRenderPassBeginInfo* first = info;
  const ScopedUndo begin([&] { device.dispatch.CmdBeginRenderPass2(command_buffer, first, subpass); });
  first = object->render_pass.Begin(*info, render_pass.get(), *subpass);
}

VKAPI_ATTR void VKAPI_CALL CmdBeginRendering(VkCommandBuffer command_buffer, const VkRenderingInfo* info) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  const Device& device = object->device;
  // Between a render pass instance that is suspended and the one that resumes it, in a later command buffer, no barrier
  // may stand. No graph comes between it and the end of this one.
  if (info->flags & VK_RENDERING_SUSPENDING_BIT) RecordEndOfGraphs(*object);
  const VkRenderingInfo* first = info;
  const ScopedUndo begin([&] { device.dispatch.CmdBeginRendering(command_buffer, first); });
  // No graph is dispatched in a secondary one.
  const bool is_primary = object->level == VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  first = object->render_pass.Begin(*info, is_primary && device.StoresAttachments());
}

VKAPI_ATTR void VKAPI_CALL CmdEndRenderPass(VkCommandBuffer command_buffer) {
  EndInstance(command_buffer, &DeviceDispatch::CmdEndRenderPass);
}

VKAPI_ATTR void VKAPI_CALL CmdEndRenderPass2(VkCommandBuffer command_buffer, const VkSubpassEndInfo* subpass) {
  EndInstance(command_buffer, &DeviceDispatch::CmdEndRenderPass2, subpass);
}

VKAPI_ATTR void VKAPI_CALL CmdEndRendering(VkCommandBuffer command_buffer) {
  EndInstance(command_buffer, &DeviceDispatch::CmdEndRendering);
}

VKAPI_ATTR void VKAPI_CALL CmdEndRendering2KHR(VkCommandBuffer command_buffer, const VkRenderingEndInfoKHR* info) {
  EndInstance(command_buffer, &DeviceDispatch::CmdEndRendering2KHR, info);
}

VKAPI_ATTR void VKAPI_CALL CmdSetRenderingAttachmentLocations(VkCommandBuffer command_buffer,
                                                              const VkRenderingAttachmentLocationInfo* info) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  object->device.dispatch.CmdSetRenderingAttachmentLocations(command_buffer, info);
  object->render_pass.SetLocations(*info);
}

VKAPI_ATTR void VKAPI_CALL CmdSetRenderingInputAttachmentIndices(VkCommandBuffer command_buffer,
                                                                 const VkRenderingInputAttachmentIndexInfo* info) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  object->device.dispatch.CmdSetRenderingInputAttachmentIndices(command_buffer, info);
  object->render_pass.SetInputIndices(*info);
}

}  // namespace trellis::entry
