// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/prepared_regions.h"

#include <algorithm>
#include <bit>

#include "layer/objects/device.h"
#include "meta_shaders/shared/graph_data.h"

namespace trellis {
namespace {

// Sizes are powers of two from this one on, so that a buffer serves the next plan too.
constexpr VkDeviceSize kSmallest = 4096;

}  // namespace

Expected<DeviceBuffer> PreparedRegionPool::Take(VkDeviceSize bytes) {
  const VkDeviceSize size = std::bit_ceil(std::max(bytes, kSmallest));
  {
    std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(free_.begin(), free_.end(), [size](const DeviceBuffer& buffer) { return buffer.size() == size; });
    if (found != free_.end()) {
      DeviceBuffer buffer = std::move(*found);
      free_.erase(found);
      return buffer;
    }
    if (buffers_ >= kMaxBuffers) return Error{"there are enough prepared regions"};
    ++buffers_;
  }
  Expected<DeviceBuffer> made = DeviceBuffer::Create(device_, size, BufferMemory::kWrittenOnce, "trellis regions");
  if (made) return made;
  std::lock_guard lock(mutex_);
  --buffers_;
  return made;
}

void PreparedRegionPool::Give(DeviceBuffer buffer) noexcept {
  // What is not kept is destroyed after the lock is released: that calls down. Nothing is allocated.
  DeviceBuffer dropped;
  std::lock_guard lock(mutex_);
  if (free_.size() == kMaxKept) {
    dropped = std::move(free_.front());
    free_.erase(free_.begin());
    --buffers_;
  }
  free_.push_back(std::move(buffer));
}

std::shared_ptr<PreparedRegionPool> PreparedRegionPool::Of(Device& device) {
  return device.components.GetOrCreate<PreparedRegionPool>(
      [&device] { return std::make_shared<PreparedRegionPool>(device); });
}

VkDeviceAddress PreparedRegions::alternating() const { return buffer_.address() | shared::kAlternating; }

VkDeviceSize PreparedRegions::SetOffset(uint32_t set) const {
  return sizeof(shared::AlternatingRegions) + set * set_bytes_;
}

}  // namespace trellis
