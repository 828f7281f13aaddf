// The rings that graphs keep their records in: one pool for each queue family of a device.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <vector>

#include "layer/memory/device_buffer.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

// The rings of one queue family, and the table through which shaders find them (RingTableHeader, RingEntry[]). A graph
// finds its ring on the device when it begins, or is recorded with one (RingWith); where the device has several queues
// of the family it claims it, and gives it back when it ends. A queue runs one graph at a time, so one ring for each
// queue that has seen a graph is enough.
//
// Rings are only ever added: an entry that a shader may hold never changes. Sizes grow geometrically, so what is left
// behind is at most as much as is in use. Threading: any thread. Ownership: rings and table live until the pool dies,
// with the device.
class RingPool {
 public:
  // Rings that a table can hold. Sizes double and there are few queues, so this is never reached.
  static constexpr uint32_t kMostRings = 1024;

  // Fails when memory for the table runs out.
  [[nodiscard]] static Expected<std::shared_ptr<RingPool>> Create(const Device& device);

  // Address of the table: the same for the pool's whole life, so it can be recorded.
  [[nodiscard]] VkDeviceAddress table() const { return table_.address(); }

  // Makes sure that graphs that need up to `bytes` find a ring when they run on `queue`. To be called before the
  // submission that needs it. VK_ERROR_OUT_OF_DEVICE_MEMORY when that is impossible: then it is as if nobody had asked,
  // and smaller graphs go on.
  [[nodiscard]] VkResult EnsureRings(VkQueue queue, VkDeviceSize bytes);

  // For queue families of one queue, where no graph claims a ring: the base of one with room for `bytes`, which graphs
  // may be recorded with; it is made if there is none. 0 when that is impossible.
  [[nodiscard]] VkDeviceAddress RingWith(VkDeviceSize bytes);

  // Bytes of all rings of this pool.
  [[nodiscard]] VkDeviceSize TotalBytes() const;
  [[nodiscard]] uint32_t RingCount() const;

 private:
  RingPool(const Device& device, DeviceBuffer table);
  // Bytes of a ring that is missing for that; nothing if none is, and then the pool counts on `queue` and `bytes`.
  [[nodiscard]] std::optional<VkDeviceSize> MissingRing(VkQueue queue, VkDeviceSize bytes);
  [[nodiscard]] VkDeviceAddress FindRing(VkDeviceSize bytes) const;
  // False if the table is full.
  [[nodiscard]] bool Publish(DeviceBuffer ring);

  const Device& device_;
  const DeviceBuffer table_;
  std::mutex making_;         // held while a ring is made, so that threads do not make one each; taken before mutex_
  mutable std::mutex mutex_;  // guards what follows, and writing the table
  std::unordered_set<VkQueue> queues_;
  // Any ring may be taken by any graph that fits, so all the rings that count have room for the largest.
  VkDeviceSize largest_need_ = 0;
  std::vector<DeviceBuffer> rings_;
};

// The pool of a queue family; made when it is first asked for.
[[nodiscard]] Expected<std::shared_ptr<RingPool>> RingPoolOf(Device& device, uint32_t queue_family);

// The most that one ring is meant to have, in bytes: the setting `ring_budget`, else a quarter of the largest
// device-local heap, at most 1 GiB and what the device promises to allocate at once. Never more than a buffer can have.
[[nodiscard]] VkDeviceSize RingBudget(const Device& device);

// Warns if the setting `ring_budget` is more than a buffer of the device can have.
void ReportCutRingBudget(const Device& device);

}  // namespace trellis
