// SPDX-License-Identifier: Apache-2.0
// A two-dimensional image in device memory, with a view of all of it.
#pragma once

#include "bench/framework/gpu.h"

namespace trellis::bench {

class Image {
 public:
  Image(const Gpu& gpu, VkExtent2D extent, VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  [[nodiscard]] VkImage handle() const { return image_; }
  [[nodiscard]] VkImageView view() const { return view_; }
  // From no contents. The caller adds accesses and the new layout.
  [[nodiscard]] VkImageMemoryBarrier Barrier() const;

 private:
  const Gpu& gpu_;
  const VkImageSubresourceRange whole_;
  VkImage image_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkImageView view_ = VK_NULL_HANDLE;
};

}  // namespace trellis::bench
