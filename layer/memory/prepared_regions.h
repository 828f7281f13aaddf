// SPDX-License-Identifier: Apache-2.0
// Memory for regions that each execution of a graph prepares for the next one: AlternatingRegions in
// meta_shaders/shared/graph_data.h.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "layer/memory/device_buffer.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

// Buffers that are not in use. One per device. Threading: any thread.
class PreparedRegionPool {
 public:
  // So many are kept for the next plan; then the one that has waited longest is given back to the driver.
  static constexpr size_t kMaxKept = 16;
  // So many exist at a time: the application needs allocations, too, of which some drivers have 4,096.
  static constexpr size_t kMaxBuffers = 256;

  explicit PreparedRegionPool(const Device& device) : device_(device) { free_.reserve(kMaxKept); }

  // A buffer of at least `bytes`, of any contents: those of a plan that no execution uses any more. Fails when memory
  // runs out, when there are enough, or where the host cannot write to device memory.
  [[nodiscard]] Expected<DeviceBuffer> Take(VkDeviceSize bytes);
  void Give(DeviceBuffer buffer) noexcept;

  [[nodiscard]] static std::shared_ptr<PreparedRegionPool> Of(Device& device);

 private:
  const Device& device_;
  std::mutex mutex_;                // guards what follows
  size_t buffers_ = 0;              // that exist, or are being made
  std::vector<DeviceBuffer> free_;  // the one that has waited longest first
};

// The regions of one PlacedPlan. Ownership: the memory is given back to the pool with the object, which must be after
// the last execution that uses it. Threading: immutable but for Write.
class PreparedRegions {
 public:
  PreparedRegions(std::shared_ptr<PreparedRegionPool> pool, DeviceBuffer buffer, VkDeviceSize set_bytes)
      : pool_(std::move(pool)), buffer_(std::move(buffer)), set_bytes_(set_bytes) {}
  PreparedRegions(const PreparedRegions&) = delete;
  PreparedRegions& operator=(const PreparedRegions&) = delete;
  ~PreparedRegions() { pool_->Give(std::move(buffer_)); }

  // From the beginning, AlternatingRegions; before the first execution. Fails when memory cannot be mapped.
  [[nodiscard]] Expected<void> Write(std::span<const std::byte> contents) const { return buffer_.Write(contents); }

  // Returns the address of both sets, as shaders get it.
  [[nodiscard]] VkDeviceAddress alternating() const;
  // One of the two sets: its address, and its place in the buffer.
  [[nodiscard]] VkDeviceAddress set_address(uint32_t set) const { return buffer_.address() + SetOffset(set); }
  [[nodiscard]] VkDeviceSize set_offset(uint32_t set) const { return buffer_.offset() + SetOffset(set); }
  [[nodiscard]] VkBuffer buffer() const { return buffer_.handle(); }

 private:
  [[nodiscard]] VkDeviceSize SetOffset(uint32_t set) const;

  const std::shared_ptr<PreparedRegionPool> pool_;
  DeviceBuffer buffer_;
  const VkDeviceSize set_bytes_;
};

}  // namespace trellis
