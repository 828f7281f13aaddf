// SPDX-License-Identifier: Apache-2.0
// A buffer of the layer's own, with its memory and its device address.
#pragma once

#include <cstddef>
#include <span>

#include "layer/dispatch/vulkan.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

struct Device;

enum class BufferMemory : uint8_t {
  kHost,       // host-visible and coherent, mapped for its whole life; system memory if there is a choice
  kHostLocal,  // the same, in device memory where the host can reach that: small things that shaders read often
  kDevice,     // device-local; not mapped
  // Device-local, and nothing else will do; mapped only while DeviceBuffer::Write does. Tools that capture what the
  // host does look at mapped memory, and would take what shaders write for it.
  kWrittenOnce,
};

// Contents of memory that stays mapped. kUndefined is for memory that is written before it is read: clearing touches
// every page.
enum class InitialContents : uint8_t { kZeros, kUndefined };

// Bytes that are left for use of a VkBuffer that has this many.
[[nodiscard]] VkDeviceSize BytesWithoutSlack(VkDeviceSize bytes);
// Bytes that a DeviceBuffer can have at most.
[[nodiscard]] VkDeviceSize MaxBufferBytes(const Device& device);

// Usage is always STORAGE | INDIRECT | SHADER_DEVICE_ADDRESS | TRANSFER_DST; the device address is a multiple of 64 at
// least. Ownership: the buffer and its memory die with the object, which must happen before the device does and after
// the last execution that uses it. Threading: immutable but for the mapped bytes, which are the owner's business.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer&& other) noexcept { Swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    DeviceBuffer taken(static_cast<DeviceBuffer&&>(other));
    Swap(taken);
    return *this;
  }
  ~DeviceBuffer();

  // Fails when memory runs out. `size` in bytes, at least 1; `name` is for debuggers. Memory comes without
  // the application's allocation callbacks.
  [[nodiscard]] static Expected<DeviceBuffer> Create(const Device& device, VkDeviceSize size, BufferMemory memory,
                                                     const char* name,
                                                     InitialContents contents = InitialContents::kZeros);

  // The device has memory for BufferMemory::kWrittenOnce.
  [[nodiscard]] static bool MayBeWrittenOnce(const Device& device);
  // Puts `bytes` at the beginning of a buffer of BufferMemory::kWrittenOnce, while no execution uses it. Fails when it
  // cannot be mapped.
  [[nodiscard]] Expected<void> Write(std::span<const std::byte> bytes) const;

  [[nodiscard]] VkDeviceAddress address() const { return address_; }
  // Where in handle() that is.
  [[nodiscard]] VkDeviceSize offset() const { return offset_; }
  [[nodiscard]] VkDeviceSize size() const { return size_; }
  // Null where it is not mapped for the whole life.
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] VkBuffer handle() const { return buffer_; }
  explicit operator bool() const { return buffer_ != VK_NULL_HANDLE; }

 private:
  void Swap(DeviceBuffer& other) noexcept;
  [[nodiscard]] bool CreateHandle(VkDeviceSize padded_size);
  [[nodiscard]] bool Allocate(BufferMemory memory);
  [[nodiscard]] bool Map(bool host_visible, InitialContents contents);

  const Device* device_ = nullptr;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkDeviceAddress address_ = 0;
  VkDeviceSize offset_ = 0;
  VkDeviceSize size_ = 0;
  std::byte* data_ = nullptr;
};

}  // namespace trellis
