// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "layer/device/buffer_usage.h"
#include "layer/entry/hooks.h"
#include "layer/maintenance5/image_layout.h"
#include "layer/objects/registry.h"

namespace trellis::entry {

// Repeats the usage of each buffer, so the edits of vkCreateBuffer are made here too.
VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorBuffersEXT(VkCommandBuffer command_buffer, uint32_t count,
                                                       const VkDescriptorBufferBindingInfoEXT* infos) {
  const std::shared_ptr<Device> object = FindDevice(command_buffer);
  Arena arena;
  auto* edited = arena.CopyArray(infos, count);
  std::transform(infos, infos + count, edited, [&](const VkDescriptorBufferBindingInfoEXT& info) {
    return *EditDescriptorBufferBinding(info, object->emulates_maintenance5, arena);
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

VKAPI_ATTR void VKAPI_CALL GetDeviceImageSubresourceLayoutKHR(VkDevice device, const VkDeviceImageSubresourceInfo* info,
                                                              VkSubresourceLayout2* layout) {
  GetDeviceImageSubresourceLayout(*FindDevice(device), *info, *layout);
}

VKAPI_ATTR void VKAPI_CALL GetImageSubresourceLayout2KHR(VkDevice device, VkImage image,
                                                         const VkImageSubresource2* subresource,
                                                         VkSubresourceLayout2* layout) {
  GetImageSubresourceLayout2(*FindDevice(device), image, *subresource, *layout);
}

}  // namespace trellis::entry
