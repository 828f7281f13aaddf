// SPDX-License-Identifier: Apache-2.0
#include "layer/validation/indirect_buffers.h"

#include <algorithm>

namespace trellis {

std::shared_ptr<IndirectBuffers> IndirectBuffers::Of(Device& device) {
  return device.attachments.GetOrCreate<IndirectBuffers>([] { return std::make_shared<IndirectBuffers>(); });
}

void IndirectBuffers::Created(VkBuffer buffer, VkDeviceSize size) {
  const std::lock_guard lock(mutex_);
  ranges_[buffer] = {size, 0};
}

void IndirectBuffers::AddressTaken(VkBuffer buffer, VkDeviceAddress address) {
  const std::lock_guard lock(mutex_);
  if (const auto found = ranges_.find(buffer); found != ranges_.end()) found->second.address = address;
}

void IndirectBuffers::Destroyed(VkBuffer buffer) {
  const std::lock_guard lock(mutex_);
  ranges_.erase(buffer);
}

bool IndirectBuffers::Hold(VkDeviceAddress address) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(ranges_.begin(), ranges_.end(), [address](const auto& entry) {
    const Range& range = entry.second;
    return range.address != 0 && address >= range.address && address - range.address < range.size;
  });
}

}  // namespace trellis
