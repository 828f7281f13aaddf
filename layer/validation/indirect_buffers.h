// SPDX-License-Identifier: Apache-2.0
// The buffers that indirect graph dispatches may read. Tracked with the setting `validate` only.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "layer/objects/device.h"

namespace trellis {

// Buffers with VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT whose address was asked for. Buffers may alias each other.
// Threading: any thread.
class IndirectBuffers {
 public:
  [[nodiscard]] static std::shared_ptr<IndirectBuffers> Of(Device& device);

  void Created(VkBuffer buffer, VkDeviceSize size);
  void AddressTaken(VkBuffer buffer, VkDeviceAddress address);  // of any buffer
  void Destroyed(VkBuffer buffer);                              // any buffer

  [[nodiscard]] bool Hold(VkDeviceAddress address) const;

 private:
  struct Range {
    VkDeviceSize size = 0;
    VkDeviceAddress address = 0;  // 0: not known yet
  };

  mutable std::mutex mutex_;  // guards ranges_
  std::unordered_map<VkBuffer, Range> ranges_;
};

}  // namespace trellis
