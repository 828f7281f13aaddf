// SPDX-License-Identifier: Apache-2.0
#include "samples/mesh_terrain/picture.h"

#include <png.h>

#include <array>
#include <cstring>

#include "samples/hello_graph/failure.h"

namespace terrain {

using hello::Check;
using hello::Struct;

void WritePng(const Picture& picture, const std::string& path) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = picture.extent.width;
  image.height = picture.extent.height;
  image.format = PNG_FORMAT_RGBA;
  if (png_image_write_to_file(&image, path.c_str(), 0, picture.pixels.data(), 0, nullptr) == 0)
    hello::Fail(path + " cannot be written: " + image.message);
}

Image::Image(const hello::Gpu& gpu, VkFormat format, VkExtent2D extent, VkSampleCountFlagBits samples,
             VkImageUsageFlags usage, VkImageAspectFlags aspect)
    : gpu_(gpu), aspect_(aspect) {
  auto info = Struct<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {extent.width, extent.height, 1};
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = samples;
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
  view.subresourceRange = {aspect, 0, 1, 0, 1};
  Check(vkCreateImageView(gpu.device(), &view, nullptr, &view_), "vkCreateImageView");
}

Image::~Image() {
  vkDestroyImageView(gpu_.device(), view_, nullptr);
  vkDestroyImage(gpu_.device(), image_, nullptr);
  vkFreeMemory(gpu_.device(), memory_, nullptr);
}

VkImageMemoryBarrier Image::Cleared(VkImageLayout layout, VkAccessFlags access) const {
  auto barrier = Struct<VkImageMemoryBarrier>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER);
  barrier.srcAccessMask = access;
  barrier.dstAccessMask = access;
  barrier.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  barrier.newLayout = layout;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image_;
  barrier.subresourceRange = {aspect_, 0, 1, 0, 1};
  return barrier;
}

Canvas::Canvas(const hello::Gpu& gpu, VkExtent2D extent)
    : extent_(extent),
      samples_(gpu, kColorFormat, extent, kSamples, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_IMAGE_ASPECT_COLOR_BIT),
      depth_(gpu, kDepthFormat, extent, kSamples, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
             VK_IMAGE_ASPECT_DEPTH_BIT),
      color_(gpu, kColorFormat, extent, VK_SAMPLE_COUNT_1_BIT,
             VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_IMAGE_ASPECT_COLOR_BIT),
      pixels_(gpu, VkDeviceSize{4} * extent.width * extent.height, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
              VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT),
      mapped_(pixels_.Map()) {}

void Canvas::BeginRendering(VkCommandBuffer command_buffer) const {
  constexpr VkAccessFlags kColorAccess = VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  constexpr VkAccessFlags kDepthAccess =
      VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
  constexpr VkPipelineStageFlags kStages = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                                           VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                                           VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
  constexpr VkPipelineStageFlags kEarlierStages = kStages | VK_PIPELINE_STAGE_TRANSFER_BIT;  // reads of the last frame
  const std::array<VkImageMemoryBarrier, 3> barriers = {
      samples_.Cleared(VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, kColorAccess),
      depth_.Cleared(VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL, kDepthAccess),
      color_.Cleared(VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, kColorAccess)};
  vkCmdPipelineBarrier(command_buffer, kEarlierStages, kStages, 0, 0, nullptr, 0, nullptr, barriers.size(),
                       barriers.data());

  // Only the resolved image is kept.
  auto color = Struct<VkRenderingAttachmentInfo>(VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO);
  color.imageView = samples_.view();
  color.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
  color.resolveImageView = color_.view();
  color.resolveImageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  color.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  auto depth = Struct<VkRenderingAttachmentInfo>(VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO);
  depth.imageView = depth_.view();
  depth.imageLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL;
  depth.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  depth.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  auto info = Struct<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
  info.renderArea = {{0, 0}, extent_};
  info.layerCount = 1;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &color;
  info.pDepthAttachment = &depth;
  vkCmdBeginRendering(command_buffer, &info);
  const VkViewport viewport = {0, 0, static_cast<float>(extent_.width), static_cast<float>(extent_.height), 0, 1};
  vkCmdSetViewport(command_buffer, 0, 1, &viewport);
  vkCmdSetScissor(command_buffer, 0, 1, &info.renderArea);
}

void Canvas::EndRendering(VkCommandBuffer command_buffer) const {
  vkCmdEndRendering(command_buffer);
  VkImageMemoryBarrier drawn =
      color_.Cleared(VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT);
  drawn.oldLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  drawn.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  vkCmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
                       0, nullptr, 0, nullptr, 1, &drawn);
}

void Canvas::CopyPixels(VkCommandBuffer command_buffer) const {
  auto region = VkBufferImageCopy{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {extent_.width, extent_.height, 1};
  vkCmdCopyImageToBuffer(command_buffer, color_.handle(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels_.handle(), 1,
                         &region);
  const VkMemoryBarrier copied = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                                  VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &copied, 0,
                       nullptr, 0, nullptr);
}

Picture Canvas::Read() const {
  Picture picture = {extent_, std::vector<uint32_t>(size_t{extent_.width} * extent_.height)};
  std::memcpy(picture.pixels.data(), mapped_, picture.pixels.size() * sizeof(uint32_t));
  return picture;
}

}  // namespace terrain
