// SPDX-License-Identifier: Apache-2.0
#include "bench/framework/texture.h"

#include <algorithm>

#include "bench/framework/buffer.h"

namespace trellis::bench {
namespace {

constexpr VkFormat kFormat = VK_FORMAT_R32_UINT;
constexpr VkDescriptorType kDescriptor = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;

VkDescriptorSetLayout CreateSetLayout(VkDevice device) {
  const VkDescriptorSetLayoutBinding binding = {0, kDescriptor, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  auto info = Struct<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  info.bindingCount = 1;
  info.pBindings = &binding;
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  Check(vkCreateDescriptorSetLayout(device, &info, nullptr, &layout), "vkCreateDescriptorSetLayout");
  return layout;
}

}  // namespace

Texture::Texture(const Gpu& gpu, uint32_t side, const std::vector<uint32_t>& texels)
    : gpu_(gpu),
      image_(gpu, {side, side}, kFormat, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
             VK_IMAGE_ASPECT_COLOR_BIT),
      set_layout_(CreateSetLayout(gpu.device())),
      layout_(gpu.CreateLayout(set_layout_)) {
  // Nearest texels, as integers allow nothing else.
  const auto sampler = Struct<VkSamplerCreateInfo>(VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO);
  Check(vkCreateSampler(gpu_.device(), &sampler, nullptr, &sampler_), "vkCreateSampler");
  Upload(side, texels);
  CreateSet();
}

Texture::~Texture() {
  vkDestroyDescriptorPool(gpu_.device(), pool_, nullptr);
  vkDestroyPipelineLayout(gpu_.device(), layout_, nullptr);
  vkDestroyDescriptorSetLayout(gpu_.device(), set_layout_, nullptr);
  vkDestroySampler(gpu_.device(), sampler_, nullptr);
}

void Texture::Upload(uint32_t side, const std::vector<uint32_t>& texels) const {
  const Buffer copy(gpu_, texels.size() * 4, Place::kHost);
  std::copy(texels.begin(), texels.end(), copy.words().begin());
  VkImageMemoryBarrier barrier = image_.Barrier();
  gpu_.RunOnce([&](VkCommandBuffer commands) {
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
                         nullptr, 1, &barrier);
    const VkBufferImageCopy region = {0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {0, 0, 0}, {side, side, 1}};
    vkCmdCopyBufferToImage(commands, copy.handle(), image_.handle(), barrier.newLayout, 1, &region);
    barrier.srcAccessMask = barrier.dstAccessMask;
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
    barrier.oldLayout = barrier.newLayout;
    barrier.newLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, nullptr,
                         0, nullptr, 1, &barrier);
  });
}

void Texture::CreateSet() {
  const VkDescriptorPoolSize size = {kDescriptor, 1};
  auto pool = Struct<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  pool.maxSets = 1;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  Check(vkCreateDescriptorPool(gpu_.device(), &pool, nullptr, &pool_), "vkCreateDescriptorPool");
  auto allocation = Struct<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  allocation.descriptorPool = pool_;
  allocation.descriptorSetCount = 1;
  allocation.pSetLayouts = &set_layout_;
  Check(vkAllocateDescriptorSets(gpu_.device(), &allocation, &set_), "vkAllocateDescriptorSets");
  const VkDescriptorImageInfo image = {sampler_, image_.view(), VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
  auto write = Struct<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = set_;
  write.descriptorCount = 1;
  write.descriptorType = kDescriptor;
  write.pImageInfo = &image;
  vkUpdateDescriptorSets(gpu_.device(), 1, &write, 0, nullptr);
}

void Texture::Bind(VkCommandBuffer commands, VkPipelineBindPoint bind_point) const {
  vkCmdBindDescriptorSets(commands, bind_point, layout_, 0, 1, &set_, 0, nullptr);
}

}  // namespace trellis::bench
