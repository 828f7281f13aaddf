// SPDX-License-Identifier: Apache-2.0
#include "tests/device_profiles/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace trellis::test {
namespace {

// At least any minMemoryMapAlignment that a profile names.
constexpr size_t kMapAlignment = 4096;

// Returns ~0u if no type of the driver has these properties.
uint32_t DriverType(VkMemoryPropertyFlags wanted, const VkPhysicalDeviceMemoryProperties& driver) {
  for (uint32_t i = 0; i < driver.memoryTypeCount; ++i) {
    if ((driver.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
  }
  return ~0u;
}

}  // namespace

uint32_t MemoryView::ShownBits(uint32_t driver_bits) const {
  uint32_t bits = 0;
  for (size_t i = 0; i < driver_types.size(); ++i) bits |= (driver_bits >> driver_types[i] & 1) << i;
  return bits;
}

MemoryView MakeMemoryView(const Profile& profile, const VkPhysicalDeviceMemoryProperties& driver) {
  MemoryView view;
  if (profile.memory_types.empty()) {
    view.shown = driver;
    for (uint32_t i = 0; i < driver.memoryTypeCount; ++i) view.driver_types.push_back(i);
    return view;
  }
  view.shown.memoryHeapCount = static_cast<uint32_t>(profile.heaps.size());
  std::copy(profile.heaps.begin(), profile.heaps.end(), view.shown.memoryHeaps);
  for (const VkMemoryType& type : profile.memory_types) {
    // Copies of incoherent memory are written to coherent memory of the driver.
    const bool mapped = (type.propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
    const uint32_t driver_type =
        DriverType(type.propertyFlags | (mapped ? VK_MEMORY_PROPERTY_HOST_COHERENT_BIT : 0), driver);
    if (driver_type == ~0u) continue;
    view.driver_types.push_back(driver_type);
    view.shown.memoryTypes[view.shown.memoryTypeCount++] = type;
    VkDeviceSize& size = view.shown.memoryHeaps[type.heapIndex].size;
    size = std::min(size, driver.memoryHeaps[driver.memoryTypes[driver_type].heapIndex].size);
  }
  return view;
}

void IncoherentMemory::Free::operator()(std::byte* copy) const { std::free(copy); }

void IncoherentMemory::Add(VkDeviceMemory memory, VkDeviceSize size) {
  const size_t rounded = (size + kMapAlignment - 1) / kMapAlignment * kMapAlignment;
  Allocation allocation;
  allocation.size = size;
  allocation.copy.reset(static_cast<std::byte*>(std::aligned_alloc(kMapAlignment, rounded)));
  std::memset(allocation.copy.get(), kUndefinedByte, rounded);
  const std::lock_guard lock(mutex_);
  allocations_[memory] = std::move(allocation);
}

void IncoherentMemory::Remove(VkDeviceMemory memory) {
  const std::lock_guard lock(mutex_);
  allocations_.erase(memory);
}

bool IncoherentMemory::Holds(VkDeviceMemory memory) const {
  const std::lock_guard lock(mutex_);
  return allocations_.count(memory) != 0;
}

VkResult IncoherentMemory::Map(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, void** data) {
  void* mapped = nullptr;
  const VkResult result = next_.MapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &mapped);
  if (result != VK_SUCCESS) return result;
  const std::lock_guard lock(mutex_);
  Allocation& allocation = allocations_[memory];
  allocation.driver = static_cast<std::byte*>(mapped);
  *data = allocation.copy.get() + offset;
  return VK_SUCCESS;
}

void IncoherentMemory::Unmap(VkDevice device, VkDeviceMemory memory) {
  {
    const std::lock_guard lock(mutex_);
    allocations_[memory].driver = nullptr;
  }
  next_.UnmapMemory(device, memory);
}

IncoherentMemory::Bytes IncoherentMemory::BytesOf(const VkMappedMemoryRange& range) const {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(range.memory);
  if (found == allocations_.end() || found->second.driver == nullptr) return {};
  const Allocation& allocation = found->second;
  const VkDeviceSize rest = allocation.size - std::min(range.offset, allocation.size);
  return {allocation.copy.get() + range.offset, allocation.driver + range.offset,
          static_cast<size_t>(std::min(range.size, rest))};
}

void IncoherentMemory::Flush(const VkMappedMemoryRange& range) const {
  const Bytes bytes = BytesOf(range);
  if (bytes.size != 0) std::memcpy(bytes.driver, bytes.copy, bytes.size);
}

void IncoherentMemory::Invalidate(const VkMappedMemoryRange& range) const {
  const Bytes bytes = BytesOf(range);
  if (bytes.size != 0) std::memcpy(bytes.copy, bytes.driver, bytes.size);
}

}  // namespace trellis::test
