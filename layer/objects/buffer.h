// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>

#include "layer/dispatch/vulkan.h"

namespace trellis {

// Where an address lies in a buffer.
struct BufferPlace {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;  // of the address, from the buffer's start
  VkDeviceSize buffer_size = 0;

  // Bytes from the address to the buffer's end.
  [[nodiscard]] VkDeviceSize room() const { return buffer_size - offset; }
};

// Buffers of one usage, which are looked for by address. Buffers that share memory may overlap.
// Threading: any thread.
class BufferTable {
 public:
  void Insert(VkBuffer buffer, VkDeviceSize size) {
    std::unique_lock lock(mutex_);
    sizes_[buffer] = size;
  }
  [[nodiscard]] bool Has(VkBuffer buffer) const {
    std::shared_lock lock(mutex_);
    return sizes_.contains(buffer);
  }
  [[nodiscard]] size_t Size() const {
    std::shared_lock lock(mutex_);
    return sizes_.size();
  }

  // The application has asked for it. Of any buffer, as what follows.
  void TellAddress(VkBuffer buffer, VkDeviceAddress address) {
    if (!Has(buffer)) return;
    std::unique_lock lock(mutex_);
    const auto known = sizes_.find(buffer);
    if (known == sizes_.end() || address == 0) return;
    const auto [first, last] = ranges_.equal_range(address);
    if (std::any_of(first, last, [buffer](const auto& entry) { return entry.second.buffer == buffer; })) return;
    ranges_.emplace(address, Range{buffer, known->second});
    longest_ = std::max(longest_, known->second);
  }
  void Erase(VkBuffer buffer) {
    if (!Has(buffer)) return;
    std::unique_lock lock(mutex_);
    if (sizes_.erase(buffer) == 0) return;
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

  // Returns the buffer that holds the address and reaches farthest beyond it; nothing if there is none.
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
  std::unordered_map<VkBuffer, VkDeviceSize> sizes_;
  std::multimap<VkDeviceAddress, Range> ranges_;
  VkDeviceSize longest_ = 0;  // of all ranges: how far back Find has to look
};

}  // namespace trellis
