// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tests/support/context.h"

namespace trellis::test {

// A host-visible, coherent buffer, mapped for its whole life, with an address. Failures show as handle() ==
// VK_NULL_HANDLE.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Context& context, VkDeviceSize size, VkBufferUsageFlags usage);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;

  [[nodiscard]] VkBuffer handle() const { return buffer_; }
  [[nodiscard]] VkDeviceAddress address() const { return address_; }
  [[nodiscard]] std::span<uint8_t> bytes() const { return {static_cast<uint8_t*>(mapped_), size_}; }
  [[nodiscard]] std::span<uint32_t> words() const { return {static_cast<uint32_t*>(mapped_), size_ / 4}; }

 private:
  const Context* context_ = nullptr;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkDeviceAddress address_ = 0;
  void* mapped_ = nullptr;
  size_t size_ = 0;
};

// Words between guards that nothing may touch. The one before them may be longer than the other, for the offset.
class GuardedBuffer {
 public:
  static constexpr size_t kGuardBytes = 4096;

  GuardedBuffer() = default;
  GuardedBuffer(const Context& context, size_t bytes, VkBufferUsageFlags usage, size_t offset = kGuardBytes);

  [[nodiscard]] VkBuffer handle() const { return buffer_.handle(); }
  [[nodiscard]] VkDeviceSize offset() const { return offset_; }
  [[nodiscard]] VkDeviceSize size() const { return size_; }
  [[nodiscard]] VkDeviceAddress address() const { return buffer_.address() + offset_; }
  [[nodiscard]] std::span<uint32_t> words() const { return buffer_.words().subspan(offset_ / 4, size_ / 4); }
  [[nodiscard]] bool GuardsIntact() const;

 private:
  Buffer buffer_;
  size_t size_ = 0;
  size_t offset_ = 0;
};

}  // namespace trellis::test
