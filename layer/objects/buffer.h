#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "layer/dispatch/vulkan.h"

namespace trellis {

// A buffer that the application created with VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX. Other buffers are not
// tracked.
struct Buffer {
  VkBuffer handle = VK_NULL_HANDLE;
  VkDeviceSize size = 0;
};

// Where an address lies in a scratch buffer.
struct BufferPlace {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;  // of the address, from the buffer's start
  VkDeviceSize buffer_size = 0;
};

// Device address -> scratch buffer. Filled when the application asks for a scratch buffer's address (it has no other
// way to get one). Threading: any thread.
class BufferAddressMap {
 public:
  void Insert(VkDeviceAddress base, VkBuffer buffer, VkDeviceSize size) {
    std::unique_lock lock(mutex_);
    ranges_[base] = {buffer, size};
  }

  void Erase(VkBuffer buffer) {
    std::unique_lock lock(mutex_);
    std::erase_if(ranges_, [buffer](const auto& entry) { return entry.second.buffer == buffer; });
  }

  // Nothing when no known scratch buffer holds the address.
  [[nodiscard]] std::optional<BufferPlace> Find(VkDeviceAddress address) const {
    std::shared_lock lock(mutex_);
    auto next = ranges_.upper_bound(address);
    if (next == ranges_.begin()) return std::nullopt;
    const auto& [base, range] = *std::prev(next);
    const VkDeviceSize offset = address - base;
    if (offset >= range.size) return std::nullopt;
    return BufferPlace{range.buffer, offset, range.size};
  }

 private:
  struct Range {
    VkBuffer buffer;
    VkDeviceSize size;
  };

  mutable std::shared_mutex mutex_;  // guards ranges_
  std::map<VkDeviceAddress, Range> ranges_;
};

}  // namespace trellis
