// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "layer/dispatch/vulkan.h"

namespace trellis {

// vkSetPrivateData for objects whose handles no driver knows. Threading: any thread.
class PrivateData {
 public:
  void Set(uint64_t object, VkPrivateDataSlot slot, uint64_t value) {
    std::lock_guard lock(mutex_);
    values_[{object, slot}] = value;
  }

  [[nodiscard]] uint64_t Get(uint64_t object, VkPrivateDataSlot slot) const {
    std::lock_guard lock(mutex_);
    const auto found = values_.find({object, slot});
    return found == values_.end() ? 0 : found->second;
  }

  // Forgets an object or a slot that is destroyed: its handle may be given again.
  void Forget(uint64_t object) {
    std::lock_guard lock(mutex_);
    std::erase_if(values_, [object](const auto& entry) { return entry.first.first == object; });
  }
  void ForgetSlot(VkPrivateDataSlot slot) {
    std::lock_guard lock(mutex_);
    std::erase_if(values_, [slot](const auto& entry) { return entry.first.second == slot; });
  }

 private:
  mutable std::mutex mutex_;  // guards values_
  std::map<std::pair<uint64_t, VkPrivateDataSlot>, uint64_t> values_;
};

}  // namespace trellis
