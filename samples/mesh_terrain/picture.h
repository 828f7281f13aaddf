// SPDX-License-Identifier: Apache-2.0
// An image that is drawn into with four samples a pixel, and read back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "samples/hello_graph/gpu.h"

namespace terrain {

struct Picture {
  VkExtent2D extent = {};
  std::vector<uint32_t> pixels;  // R, G, B, A from the lowest byte, sRGB, row by row
};

void WritePng(const Picture& picture, const std::string& path);

class Image {
 public:
  Image(const hello::Gpu& gpu, VkFormat format, VkExtent2D extent, VkSampleCountFlagBits samples,
        VkImageUsageFlags usage, VkImageAspectFlags aspect);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  [[nodiscard]] VkImage handle() const { return image_; }
  [[nodiscard]] VkImageView view() const { return view_; }
  // Discards what is in it.
  [[nodiscard]] VkImageMemoryBarrier Cleared(VkImageLayout layout, VkAccessFlags access) const;

 private:
  const hello::Gpu& gpu_;
  const VkImageAspectFlags aspect_;
  VkImage image_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkImageView view_ = VK_NULL_HANDLE;
};

class Canvas {
 public:
  static constexpr VkFormat kColorFormat = VK_FORMAT_R8G8B8A8_SRGB;
  static constexpr VkFormat kDepthFormat = VK_FORMAT_D32_SFLOAT;
  static constexpr VkSampleCountFlagBits kSamples = VK_SAMPLE_COUNT_4_BIT;

  Canvas(const hello::Gpu& gpu, VkExtent2D extent);

  [[nodiscard]] VkExtent2D extent() const { return extent_; }
  // Everything between the two is drawn into the image. Sets viewport and scissor.
  void BeginRendering(VkCommandBuffer command_buffer) const;
  // Leaves the image in the layout TRANSFER_SRC_OPTIMAL, ready for transfers.
  void EndRendering(VkCommandBuffer command_buffer) const;
  [[nodiscard]] VkImage image() const { return color_.handle(); }
  // Copies the image for Read. Call after EndRendering.
  void CopyPixels(VkCommandBuffer command_buffer) const;
  // Call when the commands have been executed.
  [[nodiscard]] Picture Read() const;

 private:
  const VkExtent2D extent_;
  const Image samples_;
  const Image depth_;
  const Image color_;
  const hello::Buffer pixels_;
  const void* const mapped_;
};

}  // namespace terrain
