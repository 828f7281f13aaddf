// SPDX-License-Identifier: Apache-2.0
#include "tests/support/buffer.h"

#include <algorithm>
#include <utility>

namespace trellis::test {
namespace {

constexpr uint32_t kGuardWord = 0xC0FFEE11u;

}  // namespace

Buffer::Buffer(const Context& context, VkDeviceSize size, VkBufferUsageFlags usage) : context_(&context), size_(size) {
  auto info = MakeStruct<VkBufferCreateInfo>();
  info.size = size;
  info.usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  if (vkCreateBuffer(context.device, &info, nullptr, &buffer_) != VK_SUCCESS) return;
  VkMemoryRequirements requirements;
  vkGetBufferMemoryRequirements(context.device, buffer_, &requirements);
  auto flags = MakeStruct<VkMemoryAllocateFlagsInfo>();
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  auto allocation = MakeStruct<VkMemoryAllocateInfo>(&flags);
  allocation.allocationSize = requirements.size;
  allocation.memoryTypeIndex = context.MemoryType(
      requirements.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  if (allocation.memoryTypeIndex == ~0u ||
      vkAllocateMemory(context.device, &allocation, nullptr, &memory_) != VK_SUCCESS ||
      vkBindBufferMemory(context.device, buffer_, memory_, 0) != VK_SUCCESS ||
      vkMapMemory(context.device, memory_, 0, VK_WHOLE_SIZE, 0, &mapped_) != VK_SUCCESS) {
    vkDestroyBuffer(context.device, std::exchange(buffer_, VK_NULL_HANDLE), nullptr);
    return;
  }
  auto address_info = MakeStruct<VkBufferDeviceAddressInfo>();
  address_info.buffer = buffer_;
  address_ = vkGetBufferDeviceAddress(context.device, &address_info);
}

Buffer::~Buffer() {
  if (context_ == nullptr) return;
  vkDestroyBuffer(context_->device, buffer_, nullptr);
  vkFreeMemory(context_->device, memory_, nullptr);
}

Buffer::Buffer(Buffer&& other) noexcept { *this = std::move(other); }

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(buffer_, other.buffer_);
  std::swap(memory_, other.memory_);
  std::swap(address_, other.address_);
  std::swap(mapped_, other.mapped_);
  std::swap(size_, other.size_);
  return *this;
}

GuardedBuffer::GuardedBuffer(const Context& context, size_t bytes, VkBufferUsageFlags usage, size_t offset)
    : buffer_(context, offset + (bytes + 3) / 4 * 4 + kGuardBytes, usage), size_((bytes + 3) / 4 * 4), offset_(offset) {
  if (buffer_.handle() == VK_NULL_HANDLE) return;
  std::fill(buffer_.words().begin(), buffer_.words().end(), kGuardWord);
  std::fill(words().begin(), words().end(), 0u);
}

bool GuardedBuffer::GuardsIntact() const {
  const auto all = buffer_.words();
  const auto intact = [](uint32_t word) { return word == kGuardWord; };
  const auto begin = all.begin() + static_cast<ptrdiff_t>(offset_ / 4);
  const auto end = begin + static_cast<ptrdiff_t>(size_ / 4);
  return std::all_of(all.begin(), begin, intact) && std::all_of(end, all.end(), intact);
}

}  // namespace trellis::test
