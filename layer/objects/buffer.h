// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
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

  // Bytes from the address to the buffer's end.
  [[nodiscard]] VkDeviceSize room() const { return buffer_size - offset; }
};

// Device address -> scratch buffer. Filled when the application asks for a scratch buffer's address (it has no other
// way to get one). Buffers that share memory may overlap. Threading: any thread.
class BufferAddressMap {
 public:
  void Insert(VkDeviceAddress base, VkBuffer buffer, VkDeviceSize size) {
    std::unique_lock lock(mutex_);
    const auto [first, last] = ranges_.equal_range(base);
    if (std::any_of(first, last, [buffer](const auto& entry) { return entry.second.buffer == buffer; })) return;
    ranges_.emplace(base, Range{buffer, size});
    longest_ = std::max(longest_, size);
  }

  void Erase(VkBuffer buffer) {
    std::unique_lock lock(mutex_);
    bool was_longest = false;
    std::erase_if(ranges_, [&](const auto& entry) {
      if (entry.second.buffer != buffer) return false;
      was_longest |= entry.second.size == longest_;
      return true;
    });
    if (!was_longest) return;
    longest_ = 0;
    for (const auto& entry : ranges_) longest_ = std::max(longest_, entry.second.size);
  }

  // How far before an address a buffer may begin that holds it. For tests: a value that is too large changes no answer
  // of Find, which only takes longer.
  [[nodiscard]] VkDeviceSize longest() const {
    std::shared_lock lock(mutex_);
    return longest_;
  }

  // Of the known scratch buffers that hold the address, the one that reaches farthest beyond it; nothing if there is
  // none.
  [[nodiscard]] std::optional<BufferPlace> Find(VkDeviceAddress address) const {
    std::shared_lock lock(mutex_);
    std::optional<BufferPlace> best;
    for (auto next = ranges_.upper_bound(address); next != ranges_.begin();) {
      const auto& [base, range] = *--next;
      const VkDeviceSize offset = address - base;
      if (offset >= longest_) break;
      if (offset >= range.size) continue;
      if (!best || range.size - offset > best->room()) best = BufferPlace{range.buffer, offset, range.size};
    }
    return best;
  }

 private:
  struct Range {
    VkBuffer buffer;
    VkDeviceSize size;
  };

  mutable std::shared_mutex mutex_;  // guards what follows
  std::multimap<VkDeviceAddress, Range> ranges_;
  VkDeviceSize longest_ = 0;  // of all ranges: how far back Find has to look
};

}  // namespace trellis
