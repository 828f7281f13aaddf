// SPDX-License-Identifier: Apache-2.0
// Blocks of plan memory. Recordings share blocks, so the number of allocations follows the bytes in use, not the number
// of command buffers.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "layer/memory/device_buffer.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

// How long data is needed. Data of different lifetimes is in different blocks, because a block is used again only when
// none of its data is needed.
enum class PlanLifetime : uint8_t {
  kRecording,  // until a command buffer is reset
  kPlan,       // while a graph keeps a placed plan
};

// One per device. Owns all blocks, so the holders of a block must keep the pool alive. Threading: any thread.
class PlanBlockPool {
 public:
  // Bytes of a shared block.
  static constexpr VkDeviceSize kBlockBytes = 256 * 1024;
  // A larger request gets a block of its own.
  static constexpr VkDeviceSize kMaxSharedBytes = kBlockBytes / 4;
  // Unused blocks are kept while all blocks together have no more bytes than were in use at a time during this interval
  // or the previous one.
  static constexpr std::chrono::seconds kInterval{1};

  using Clock = std::chrono::steady_clock;

  struct Block {
    DeviceBuffer buffer;
    VkDeviceSize used = 0;  // bytes from the beginning; written by the holder that took the block
    uint32_t holders = 0;
    bool is_open = false;  // no holder allocates from it; the next one may

    [[nodiscard]] VkDeviceSize room() const { return buffer.size() - used; }
  };
  using BlockRef = std::list<Block>::iterator;

  // Bytes of the blocks that have holders or are open, and of the others.
  struct Usage {
    VkDeviceSize used = 0;
    VkDeviceSize unused = 0;
  };

  // `now` is a parameter for tests.
  explicit PlanBlockPool(const Device& device, Clock::time_point (*now)() = Clock::now) : device_(device), now_(now) {}

  // Returns a block with room for `bytes`. The caller becomes a holder, and the only one to allocate from the block
  // until it opens the block. Contents are undefined. Fails when memory runs out.
  [[nodiscard]] Expected<BlockRef> Take(VkDeviceSize bytes, PlanLifetime lifetime);
  // Lets the next holder allocate from a block that was taken for at most kMaxSharedBytes. The caller remains a holder.
  void Open(BlockRef block, PlanLifetime lifetime) noexcept;
  // Ends the caller's hold on `blocks`. Does not call down.
  void Release(std::span<const BlockRef> blocks) noexcept;

  [[nodiscard]] Usage usage() const;

  // Returns the pool of a device.
  [[nodiscard]] static std::shared_ptr<PlanBlockPool> Of(Device& device);

 private:
  using Blocks = std::list<Block>;

  [[nodiscard]] std::optional<BlockRef> TakeExisting(VkDeviceSize bytes, PlanLifetime lifetime);
  [[nodiscard]] Expected<BlockRef> TakeNew(VkDeviceSize bytes);
  [[nodiscard]] bool FreeUnused();

  // The caller holds mutex_.
  [[nodiscard]] std::optional<BlockRef> TakeOpenLocked(VkDeviceSize bytes, Blocks& open);
  [[nodiscard]] std::optional<BlockRef> TakeUnusedLocked(VkDeviceSize bytes);
  // Moves unused blocks beyond the high-water mark to `dropped`, which must outlive the lock: destroying them calls
  // down.
  void TrimLocked(Blocks& dropped);

  const Device& device_;
  Clock::time_point (*const now_)();
  mutable std::mutex
      mutex_;  // guards the members below and their blocks, except `used` of blocks that are being filled
  Blocks held_;
  std::array<Blocks, 2> open_;  // by lifetime
  Blocks unused_;               // most recently used first
  Usage usage_;
  VkDeviceSize peak_ = 0;           // most bytes in use at a time during this interval
  VkDeviceSize previous_peak_ = 0;  // the same of the previous one
  Clock::time_point interval_begin_ = {};
};

}  // namespace trellis
