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
#include "meta_shaders/shared/graph_data.h"

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

Expected<DeviceBuffer> MakeRing(const Device& device, VkDeviceSize bytes) {
  // Doubling, so that a graph that grows step by step does not leave a ring behind at every step; but never past the
  // budget for the sake of growth.
  const VkDeviceSize generous =
      std::max(bytes, std::min(std::bit_ceil(std::max(bytes, kSmallestRing)), RingBudget(device)));
  Expected<DeviceBuffer> ring = DeviceBuffer::Create(device, generous, BufferMemory::kDevice, "trellis ring");
  if (!ring && generous > bytes) ring = DeviceBuffer::Create(device, bytes, BufferMemory::kDevice, "trellis ring");
  return ring;
}

}  // namespace

RingPool::RingPool(const Device& device, DeviceBuffer table) : device_(device), table_(std::move(table)) {}

Expected<std::shared_ptr<RingPool>> RingPool::Create(const Device& device) {
  const VkDeviceSize bytes = sizeof(shared::RingTableHeader) + kMostRings * sizeof(shared::RingEntry);
  Expected<DeviceBuffer> table = DeviceBuffer::Create(device, bytes, BufferMemory::kHostLocal, "trellis ring table");
  if (!table) return table.error();
  return std::shared_ptr<RingPool>(new RingPool(device, *std::move(table)));
}

VkResult RingPool::EnsureRings(VkQueue queue, VkDeviceSize bytes) {
  if (!MissingRing(queue, bytes)) return VK_SUCCESS;
  std::lock_guard making(making_);
  while (const std::optional<VkDeviceSize> missing = MissingRing(queue, bytes)) {
    Expected<DeviceBuffer> ring = MakeRing(device_, *missing);
    if (!ring) {
      device_.diagnostics.Error(
          "TRELLIS-ring-allocation",
          ring.error().message + "; a smaller setting ring_budget makes graphs that cannot be bounded use less");
      return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    if (!Publish(*std::move(ring))) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  }
  return VK_SUCCESS;
}

VkDeviceAddress RingPool::FindRing(VkDeviceSize bytes) const {
  std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(rings_.begin(), rings_.end(), [bytes](const DeviceBuffer& ring) { return ring.size() >= bytes; });
  return found == rings_.end() ? 0 : found->address();
}

VkDeviceAddress RingPool::RingWith(VkDeviceSize bytes) {
  if (const VkDeviceAddress ring = FindRing(bytes)) return ring;
  std::lock_guard making(making_);
  if (const VkDeviceAddress ring = FindRing(bytes)) return ring;
  Expected<DeviceBuffer> made = MakeRing(device_, bytes);
  if (!made) return 0;
  const VkDeviceAddress ring = made->address();
  return Publish(*std::move(made)) ? ring : 0;
}

std::optional<VkDeviceSize> RingPool::MissingRing(VkQueue queue, VkDeviceSize bytes) {
  std::lock_guard lock(mutex_);
  const VkDeviceSize need = std::max(largest_need_, bytes);
  const size_t queues = queues_.size() + (queues_.count(queue) == 0 ? 1 : 0);
  const auto enough =
      std::count_if(rings_.begin(), rings_.end(), [need](const DeviceBuffer& ring) { return ring.size() >= need; });
  if (static_cast<size_t>(enough) < queues) return need;
  queues_.insert(queue);
  largest_need_ = need;
  return std::nullopt;
}

bool RingPool::Publish(DeviceBuffer ring) {
  std::lock_guard lock(mutex_);
  if (rings_.size() >= kMostRings) return false;
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
  const auto pools = device.attachments.GetOrCreate<RingPools>([] { return std::make_shared<RingPools>(); });
  if (std::shared_ptr<RingPool> pool = pools->Find(queue_family)) return pool;
  Expected<std::shared_ptr<RingPool>> made = RingPool::Create(device);
  if (!made) return made;
  return pools->InsertIfAbsent(queue_family, *std::move(made));
}

VkDeviceSize RingBudget(const Device& device) {
  // The layouts of rings are multiples of cache lines.
  const auto whole_lines = [](VkDeviceSize bytes) { return bytes / 256 * 256; };
  const VkDeviceSize most = whole_lines(MostBufferBytes(device));
  if (device.settings.ring_budget != 0) return std::min(device.settings.ring_budget * kMiB, most);
  VkDeviceSize largest_heap = 0;
  const VkPhysicalDeviceMemoryProperties& memory = device.memory_properties;
  for (uint32_t heap = 0; heap < memory.memoryHeapCount; ++heap)
    if (memory.memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      largest_heap = std::max(largest_heap, memory.memoryHeaps[heap].size);
  const VkDeviceSize safe = whole_lines(BytesWithoutSlack(device.traits.max_allocation_bytes));
  return std::min({std::clamp<VkDeviceSize>(largest_heap / 4, kSmallestRing, 1024 * kMiB), most, safe});
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
