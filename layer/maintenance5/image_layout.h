// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layer/dispatch/vulkan.h"

namespace trellis {

struct Device;

// vkGetImageSubresourceLayout2KHR by means of the first form of the command; structures chained to `layout` stay
// untouched. The driver's own second form is never called, even where there is one: RenderDoc hides the extension but
// passes unknown commands on, and then the driver would get RenderDoc's handle of the image.
void GetImageSubresourceLayout2(const Device& device, VkImage image, const VkImageSubresource2& subresource,
                                VkSubresourceLayout2& layout);

// vkGetDeviceImageSubresourceLayoutKHR by means of an image that lives for this call. If that cannot be made, the
// layout is all zero and a message says so.
void GetDeviceImageSubresourceLayout(const Device& device, const VkDeviceImageSubresourceInfo& info,
                                     VkSubresourceLayout2& layout);

}  // namespace trellis
