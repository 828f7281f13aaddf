// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/device_buffer.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "layer/diagnostics/label.h"
#include "layer/dispatch/struct_type.h"
#include "layer/objects/device.h"

namespace trellis {
namespace {

// LaunchBlocks and regions are read with an alignment of 16, for which plans are laid out: that may not depend on what
// the driver thinks is enough. A buffer has that much slack, so that its address can be rounded up.
constexpr VkDeviceSize kAddressAlignment = 64;

uint32_t ChooseMemoryType(const Device& device, uint32_t type_bits, BufferMemory memory) {
  constexpr VkMemoryPropertyFlags kMapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  switch (memory) {
    case BufferMemory::kHost:
      return device.FindMemoryType(type_bits, kMapped, VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    case BufferMemory::kHostLocal:
      return device.FindMemoryType(type_bits, kMapped, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    case BufferMemory::kWrittenOnce:
      return device.FindMemoryType(type_bits, kMapped | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    case BufferMemory::kDevice:
      break;
  }
  return device.FindMemoryType(type_bits, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

std::vector<uint32_t> ComputeFamilies(const Device& device) {
  std::vector<uint32_t> families;
  for (uint32_t i = 0; i < device.queue_families.size(); ++i)
    if (device.queue_families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) families.push_back(i);
  return families;
}

Error Failure(const char* name, const char* step, VkDeviceSize size) {
  return Error{std::string(name) + ": " + step + " failed for " + std::to_string(size) + " bytes"};
}

}  // namespace

VkDeviceSize BytesWithoutSlack(VkDeviceSize bytes) { return bytes - std::min(bytes, kAddressAlignment); }

VkDeviceSize MaxBufferBytes(const Device& device) { return BytesWithoutSlack(device.traits.max_buffer_bytes); }

DeviceBuffer::~DeviceBuffer() {
  if (!device_) return;
  const DeviceDispatch& dispatch = device_->dispatch;
  if (buffer_) dispatch.DestroyBuffer(device_->handle, buffer_, nullptr);
  if (memory_) dispatch.FreeMemory(device_->handle, memory_, nullptr);
}

void DeviceBuffer::Swap(DeviceBuffer& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(buffer_, other.buffer_);
  std::swap(memory_, other.memory_);
  std::swap(address_, other.address_);
  std::swap(offset_, other.offset_);
  std::swap(size_, other.size_);
  std::swap(data_, other.data_);
}

Expected<DeviceBuffer> DeviceBuffer::Create(const Device& device, VkDeviceSize size, BufferMemory memory,
                                            const char* name, InitialContents contents) {
  DeviceBuffer result;
  result.device_ = &device;
  result.size_ = size;
  // VUID-VkBufferCreateInfo-size-06409. Whether memory of that size can be had, vkAllocateMemory knows.
  if (size > MaxBufferBytes(device))
    return Error{std::string(name) + ": " + std::to_string(size) + " bytes are more than a buffer of this device has"};
  if (!result.CreateHandle(size + kAddressAlignment)) return Failure(name, "vkCreateBuffer", size);
  // The device memory that the host reaches may be small: a place in system memory is as good, only farther away.
  const bool allocated =
      result.Allocate(memory) || (memory == BufferMemory::kHostLocal && result.Allocate(BufferMemory::kHost));
  if (!allocated) return Failure(name, "vkAllocateMemory", size);
  if (device.dispatch.BindBufferMemory(device.handle, result.buffer_, result.memory_, 0) != VK_SUCCESS)
    return Failure(name, "vkBindBufferMemory", size);
  const bool stays_mapped = memory == BufferMemory::kHost || memory == BufferMemory::kHostLocal;
  if (!result.Map(stays_mapped, contents)) return Failure(name, "vkMapMemory", size);
  NameObject(device, VK_OBJECT_TYPE_BUFFER, HandleToU64(result.buffer_), name);
  return result;
}

bool DeviceBuffer::CreateHandle(VkDeviceSize padded_size) {
  // Graphs may run on every family at once, and reports of the device are written by all of them.
  const std::vector<uint32_t> families = ComputeFamilies(*device_);
  auto info = MakeStruct<VkBufferCreateInfo>();
  info.size = padded_size;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
               VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (families.size() > 1) {
    info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    info.queueFamilyIndexCount = static_cast<uint32_t>(families.size());
    info.pQueueFamilyIndices = families.data();
  }
  if (device_->dispatch.CreateBuffer(device_->handle, &info, nullptr, &buffer_) == VK_SUCCESS) return true;
  buffer_ = VK_NULL_HANDLE;
  return false;
}

bool DeviceBuffer::Allocate(BufferMemory memory) {
  VkMemoryRequirements requirements = {};
  device_->dispatch.GetBufferMemoryRequirements(device_->handle, buffer_, &requirements);
  const uint32_t type = ChooseMemoryType(*device_, requirements.memoryTypeBits, memory);
  if (type == UINT32_MAX) return false;
  auto flags = MakeStruct<VkMemoryAllocateFlagsInfo>();
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  auto allocate = MakeStruct<VkMemoryAllocateInfo>(&flags);
  allocate.allocationSize = requirements.size;
  allocate.memoryTypeIndex = type;
  if (device_->dispatch.AllocateMemory(device_->handle, &allocate, nullptr, &memory_) == VK_SUCCESS) return true;
  memory_ = VK_NULL_HANDLE;
  return false;
}

bool DeviceBuffer::MayBeWrittenOnce(const Device& device) {
  return ChooseMemoryType(device, UINT32_MAX, BufferMemory::kWrittenOnce) != UINT32_MAX;
}

Expected<void> DeviceBuffer::Write(std::span<const std::byte> bytes) const {
  void* mapped = nullptr;
  if (device_->dispatch.MapMemory(device_->handle, memory_, offset_, bytes.size(), 0, &mapped) != VK_SUCCESS)
    return Failure("a buffer", "vkMapMemory", bytes.size());
  std::memcpy(mapped, bytes.data(), bytes.size());
  device_->dispatch.UnmapMemory(device_->handle, memory_);
  return {};
}

bool DeviceBuffer::Map(bool host_visible, InitialContents contents) {
  void* mapped = nullptr;
  if (host_visible && device_->dispatch.MapMemory(device_->handle, memory_, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS)
    return false;
  auto info = MakeStruct<VkBufferDeviceAddressInfo>();
  info.buffer = buffer_;
  const VkDeviceAddress address = device_->dispatch.GetBufferDeviceAddress(device_->handle, &info);
  offset_ = (kAddressAlignment - address % kAddressAlignment) % kAddressAlignment;
  address_ = address + offset_;
  if (mapped) {
    data_ = static_cast<std::byte*>(mapped) + offset_;
    if (contents == InitialContents::kZeros) std::memset(data_, 0, size_);
  }
  return address != 0;
}

}  // namespace trellis
