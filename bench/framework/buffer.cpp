// SPDX-License-Identifier: Apache-2.0
#include "bench/framework/buffer.h"

#include <algorithm>

namespace trellis::bench {
namespace {

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                      VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

VkMemoryPropertyFlags PropertiesOf(Place place) {
  return place == Place::kDevice ? VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
                                 : VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                                       VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
}

}  // namespace

Buffer::Buffer(const Gpu& gpu, VkDeviceSize size, Place place, VkBufferUsageFlags more_usage)
    : gpu_(gpu), size_((size + 15) / 16 * 16) {
  auto info = Struct<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = size_;
  info.usage = kUsage | more_usage;
  Check(vkCreateBuffer(gpu_.device(), &info, nullptr, &buffer_), "vkCreateBuffer");
  VkMemoryRequirements requirements;
  vkGetBufferMemoryRequirements(gpu_.device(), buffer_, &requirements);

  auto flags = Struct<VkMemoryAllocateFlagsInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  auto allocation = Struct<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags);
  allocation.allocationSize = requirements.size;
  allocation.memoryTypeIndex = gpu_.MemoryType(requirements.memoryTypeBits, PropertiesOf(place));
  Check(vkAllocateMemory(gpu_.device(), &allocation, nullptr, &memory_), "vkAllocateMemory");
  Check(vkBindBufferMemory(gpu_.device(), buffer_, memory_, 0), "vkBindBufferMemory");
  const VkBufferDeviceAddressInfo address = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer_};
  address_ = vkGetBufferDeviceAddress(gpu_.device(), &address);
  if (place == Place::kDevice) return;
  void* mapped = nullptr;
  Check(vkMapMemory(gpu_.device(), memory_, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  mapped_ = static_cast<uint32_t*>(mapped);
}

void Buffer::Copy(const Buffer& from, const Buffer& to, VkDeviceSize size) const {
  gpu_.RunOnce([&](VkCommandBuffer commands) {
    FullBarrier(commands);
    const VkBufferCopy region = {0, 0, size};
    vkCmdCopyBuffer(commands, from.handle(), to.handle(), 1, &region);
    FullBarrier(commands);
  });
}

Buffer::~Buffer() {
  vkDestroyBuffer(gpu_.device(), buffer_, nullptr);
  vkFreeMemory(gpu_.device(), memory_, nullptr);
}

void Buffer::Fill(VkCommandBuffer commands, uint32_t word) const {
  vkCmdFillBuffer(commands, buffer_, 0, VK_WHOLE_SIZE, word);
}

void Buffer::Update(VkCommandBuffer commands, std::span<const uint32_t> words) const {
  vkCmdUpdateBuffer(commands, buffer_, 0, words.size_bytes(), words.data());
}

void Buffer::Write(const std::vector<uint32_t>& words) const {
  const Buffer copy(gpu_, words.size() * 4, Place::kHost);
  std::copy(words.begin(), words.end(), copy.words().begin());
  Copy(copy, *this, words.size() * 4);
}

std::vector<uint32_t> Buffer::Read() const {
  const Buffer copy(gpu_, size_, Place::kHost);
  Copy(*this, copy, size_);
  return {copy.words().begin(), copy.words().end()};
}

}  // namespace trellis::bench
