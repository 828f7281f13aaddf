// SPDX-License-Identifier: Apache-2.0
#include "layer/maintenance5/image_layout.h"

#include "layer/objects/device.h"

namespace trellis {

void GetImageSubresourceLayout2(const Device& device, VkImage image, const VkImageSubresource2& subresource,
                                VkSubresourceLayout2& layout) {
  device.dispatch.GetImageSubresourceLayout(device.handle, image, &subresource.imageSubresource,
                                            &layout.subresourceLayout);
}

void GetDeviceImageSubresourceLayout(const Device& device, const VkDeviceImageSubresourceInfo& info,
                                     VkSubresourceLayout2& layout) {
  VkImage image = VK_NULL_HANDLE;
  const VkResult result = device.dispatch.CreateImage(device.handle, info.pCreateInfo, nullptr, &image);
  if (result != VK_SUCCESS) {
    layout.subresourceLayout = {};
    device.diagnostics.Error(
        "TRELLIS-image-subresource-layout",
        "vkGetDeviceImageSubresourceLayoutKHR: the image could not be created to look at its layout");
    return;
  }
  GetImageSubresourceLayout2(device, image, *info.pSubresource, layout);
  device.dispatch.DestroyImage(device.handle, image, nullptr);
}

}  // namespace trellis
