// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/plan_arena.h"

#include <algorithm>

namespace trellis {
namespace {

constexpr VkDeviceSize kAlignment = 16;

PlanSpan AllocateFrom(PlanBlockPool::Block& block, VkDeviceSize bytes, VkDeviceSize padded) {
  const PlanSpan span = {block.buffer.data() + block.used, block.buffer.address() + block.used, bytes};
  block.used += padded;
  return span;
}

}  // namespace

PlanArena::~PlanArena() {
  Close();
  pool_->Release(blocks_);
}

Expected<PlanSpan> PlanArena::Allocate(VkDeviceSize bytes) {
  const VkDeviceSize padded = std::max<VkDeviceSize>((bytes + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
  if (padded > PlanBlockPool::kMaxSharedBytes) {
    Expected<PlanBlockPool::BlockRef> own = TakeBlock(padded);
    if (!own) return own.error();
    return AllocateFrom(**own, bytes, padded);
  }
  if (filling_ && (*filling_)->room() < padded) Close();
  if (!filling_) {
    Expected<PlanBlockPool::BlockRef> shared = TakeBlock(padded);
    if (!shared) return shared.error();
    filling_ = *shared;
  }
  return AllocateFrom(**filling_, bytes, padded);
}

Expected<PlanBlockPool::BlockRef> PlanArena::TakeBlock(VkDeviceSize bytes) {
  blocks_.reserve(blocks_.size() + 1);  // nothing may fail between Take and the entry
  Expected<PlanBlockPool::BlockRef> block = pool_->Take(bytes, lifetime_);
  if (block) blocks_.push_back(*block);
  return block;
}

void PlanArena::Close() noexcept {
  if (filling_) pool_->Open(*filling_, lifetime_);
  filling_.reset();
}

}  // namespace trellis
