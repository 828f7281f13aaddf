// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/plan_block_pool.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>
#include <utility>

#include "layer/objects/device.h"

namespace trellis {
namespace {

// Returns the size of a new block. It is rounded up by an eighth at most, so that the block also serves slightly larger
// requests, but not beyond the largest buffer of the device.
VkDeviceSize BlockBytesFor(const Device& device, VkDeviceSize bytes) {
  if (bytes <= PlanBlockPool::kMaxSharedBytes) return PlanBlockPool::kBlockBytes;
  const VkDeviceSize unit = std::max(std::bit_floor(bytes) / 8, PlanBlockPool::kMaxSharedBytes);
  return std::max(bytes, std::min((bytes + unit - 1) / unit * unit, MaxBufferBytes(device)));
}

}  // namespace

std::shared_ptr<PlanBlockPool> PlanBlockPool::Of(Device& device) {
  return device.components.GetOrCreate<PlanBlockPool>([&device] { return std::make_shared<PlanBlockPool>(device); });
}

Expected<PlanBlockPool::BlockRef> PlanBlockPool::Take(VkDeviceSize bytes, PlanLifetime lifetime) {
  if (const std::optional<BlockRef> block = TakeExisting(bytes, lifetime)) return *block;
  return TakeNew(bytes);
}

std::optional<PlanBlockPool::BlockRef> PlanBlockPool::TakeExisting(VkDeviceSize bytes, PlanLifetime lifetime) {
  Blocks dropped;
  std::lock_guard lock(mutex_);
  std::optional<BlockRef> block;
  if (bytes <= kMaxSharedBytes) block = TakeOpenLocked(bytes, open_[static_cast<size_t>(lifetime)]);
  if (!block) block = TakeUnusedLocked(bytes);
  if (block) {
    ++(*block)->holders;
    TrimLocked(dropped);
  }
  return block;
}

std::optional<PlanBlockPool::BlockRef> PlanBlockPool::TakeOpenLocked(VkDeviceSize bytes, Blocks& open) {
  while (!open.empty()) {
    const BlockRef block = open.begin();
    held_.splice(held_.begin(), open, block);
    block->is_open = false;
    if (block->room() >= bytes) return block;
    // At least three quarters of it are used. It stays closed until its last holder releases it.
    assert(block->holders != 0);
  }
  return std::nullopt;
}

std::optional<PlanBlockPool::BlockRef> PlanBlockPool::TakeUnusedLocked(VkDeviceSize bytes) {
  const VkDeviceSize least = bytes <= kMaxSharedBytes ? kBlockBytes : bytes;
  const auto fits = [least](const Block& block) {
    return block.buffer.size() >= least && block.buffer.size() <= 2 * least;
  };
  const BlockRef block = std::find_if(unused_.begin(), unused_.end(), fits);
  if (block == unused_.end()) return std::nullopt;
  held_.splice(held_.begin(), unused_, block);
  usage_.unused -= block->buffer.size();
  usage_.used += block->buffer.size();
  return block;
}

Expected<PlanBlockPool::BlockRef> PlanBlockPool::TakeNew(VkDeviceSize bytes) {
  const auto create = [this, bytes] {
    return DeviceBuffer::Create(device_, BlockBytesFor(device_, bytes), BufferMemory::kHostLocal, "trellis plan memory",
                                InitialContents::kUndefined);
  };
  Expected<DeviceBuffer> buffer = create();
  if (!buffer && FreeUnused()) buffer = create();
  if (!buffer) return buffer.error();
  Blocks dropped;
  Blocks made;
  made.emplace_back().buffer = *std::move(buffer);
  const BlockRef block = made.begin();
  block->holders = 1;
  std::lock_guard lock(mutex_);
  held_.splice(held_.begin(), made);
  usage_.used += block->buffer.size();
  TrimLocked(dropped);
  return block;
}

bool PlanBlockPool::FreeUnused() {
  Blocks freed;
  std::lock_guard lock(mutex_);
  freed.splice(freed.begin(), unused_);
  usage_.unused = 0;
  return !freed.empty();
}

void PlanBlockPool::TrimLocked(Blocks& dropped) {
  peak_ = std::max(peak_, usage_.used);
  if (const Clock::time_point now = now_(); now - interval_begin_ >= kInterval) {
    previous_peak_ = std::exchange(peak_, usage_.used);
    interval_begin_ = now;
  }
  const VkDeviceSize max_bytes = std::max(peak_, previous_peak_);
  while (!unused_.empty() && usage_.used + usage_.unused > max_bytes) {
    usage_.unused -= unused_.back().buffer.size();
    dropped.splice(dropped.begin(), unused_, std::prev(unused_.end()));
  }
}

void PlanBlockPool::Open(BlockRef block, PlanLifetime lifetime) noexcept {
  std::lock_guard lock(mutex_);
  Blocks& open = open_[static_cast<size_t>(lifetime)];
  open.splice(open.begin(), held_, block);
  block->is_open = true;
}

void PlanBlockPool::Release(std::span<const BlockRef> blocks) noexcept {
  std::lock_guard lock(mutex_);
  for (const BlockRef block : blocks) {
    if (--block->holders != 0) continue;
    block->used = 0;
    if (block->is_open) continue;
    unused_.splice(unused_.begin(), held_, block);
    usage_.used -= block->buffer.size();
    usage_.unused += block->buffer.size();
  }
}

PlanBlockPool::Usage PlanBlockPool::usage() const {
  std::lock_guard lock(mutex_);
  return usage_;
}

}  // namespace trellis
