// SPDX-License-Identifier: Apache-2.0
// Buffers that shaders know by address.
#pragma once

#include <span>
#include <vector>

#include "bench/framework/gpu.h"

namespace trellis::bench {

enum class Place { kDevice, kHost };

class Buffer {
 public:
  Buffer(const Gpu& gpu, VkDeviceSize size, Place place = Place::kDevice, VkBufferUsageFlags more_usage = 0);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] VkBuffer handle() const { return buffer_; }
  [[nodiscard]] VkDeviceSize size() const { return size_; }
  [[nodiscard]] VkDeviceAddress address() const { return address_; }
  [[nodiscard]] std::span<uint32_t> words() const { return {mapped_, static_cast<size_t>(size_ / 4)}; }  // kHost only

  void Fill(VkCommandBuffer commands, uint32_t word) const;
  // At most 64 KiB, from the start of the buffer.
  void Update(VkCommandBuffer commands, std::span<const uint32_t> words) const;
  // From the start of the buffer, by way of the queue.
  void Write(const std::vector<uint32_t>& words) const;
  // A copy on the host, by way of the queue.
  [[nodiscard]] std::vector<uint32_t> Read() const;

 private:
  void Copy(const Buffer& from, const Buffer& to, VkDeviceSize size) const;

  const Gpu& gpu_;
  const VkDeviceSize size_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkDeviceAddress address_ = 0;
  uint32_t* mapped_ = nullptr;
};

}  // namespace trellis::bench
