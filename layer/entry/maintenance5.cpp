// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "layer/device/buffer_usage.h"
#include "layer/entry/hooks.h"
#include "layer/objects/registry.h"

namespace trellis::entry {

// Repeats the usage of each buffer, so the edits of vkCreateBuffer are made here too.
VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorBuffersEXT(VkCommandBuffer command_buffer, uint32_t count,
                                                       const VkDescriptorBufferBindingInfoEXT* infos) {
  const std::shared_ptr<Device> object = FindDevice(command_buffer);
  Arena arena;
  auto* edited = arena.CopyArray(infos, count);
  std::transform(infos, infos + count, edited, [&](const VkDescriptorBufferBindingInfoEXT& info) {
    return *EditBufferUsage(info, object->emulates_maintenance5, arena);
  });
  object->dispatch.CmdBindDescriptorBuffersEXT(command_buffer, count, edited);
}

VKAPI_ATTR void VKAPI_CALL CmdBindIndexBuffer2KHR(VkCommandBuffer command_buffer, VkBuffer buffer, VkDeviceSize offset,
                                                  VkDeviceSize, VkIndexType type) {
  // The size only bounds what robust access may read; without it the rest of the buffer does.
  FindDevice(command_buffer)->dispatch.CmdBindIndexBuffer(command_buffer, buffer, offset, type);
}

VKAPI_ATTR void VKAPI_CALL GetRenderingAreaGranularityKHR(VkDevice, const VkRenderingAreaInfo*,
                                                          VkExtent2D* granularity) {
  *granularity = {1, 1};
}

// By means of the first form of the command; structures chained to `layout` stay untouched. The driver's own second
// form is never called, even where there is one: RenderDoc hides the extension but passes unknown commands on, and then
// the driver would get RenderDoc's handle of the image.
VKAPI_ATTR void VKAPI_CALL GetImageSubresourceLayout2KHR(VkDevice device, VkImage image,
                                                         const VkImageSubresource2* subresource,
                                                         VkSubresourceLayout2* layout) {
  FindDevice(device)->dispatch.GetImageSubresourceLayout(device, image, &subresource->imageSubresource,
                                                         &layout->subresourceLayout);
}

// By means of an image that lives for this call. If that cannot be made, the layout is all zero and a message says so.
VKAPI_ATTR void VKAPI_CALL GetDeviceImageSubresourceLayoutKHR(VkDevice device, const VkDeviceImageSubresourceInfo* info,
                                                              VkSubresourceLayout2* layout) {
  const std::shared_ptr<Device> object = FindDevice(device);
  VkImage image = VK_NULL_HANDLE;
  const VkResult result = object->dispatch.CreateImage(device, info->pCreateInfo, nullptr, &image);
  if (result != VK_SUCCESS) {
    layout->subresourceLayout = {};
    object->diagnostics.Error(
        "TRELLIS-image-subresource-layout",
        "vkGetDeviceImageSubresourceLayoutKHR: the image could not be created to look at its layout");
    return;
  }
  GetImageSubresourceLayout2KHR(device, image, info->pSubresource, layout);
  object->dispatch.DestroyImage(device, image, nullptr);
}

}  // namespace trellis::entry
