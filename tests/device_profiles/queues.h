// SPDX-License-Identifier: Apache-2.0
// The queues of a profile, emulated with one queue of the driver. A batch is forwarded to the driver once every
// semaphore signal it waits for has been forwarded or made by the host. Until then it is pending, and so are the
// batches behind it on its queue. So a queue can wait for a signal that another queue submits later, as on a device
// with several queues. Chains of VkSubmitInfo and VkSubmitInfo2 are dropped, except for the values of timeline
// semaphores.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "tests/device_profiles/functions.h"
#include "tests/device_profiles/profile.h"

namespace trellis::test {

// The queue families of a profile, and the driver's family behind each.
struct QueueFamilyView {
  std::vector<VkQueueFamilyProperties> shown;
  std::vector<uint32_t> driver_families;

  [[nodiscard]] uint32_t DriverFamily(uint32_t shown_family) const {
    return shown_family < driver_families.size() ? driver_families[shown_family] : shown_family;
  }
};

// Omits families with kinds of work that no family of the driver does.
[[nodiscard]] QueueFamilyView MakeQueueFamilyView(const Profile& profile,
                                                  const std::vector<VkQueueFamilyProperties>& driver);

class Queues;

struct Batch {
  std::vector<VkSemaphoreSubmitInfo> waits;
  std::vector<VkCommandBufferSubmitInfo> command_buffers;
  std::vector<VkSemaphoreSubmitInfo> signals;
  VkFence fence = VK_NULL_HANDLE;
};

// The object behind a VkQueue of this layer.
struct Queue {
  // Dispatchable objects begin with a word for the loader, which drivers set to ICD_LOADER_MAGIC.
  uintptr_t loader_word = 0x01CDC0DE;
  Queues* owner = nullptr;
  uint32_t family = 0;
  uint32_t index = 0;
  VkQueue driver = VK_NULL_HANDLE;
  std::deque<Batch> pending;  // Queues' mutex guards it

  [[nodiscard]] static Queue& Of(VkQueue handle) { return *reinterpret_cast<Queue*>(handle); }
  [[nodiscard]] VkQueue handle() { return reinterpret_cast<VkQueue>(this); }
};

// Threading: any thread.
class Queues {
 public:
  explicit Queues(const DeviceFunctions& next) : next_(next) {}

  void Add(VkDevice device, uint32_t family, uint32_t count, VkQueue driver);
  [[nodiscard]] VkDevice device() const { return device_; }
  // Null if the device was created without that queue.
  [[nodiscard]] Queue* Find(uint32_t family, uint32_t index) const;
  // The driver's queue; null handles stay null.
  [[nodiscard]] static VkQueue Driver(VkQueue handle) {
    return handle == VK_NULL_HANDLE ? VK_NULL_HANDLE : Queue::Of(handle).driver;
  }

  VkResult Submit(Queue& queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence);
  VkResult Submit2(Queue& queue, uint32_t count, const VkSubmitInfo2* infos, VkFence fence);
  VkResult BindSparse(Queue& queue, uint32_t count, const VkBindSparseInfo* infos, VkFence fence);
  VkResult WaitIdle(Queue& queue);
  VkResult WaitDeviceIdle();

  void AddTimeline(VkSemaphore semaphore, uint64_t value);
  void Remove(VkSemaphore semaphore);
  // Call after a signal by the host.
  void Signalled(VkSemaphore semaphore, uint64_t value);

 private:
  VkResult Enqueue(Queue& queue, std::vector<Batch> batches, VkFence fence);
  // Call these with the mutex held.
  VkResult ForwardReady();
  VkResult Forward(Queue& queue, const Batch& batch);
  [[nodiscard]] bool IsReady(const Batch& batch) const;
  [[nodiscard]] bool WillSignal(VkSemaphore semaphore) const;
  [[nodiscard]] bool NothingPending() const;

  const DeviceFunctions& next_;
  VkDevice device_ = VK_NULL_HANDLE;
  std::vector<std::unique_ptr<Queue>> queues_;  // constant once the device exists
  std::mutex mutex_;                            // guards what follows, and the driver's queues
  std::condition_variable forwarded_;
  std::unordered_map<VkSemaphore, uint64_t> timelines_;  // the highest value that was forwarded or signalled
};

}  // namespace trellis::test
