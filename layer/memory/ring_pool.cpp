// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/ring_pool.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>

#include "layer/objects/device.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {
namespace {

constexpr VkDeviceSize kSmallestRing = 256 * 1024;
constexpr VkDeviceSize kMiB = 1024 * 1024;

// All pools of a device.
struct RingPools {
  std::mutex mutex;  // guards by_family
  std::unordered_map<uint32_t, std::shared_ptr<RingPool>> by_family;

  std::shared_ptr<RingPool> Find(uint32_t family) {
    std::lock_guard lock(mutex);
    const auto found = by_family.find(family);
    return found == by_family.end() ? nullptr : found->second;
  }
  std::shared_ptr<RingPool> InsertIfAbsent(uint32_t family, std::shared_ptr<RingPool> pool) {
    std::lock_guard lock(mutex);
    return by_family.try_emplace(family, std::move(pool)).first->second;
  }
};

// The layouts of rings are multiples of cache lines.
VkDeviceSize WholeLines(VkDeviceSize bytes) { return bytes / 256 * 256; }

VkDeviceSize LargestDeviceHeap(const Device& device) {
  VkDeviceSize largest = 0;
  const VkPhysicalDeviceMemoryProperties& memory = device.memory_properties;
  for (uint32_t heap = 0; heap < memory.memoryHeapCount; ++heap)
    if (memory.memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      largest = std::max(largest, memory.memoryHeaps[heap].size);
  return largest;
}

// What fits into a buffer, and what the device promises to allocate at once.
VkDeviceSize MaxWithoutSetting(const Device& device) {
  return WholeLines(std::min(MaxBufferBytes(device), BytesWithoutSlack(device.traits.max_allocation_bytes)));
}

// The setting that asks for rings of no more than `bytes`.
std::string SettingFor(VkDeviceSize bytes) {
  return "ring_budget=" + std::to_string(std::max<VkDeviceSize>(bytes / kMiB, 1));
}

}  // namespace

RingPool::RingPool(const Device& device, DeviceBuffer table, VkDeviceSize step_budget)
    : device_(device), table_(std::move(table)), full_budget_(RingBudget(device)), step_budget_(step_budget) {}

Expected<std::shared_ptr<RingPool>> RingPool::Create(const Device& device, VkDeviceSize step_budget) {
  const VkDeviceSize bytes = sizeof(shared::RingTableHeader) + kMaxRings * sizeof(shared::RingEntry);
  Expected<DeviceBuffer> table = DeviceBuffer::Create(device, bytes, BufferMemory::kHostLocal, "trellis ring table");
  if (!table) return table.error();
  return std::shared_ptr<RingPool>(new RingPool(device, *std::move(table), step_budget));
}

VkResult RingPool::EnsureRings(VkQueue queue, VkDeviceSize bytes) {
  if (!MissingRing(queue, bytes)) return VK_SUCCESS;
  std::lock_guard making(making_);
  while (const std::optional<VkDeviceSize> missing = MissingRing(queue, bytes)) {
    Expected<DeviceBuffer> ring = MakeRing(*missing);
    if (!ring) {
      device_.diagnostics.Error("TRELLIS-ring-allocation",
                                ring.error().message +
                                    ". Each queue that graphs are submitted to needs a ring; nothing was submitted. " +
                                    FallBack(*missing));
      return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    if (!Publish(*std::move(ring))) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  }
  return VK_SUCCESS;
}

std::string RingPool::FallBack(VkDeviceSize missing) {
  const std::string no_smaller =
      "Leave the device more memory, or set " + SettingFor(missing / 2) + " or less, which may drop records";
  // Where there is no such ring at all, PlanWithinMemory has tried smaller ones when the graph was recorded.
  if (!HasRing(missing)) return no_smaller;
  VkDeviceSize had = budget();
  // Inputs that nodes write may need more than any budget.
  if (had < missing && had == full_budget_) return no_smaller;
  while (had >= missing) {
    had = SmallerBudget(had, missing);
    if (had == 0) return no_smaller;
    Expected<DeviceBuffer> ring = MakeRing(had);
    if (!ring) {
      missing = had;
    } else if (Publish(*std::move(ring))) {
      std::lock_guard lock(mutex_);
      budget_ = std::min(budget_, had);
      step_budget_ = 0;
    }
  }
  return "Record the graphs again after vkDeviceWaitIdle: then rings have at most " + std::to_string(had) +
         " bytes. Set " + SettingFor(had) + " for such rings from the start";
}

Expected<DeviceBuffer> RingPool::MakeRing(VkDeviceSize bytes) const {
  // Doubling, so that a graph that grows step by step does not leave a ring behind at every step; but never past the
  // budget for the sake of growth.
  const bool instead_of_steps = bytes > budget();
  const VkDeviceSize max_bytes = instead_of_steps ? step_budget() : budget();
  const VkDeviceSize generous = std::max(bytes, std::min(std::bit_ceil(std::max(bytes, kSmallestRing)), max_bytes));
  Expected<DeviceBuffer> ring = DeviceBuffer::Create(device_, generous, BufferMemory::kDevice, "trellis ring");
  if (!ring && generous > bytes && !instead_of_steps)
    ring = DeviceBuffer::Create(device_, bytes, BufferMemory::kDevice, "trellis ring");
  return ring;
}

size_t RingPool::CountRings(VkDeviceSize bytes) const {
  return static_cast<size_t>(
      std::count_if(rings_.begin(), rings_.end(), [bytes](const DeviceBuffer& ring) { return ring.size() >= bytes; }));
}

bool RingPool::HasRing(VkDeviceSize bytes) const {
  std::lock_guard lock(mutex_);
  return CountRings(bytes) != 0;
}

VkDeviceAddress RingPool::FindRing(VkDeviceSize bytes) const {
  std::lock_guard lock(mutex_);
  if (CountRings(bytes) < std::max<size_t>(queues_.size(), 1)) return 0;
  return std::find_if(rings_.begin(), rings_.end(), [bytes](const DeviceBuffer& ring) { return ring.size() >= bytes; })
      ->address();
}

VkDeviceAddress RingPool::RingWith(VkDeviceSize bytes) {
  if (const VkDeviceAddress ring = FindRing(bytes)) return ring;
  std::lock_guard making(making_);
  while (true) {
    if (const VkDeviceAddress ring = FindRing(bytes)) return ring;
    Expected<DeviceBuffer> made = MakeRing(bytes);
    if (!made || !Publish(*std::move(made))) return 0;
  }
}

VkDeviceSize RingPool::budget() const {
  std::lock_guard lock(mutex_);
  return budget_;
}

VkDeviceSize RingPool::step_budget() const {
  std::lock_guard lock(mutex_);
  return std::max(step_budget_, budget_);
}

void RingPool::GiveUpStepBudget() {
  std::lock_guard lock(mutex_);
  step_budget_ = 0;
  for (const DeviceBuffer& ring : rings_) step_budget_ = std::max(step_budget_, ring.size());
}

VkDeviceSize RingPool::SmallerBudget(VkDeviceSize budget, VkDeviceSize bytes) const {
  VkDeviceSize smaller = WholeLines(budget / 2);
  while (smaller >= bytes && smaller >= kSmallestRing) smaller = WholeLines(smaller / 2);
  if (smaller < kSmallestRing) smaller = 0;
  std::lock_guard lock(mutex_);
  for (const DeviceBuffer& ring : rings_)
    if (ring.size() < std::min(budget, bytes)) smaller = std::max(smaller, ring.size());
  return smaller;
}

void RingPool::LowerBudget(VkDeviceSize budget, VkDeviceSize missing) {
  {
    std::lock_guard lock(mutex_);
    if (budget >= budget_) return;
    budget_ = budget;
    step_budget_ = 0;
  }
  device_.diagnostics.Warning("TRELLIS-ring-allocation",
                              "the device has no memory for a ring of " + std::to_string(missing) +
                                  " bytes: graphs that are recorded from now on get rings of at most " +
                                  std::to_string(budget) + " bytes, and run in steps where that is too little. Set " +
                                  SettingFor(budget) + " for such rings from the start");
}

void RingPool::ForgetNeeds() {
  std::lock_guard lock(mutex_);
  largest_need_ = 0;
}

std::optional<VkDeviceSize> RingPool::MissingRing(VkQueue queue, VkDeviceSize bytes) {
  std::lock_guard lock(mutex_);
  const VkDeviceSize need = std::max(largest_need_, bytes);
  const size_t queues = queues_.size() + (queues_.count(queue) == 0 ? 1 : 0);
  if (CountRings(need) < queues) return need;
  queues_.insert(queue);
  largest_need_ = need;
  return std::nullopt;
}

bool RingPool::Publish(DeviceBuffer ring) {
  std::lock_guard lock(mutex_);
  if (rings_.size() >= kMaxRings) return false;
  const uint32_t index = static_cast<uint32_t>(rings_.size());
  shared::RingEntry entry = {};
  entry.base = ring.address();
  entry.bytes = ring.size();
  // Kept before it is published: out of memory here, a ring that shaders see already would be freed.
  rings_.push_back(std::move(ring));
  std::memcpy(table_.data() + sizeof(shared::RingTableHeader) + index * sizeof(entry), &entry, sizeof(entry));
  // Graphs that were submitted before may be scanning the table right now: the entry must be complete before they see
  // it counted.
  auto* header = reinterpret_cast<shared::RingTableHeader*>(table_.data());
  std::atomic_ref<uint32_t>(header->count).store(index + 1, std::memory_order_release);
  return true;
}

VkDeviceSize RingPool::TotalBytes() const {
  std::lock_guard lock(mutex_);
  VkDeviceSize total = 0;
  for (const DeviceBuffer& ring : rings_) total += ring.size();
  return total;
}

uint32_t RingPool::RingCount() const {
  std::lock_guard lock(mutex_);
  return static_cast<uint32_t>(rings_.size());
}

Expected<std::shared_ptr<RingPool>> RingPoolOf(Device& device, uint32_t queue_family) {
  const auto pools = device.components.GetOrCreate<RingPools>([] { return std::make_shared<RingPools>(); });
  if (std::shared_ptr<RingPool> pool = pools->Find(queue_family)) return pool;
  // Each queue of a family gets a ring.
  const VkDeviceSize step_budget = device.HasOneQueue(queue_family) ? RingBudgetInsteadOfSteps(device) : 0;
  Expected<std::shared_ptr<RingPool>> made = RingPool::Create(device, step_budget);
  if (!made) return made;
  return pools->InsertIfAbsent(queue_family, *std::move(made));
}

void ForgetRingNeeds(Device& device) {
  const auto pools = device.components.Get<RingPools>();
  if (!pools) return;
  std::lock_guard lock(pools->mutex);
  for (const auto& [family, pool] : pools->by_family) pool->ForgetNeeds();
}

VkDeviceSize RingBudget(const Device& device) {
  if (device.settings.ring_budget != 0)
    return std::min(device.settings.ring_budget * kMiB, WholeLines(MaxBufferBytes(device)));
  const VkDeviceSize wanted = std::clamp<VkDeviceSize>(LargestDeviceHeap(device) / 4, kSmallestRing, 1024 * kMiB);
  return std::min(wanted, MaxWithoutSetting(device));
}

VkDeviceSize RingBudgetInsteadOfSteps(const Device& device) {
  const VkDeviceSize budget = RingBudget(device);
  if (device.settings.ring_budget != 0) return budget;
  return std::max(budget, std::min(WholeLines(LargestDeviceHeap(device) / 8), MaxWithoutSetting(device)));
}

VkDeviceSize LargestRingBudget(const Device& device) {
  return std::min(WholeLines(MaxBufferBytes(device)), LargestDeviceHeap(device) / 2);
}

void ReportCutRingBudget(const Device& device) {
  const VkDeviceSize wanted = device.settings.ring_budget * kMiB;
  if (wanted <= RingBudget(device)) return;
  device.diagnostics.Warning("TRELLIS-setting-ignored",
                             "the setting ring_budget is " + std::to_string(device.settings.ring_budget) +
                                 " MiB, more than fits into a buffer of this device: rings get at most " +
                                 std::to_string(RingBudget(device)) + " bytes",
                             {{VK_OBJECT_TYPE_DEVICE, HandleToU64(device.handle)}});
}

}  // namespace trellis
