#include "layer/memory/device_buffer.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "layer/diagnostics/label.h"
#include "layer/objects/device.h"

namespace trellis {
namespace {

// LaunchBlocks and regions are read with an alignment of 8, plans are laid out for 16: neither may depend on what the
// driver thinks is enough.
constexpr VkDeviceSize kAddressAlignment = 64;

uint32_t ChooseMemoryType(const Device& device, uint32_t type_bits, BufferMemory memory) {
  constexpr VkMemoryPropertyFlags kMapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  switch (memory) {
    case BufferMemory::kHost:
      return device.FindMemoryType(type_bits, kMapped, VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    case BufferMemory::kHostLocal:
      return device.FindMemoryType(type_bits, kMapped, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    case BufferMemory::kDevice:
      break;
  }
  return device.FindMemoryType(type_bits, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

Error Failure(const char* name, const char* step, VkDeviceSize size) {
  return Error{std::string(name) + ": " + step + " failed for " + std::to_string(size) + " bytes"};
}

}  // namespace

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
  std::swap(size_, other.size_);
  std::swap(data_, other.data_);
}

Expected<DeviceBuffer> DeviceBuffer::Create(const Device& device, VkDeviceSize size, BufferMemory memory,
                                            const char* name) {
  const DeviceDispatch& dispatch = device.dispatch;
  DeviceBuffer result;
  result.device_ = &device;
  result.size_ = size;

  VkBufferCreateInfo buffer_info = {};
  buffer_info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  buffer_info.size = size + kAddressAlignment;  // slack, so that the address can be rounded up
  buffer_info.usage =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (dispatch.CreateBuffer(device.handle, &buffer_info, nullptr, &result.buffer_) != VK_SUCCESS) {
    result.buffer_ = VK_NULL_HANDLE;
    return Failure(name, "vkCreateBuffer", size);
  }

  VkMemoryRequirements requirements = {};
  dispatch.GetBufferMemoryRequirements(device.handle, result.buffer_, &requirements);
  const uint32_t type = ChooseMemoryType(device, requirements.memoryTypeBits, memory);
  if (type == UINT32_MAX) return Failure(name, "finding a memory type", size);

  VkMemoryAllocateFlagsInfo flags = {};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.pNext = &flags;
  allocate.allocationSize = requirements.size;
  allocate.memoryTypeIndex = type;
  if (dispatch.AllocateMemory(device.handle, &allocate, nullptr, &result.memory_) != VK_SUCCESS) {
    result.memory_ = VK_NULL_HANDLE;
    return Failure(name, "vkAllocateMemory", size);
  }
  if (dispatch.BindBufferMemory(device.handle, result.buffer_, result.memory_, 0) != VK_SUCCESS)
    return Failure(name, "vkBindBufferMemory", size);

  void* mapped = nullptr;
  if (memory != BufferMemory::kDevice &&
      dispatch.MapMemory(device.handle, result.memory_, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS)
    return Failure(name, "vkMapMemory", size);

  VkBufferDeviceAddressInfo address_info = {};
  address_info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  address_info.buffer = result.buffer_;
  const VkDeviceAddress address = dispatch.GetBufferDeviceAddress(device.handle, &address_info);
  if (address == 0) return Failure(name, "vkGetBufferDeviceAddress", size);
  const VkDeviceSize padding = (kAddressAlignment - address % kAddressAlignment) % kAddressAlignment;
  result.address_ = address + padding;
  if (mapped) {
    result.data_ = static_cast<std::byte*>(mapped) + padding;
    std::memset(result.data_, 0, size);
  }

  NameObject(device, VK_OBJECT_TYPE_BUFFER, HandleToU64(result.buffer_), name);
  return result;
}

}  // namespace trellis
