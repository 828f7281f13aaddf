#include "layer/memory/plan_arena.h"

#include <algorithm>
#include <utility>

#include "layer/objects/command_buffer.h"
#include "layer/objects/device.h"

namespace trellis {
namespace {

constexpr VkDeviceSize kAlignment = 16;

// Finds the arena of the current recording again; the recording itself owns it, through CommandBuffer::keep_alive.
struct CurrentArena {
  uint64_t recording = 0;
  std::weak_ptr<PlanArena> arena;
};

}  // namespace

Expected<DeviceBuffer> PlanBlockPool::Take(VkDeviceSize bytes) {
  if (bytes <= kBlockBytes) {
    std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      DeviceBuffer block = std::move(free_.back());
      free_.pop_back();
      return block;
    }
  }
  return DeviceBuffer::Create(device_, std::max(bytes, kBlockBytes), BufferMemory::kHostLocal, "trellis plan memory");
}

void PlanBlockPool::Give(std::vector<DeviceBuffer> blocks) {
  // Blocks that are not kept are destroyed with the parameter, after the lock is released: that calls down. Nothing is
  // allocated: an arena's destructor must not throw.
  std::lock_guard lock(mutex_);
  for (DeviceBuffer& block : blocks)
    if (block.size() == kBlockBytes && free_.size() < kMostKept) free_.push_back(std::move(block));
}

size_t PlanBlockPool::Kept() const {
  std::lock_guard lock(mutex_);
  return free_.size();
}

std::shared_ptr<PlanBlockPool> PlanBlockPool::Of(Device& device) {
  return device.attachments.GetOrCreate<PlanBlockPool>([&device] { return std::make_shared<PlanBlockPool>(device); });
}

PlanArena::~PlanArena() { pool_->Give(std::move(blocks_)); }

Expected<PlanSpan> PlanArena::Allocate(VkDeviceSize bytes) {
  const VkDeviceSize padded = std::max<VkDeviceSize>((bytes + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
  if (blocks_.empty() || blocks_.back().size() - used_ < padded) {
    Expected<DeviceBuffer> block = pool_->Take(padded);
    if (!block) return block.error();
    blocks_.push_back(*std::move(block));
    used_ = 0;
  }
  const DeviceBuffer& block = blocks_.back();
  const PlanSpan span = {block.data() + used_, block.address() + used_, bytes};
  used_ += padded;
  return span;
}

std::shared_ptr<PlanArena> SharedArenas::Take() {
  std::lock_guard lock(mutex_);
  if (open_.empty()) return std::make_shared<PlanArena>(pool_);
  std::shared_ptr<PlanArena> arena = std::move(open_.back());
  open_.pop_back();
  return arena;
}

// One that has grown is full, or its owners are so large that they fill blocks of their own.
void SharedArenas::Give(std::shared_ptr<PlanArena> arena) {
  std::lock_guard lock(mutex_);
  if (arena->FitsOneBlock()) open_.push_back(std::move(arena));
}

std::shared_ptr<SharedArenas> SharedArenas::Of(Device& device) {
  const std::shared_ptr<PlanBlockPool> pool = PlanBlockPool::Of(device);
  return device.attachments.GetOrCreate<SharedArenas>([&pool] { return std::make_shared<SharedArenas>(pool); });
}

std::shared_ptr<PlanArena> ArenaOf(CommandBuffer& command_buffer) {
  const auto current =
      command_buffer.attachments.GetOrCreate<CurrentArena>([] { return std::make_shared<CurrentArena>(); });
  std::shared_ptr<PlanArena> arena = current->arena.lock();
  if (arena && current->recording == command_buffer.recording) return arena;
  arena = std::make_shared<PlanArena>(PlanBlockPool::Of(command_buffer.device));
  command_buffer.keep_alive.push_back(arena);
  *current = {command_buffer.recording, arena};
  return arena;
}

}  // namespace trellis
