// SPDX-License-Identifier: Apache-2.0
// The memory of a profile, emulated with that of a CPU driver, whose host-visible memory is coherent.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "tests/device_profiles/functions.h"
#include "tests/device_profiles/profile.h"

namespace trellis::test {

// The memory types of a profile, and the driver's type behind each.
struct MemoryView {
  VkPhysicalDeviceMemoryProperties shown = {};
  std::vector<uint32_t> driver_types;

  // Translates VkMemoryRequirements::memoryTypeBits of the driver.
  [[nodiscard]] uint32_t ShownBits(uint32_t driver_bits) const;
};

// Omits types with properties that no type of the driver has.
[[nodiscard]] MemoryView MakeMemoryView(const Profile& profile, const VkPhysicalDeviceMemoryProperties& driver);

// Host access to memory that is not coherent. A mapping is a copy of the memory: flushing copies it to the driver's
// memory, invalidating copies it back. A fresh copy is filled with kUndefinedByte.
class IncoherentMemory {
 public:
  static constexpr unsigned char kUndefinedByte = 0xA5;

  explicit IncoherentMemory(const DeviceFunctions& next) : next_(next) {}

  void Add(VkDeviceMemory memory, VkDeviceSize size);
  void Remove(VkDeviceMemory memory);
  [[nodiscard]] bool Holds(VkDeviceMemory memory) const;

  VkResult Map(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, void** data);
  void Unmap(VkDevice device, VkDeviceMemory memory);
  void Flush(const VkMappedMemoryRange& range) const;
  void Invalidate(const VkMappedMemoryRange& range) const;

 private:
  struct Free {
    void operator()(std::byte* copy) const;
  };
  struct Allocation {
    VkDeviceSize size = 0;
    std::unique_ptr<std::byte, Free> copy;
    std::byte* driver = nullptr;  // the driver's mapping of the whole allocation; null if not mapped
  };
  struct Bytes {
    std::byte* copy = nullptr;
    std::byte* driver = nullptr;
    size_t size = 0;
  };
  // Empty for memory that is coherent or not mapped.
  [[nodiscard]] Bytes BytesOf(const VkMappedMemoryRange& range) const;

  const DeviceFunctions& next_;
  mutable std::mutex mutex_;  // guards what follows
  std::unordered_map<VkDeviceMemory, Allocation> allocations_;
};

}  // namespace trellis::test
