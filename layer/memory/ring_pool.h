// SPDX-License-Identifier: Apache-2.0
// The rings that graphs keep their records in: one pool for each queue family of a device.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
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
// behind is at most as much as is in use. Where the driver has no memory for a ring, the pool lowers its budget: graphs
// that are recorded later are planned for smaller rings. Threading: any thread. Ownership: rings and table live until
// the pool dies, with the device.
class RingPool {
 public:
  // Rings that a table can hold. Sizes double and there are few queues, so this is never reached.
  static constexpr uint32_t kMaxRings = 1024;

  // `step_budget`: bytes, see step_budget(). Fails when memory for the table runs out.
  [[nodiscard]] static Expected<std::shared_ptr<RingPool>> Create(const Device& device, VkDeviceSize step_budget = 0);

  // Address of the table: the same for the pool's whole life, so it can be recorded.
  [[nodiscard]] VkDeviceAddress table() const { return table_.address(); }

  // Makes sure that graphs that need up to `bytes` find a ring when they run on `queue`. To be called before the
  // submission that needs it. Returns VK_ERROR_OUT_OF_DEVICE_MEMORY, after a message, when that is impossible: `queue`
  // and `bytes` do not count then, and smaller graphs go on. If `queue` is a further queue and there is memory for a
  // smaller ring, the pool keeps that one and lowers its budget.
  [[nodiscard]] VkResult EnsureRings(VkQueue queue, VkDeviceSize bytes);

  // Makes the rings with room for `bytes` that are missing: one for each queue that graphs were submitted to, and one
  // if there is no such queue. Returns the base of the first; in queue families of one queue, where no graph claims a
  // ring, graphs may be recorded with it. Returns 0 when the driver has no memory.
  [[nodiscard]] VkDeviceAddress RingWith(VkDeviceSize bytes);

  // Returns the bytes of a ring that dispatches are planned for: full_budget(), or less after LowerBudget.
  [[nodiscard]] VkDeviceSize budget() const;
  [[nodiscard]] VkDeviceSize full_budget() const { return full_budget_; }  // RingBudget
  // Returns the bytes of a ring for dispatches that would run in steps with a ring of budget(): no more than the
  // largest ring that is there once the driver had no memory for such a ring, and budget() after LowerBudget.
  [[nodiscard]] VkDeviceSize step_budget() const;
  void GiveUpStepBudget();
  // Returns the next budget to plan with where `budget` led to a ring of `bytes` that cannot be had: a half of it, or
  // less, or a ring that is there. 0: none is left.
  [[nodiscard]] VkDeviceSize SmallerBudget(VkDeviceSize budget, VkDeviceSize bytes) const;
  // Lowers budget() to `budget`, for good, and warns. `missing`: bytes of the ring that could not be had. Does nothing
  // where the budget is as low already.
  void LowerBudget(VkDeviceSize budget, VkDeviceSize missing);

  // Call when no graph runs or waits on any queue of the device: graphs that were submitted before no longer count in
  // EnsureRings.
  void ForgetNeeds();

  // Bytes of all rings of this pool.
  [[nodiscard]] VkDeviceSize TotalBytes() const;
  [[nodiscard]] uint32_t RingCount() const;

 private:
  RingPool(const Device& device, DeviceBuffer table, VkDeviceSize step_budget);
  // Bytes of a ring that is missing for that; nothing if none is, and then the pool counts on `queue` and `bytes`.
  [[nodiscard]] std::optional<VkDeviceSize> MissingRing(VkQueue queue, VkDeviceSize bytes);
  // Rings with room for `bytes`. Call with mutex_ held.
  [[nodiscard]] size_t CountRings(VkDeviceSize bytes) const;
  [[nodiscard]] bool HasRing(VkDeviceSize bytes) const;
  // As RingWith, but makes none.
  [[nodiscard]] VkDeviceAddress FindRing(VkDeviceSize bytes) const;
  [[nodiscard]] Expected<DeviceBuffer> MakeRing(VkDeviceSize bytes) const;
  // For EnsureRings, which found no memory for a ring of `missing` bytes. Returns what the message says to do.
  [[nodiscard]] std::string FallBack(VkDeviceSize missing);
  // False if the table is full.
  [[nodiscard]] bool Publish(DeviceBuffer ring);

  const Device& device_;
  const DeviceBuffer table_;
  const VkDeviceSize full_budget_;
  std::mutex making_;         // held while a ring is made, so that threads do not make one each; taken before mutex_
  mutable std::mutex mutex_;  // guards what follows, and writing the table
  std::unordered_set<VkQueue> queues_;
  // Any ring may be taken by any graph that fits, so all the rings that count have room for the largest.
  VkDeviceSize largest_need_ = 0;
  VkDeviceSize budget_ = full_budget_;
  VkDeviceSize step_budget_ = 0;
  std::vector<DeviceBuffer> rings_;
};

// The pool of a queue family; made when it is first asked for.
[[nodiscard]] Expected<std::shared_ptr<RingPool>> RingPoolOf(Device& device, uint32_t queue_family);
// Calls RingPool::ForgetNeeds for all pools of the device.
void ForgetRingNeeds(Device& device);

// The most that one ring is meant to have, in bytes: the setting `ring_budget`, else a quarter of the largest
// device-local heap, at most 1 GiB and what the device promises to allocate at once. Never more than a buffer can have.
[[nodiscard]] VkDeviceSize RingBudget(const Device& device);

// The most that a ring is meant to have where less would make a graph run in steps: without the setting `ring_budget`
// an eighth of the largest device-local heap, and no more than the device promises to allocate at once. At least
// RingBudget.
[[nodiscard]] VkDeviceSize RingBudgetInsteadOfSteps(const Device& device);

// Returns the largest `ring_budget`, in bytes, that can help on this device: more fits into no buffer, or leaves too
// little of its largest device-local heap to others.
[[nodiscard]] VkDeviceSize LargestRingBudget(const Device& device);

// Warns if the setting `ring_budget` is more than a buffer of the device can have.
void ReportCutRingBudget(const Device& device);

}  // namespace trellis
