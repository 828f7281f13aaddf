// SPDX-License-Identifier: Apache-2.0
#include "bench/framework/image.h"

namespace trellis::bench {

Image::Image(const Gpu& gpu, VkExtent2D extent, VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect)
    : gpu_(gpu), whole_{aspect, 0, 1, 0, 1} {
  auto info = Struct<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {extent.width, extent.height, 1};
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = usage;
  Check(vkCreateImage(gpu.device(), &info, nullptr, &image_), "vkCreateImage");
  VkMemoryRequirements requirements;
  vkGetImageMemoryRequirements(gpu.device(), image_, &requirements);
  auto allocation = Struct<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  allocation.allocationSize = requirements.size;
  allocation.memoryTypeIndex = gpu.MemoryType(requirements.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  Check(vkAllocateMemory(gpu.device(), &allocation, nullptr, &memory_), "vkAllocateMemory");
  Check(vkBindImageMemory(gpu.device(), image_, memory_, 0), "vkBindImageMemory");
  auto view = Struct<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
  view.image = image_;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = format;
  view.subresourceRange = whole_;
  Check(vkCreateImageView(gpu.device(), &view, nullptr, &view_), "vkCreateImageView");
}

Image::~Image() {
  vkDestroyImageView(gpu_.device(), view_, nullptr);
  vkDestroyImage(gpu_.device(), image_, nullptr);
  vkFreeMemory(gpu_.device(), memory_, nullptr);
}

VkImageMemoryBarrier Image::Barrier() const {
  auto barrier = Struct<VkImageMemoryBarrier>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image_;
  barrier.subresourceRange = whole_;
  return barrier;
}

}  // namespace trellis::bench
