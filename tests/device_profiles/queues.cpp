// SPDX-License-Identifier: Apache-2.0
#include "tests/device_profiles/queues.h"

#include <algorithm>

#include "layer/dispatch/struct_chain.h"

namespace trellis::test {
namespace {

constexpr VkQueueFlags kWork = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;

VkSemaphoreSubmitInfo PointInfo(VkSemaphore semaphore, uint64_t value, VkPipelineStageFlags2 stages) {
  auto info = MakeStruct<VkSemaphoreSubmitInfo>();
  info.semaphore = semaphore;
  info.value = value;
  info.stageMask = stages;
  return info;
}

uint64_t ValueAt(const uint64_t* values, uint32_t count, uint32_t index) {
  return values != nullptr && index < count ? values[index] : 0;
}

Batch MakeBatch(const VkSubmitInfo& info) {
  VkTimelineSemaphoreSubmitInfo values = {};
  if (const auto* found = FindStruct<VkTimelineSemaphoreSubmitInfo>(info.pNext)) values = *found;
  Batch batch;
  for (uint32_t i = 0; i < info.waitSemaphoreCount; ++i)
    batch.waits.push_back(PointInfo(info.pWaitSemaphores[i],
                                    ValueAt(values.pWaitSemaphoreValues, values.waitSemaphoreValueCount, i),
                                    info.pWaitDstStageMask[i]));
  for (uint32_t i = 0; i < info.commandBufferCount; ++i) {
    batch.command_buffers.push_back(MakeStruct<VkCommandBufferSubmitInfo>());
    batch.command_buffers.back().commandBuffer = info.pCommandBuffers[i];
  }
  for (uint32_t i = 0; i < info.signalSemaphoreCount; ++i)
    batch.signals.push_back(PointInfo(info.pSignalSemaphores[i],
                                      ValueAt(values.pSignalSemaphoreValues, values.signalSemaphoreValueCount, i),
                                      VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));
  return batch;
}

Batch MakeBatch(const VkSubmitInfo2& info) {
  Batch batch;
  batch.waits.assign(info.pWaitSemaphoreInfos, info.pWaitSemaphoreInfos + info.waitSemaphoreInfoCount);
  batch.command_buffers.assign(info.pCommandBufferInfos, info.pCommandBufferInfos + info.commandBufferInfoCount);
  batch.signals.assign(info.pSignalSemaphoreInfos, info.pSignalSemaphoreInfos + info.signalSemaphoreInfoCount);
  return batch;
}

template <typename Info>
std::vector<Batch> MakeBatches(uint32_t count, const Info* infos) {
  std::vector<Batch> batches;
  for (uint32_t i = 0; i < count; ++i) batches.push_back(MakeBatch(infos[i]));
  return batches;
}

// Returns the number of families if no family does all of `wanted`.
uint32_t DriverFamily(VkQueueFlags wanted, const std::vector<VkQueueFamilyProperties>& driver) {
  const auto found = std::find_if(driver.begin(), driver.end(), [wanted](const VkQueueFamilyProperties& family) {
    return (family.queueFlags & wanted) == wanted;
  });
  return static_cast<uint32_t>(found - driver.begin());
}

}  // namespace

QueueFamilyView MakeQueueFamilyView(const Profile& profile, const std::vector<VkQueueFamilyProperties>& driver) {
  QueueFamilyView view;
  if (profile.queue_families.empty()) {
    view.shown = driver;
    for (uint32_t i = 0; i < driver.size(); ++i) view.driver_families.push_back(i);
    return view;
  }
  for (const QueueFamily& family : profile.queue_families) {
    const uint32_t driver_family = DriverFamily(family.flags & kWork, driver);
    if ((family.flags & kWork) == 0 || driver_family == driver.size()) continue;
    VkQueueFamilyProperties shown = driver[driver_family];
    shown.queueFlags &= family.flags;
    shown.queueCount = family.count;
    shown.timestampValidBits = std::min(shown.timestampValidBits, family.timestamp_valid_bits);
    view.shown.push_back(shown);
    view.driver_families.push_back(driver_family);
  }
  return view;
}

void Queues::Add(VkDevice device, uint32_t family, uint32_t count, VkQueue driver) {
  device_ = device;
  for (uint32_t i = 0; i < count; ++i) {
    queues_.push_back(std::make_unique<Queue>());
    queues_.back()->owner = this;
    queues_.back()->family = family;
    queues_.back()->index = i;
    queues_.back()->driver = driver;
  }
}

Queue* Queues::Find(uint32_t family, uint32_t index) const {
  const auto found = std::find_if(queues_.begin(), queues_.end(), [=](const std::unique_ptr<Queue>& queue) {
    return queue->family == family && queue->index == index;
  });
  return found == queues_.end() ? nullptr : found->get();
}

VkResult Queues::Submit(Queue& queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  return Enqueue(queue, MakeBatches(count, infos), fence);
}

VkResult Queues::Submit2(Queue& queue, uint32_t count, const VkSubmitInfo2* infos, VkFence fence) {
  return Enqueue(queue, MakeBatches(count, infos), fence);
}

// Waits until no batch of any queue is pending: stricter than Vulkan, and enough for the tests.
VkResult Queues::BindSparse(Queue& queue, uint32_t count, const VkBindSparseInfo* infos, VkFence fence) {
  std::unique_lock lock(mutex_);
  forwarded_.wait(lock, [this] { return NothingPending(); });
  return next_.QueueBindSparse(queue.driver, count, infos, fence);
}

VkResult Queues::Enqueue(Queue& queue, std::vector<Batch> batches, VkFence fence) {
  const std::lock_guard lock(mutex_);
  if (batches.empty()) batches.emplace_back();
  batches.back().fence = fence;
  for (Batch& batch : batches) queue.pending.push_back(std::move(batch));
  return ForwardReady();
}

VkResult Queues::ForwardReady() {
  VkResult result = VK_SUCCESS;
  for (bool progress = true; progress;) {
    progress = false;
    for (const std::unique_ptr<Queue>& queue : queues_) {
      while (!queue->pending.empty() && IsReady(queue->pending.front())) {
        const VkResult forwarded = Forward(*queue, queue->pending.front());
        if (forwarded != VK_SUCCESS) result = forwarded;
        queue->pending.pop_front();
        progress = true;
      }
    }
  }
  forwarded_.notify_all();
  return result;
}

bool Queues::IsReady(const Batch& batch) const {
  return std::all_of(batch.waits.begin(), batch.waits.end(), [this](const VkSemaphoreSubmitInfo& wait) {
    const auto timeline = timelines_.find(wait.semaphore);
    return timeline == timelines_.end() ? !WillSignal(wait.semaphore) : timeline->second >= wait.value;
  });
}

bool Queues::WillSignal(VkSemaphore semaphore) const {
  const auto signals = [semaphore](const Batch& batch) {
    return std::any_of(batch.signals.begin(), batch.signals.end(),
                       [semaphore](const VkSemaphoreSubmitInfo& signal) { return signal.semaphore == semaphore; });
  };
  return std::any_of(queues_.begin(), queues_.end(), [&](const std::unique_ptr<Queue>& queue) {
    return std::any_of(queue->pending.begin(), queue->pending.end(), signals);
  });
}

VkResult Queues::Forward(Queue& queue, const Batch& batch) {
  auto info = MakeStruct<VkSubmitInfo2>();
  info.waitSemaphoreInfoCount = static_cast<uint32_t>(batch.waits.size());
  info.pWaitSemaphoreInfos = batch.waits.data();
  info.commandBufferInfoCount = static_cast<uint32_t>(batch.command_buffers.size());
  info.pCommandBufferInfos = batch.command_buffers.data();
  info.signalSemaphoreInfoCount = static_cast<uint32_t>(batch.signals.size());
  info.pSignalSemaphoreInfos = batch.signals.data();
  for (const VkSemaphoreSubmitInfo& signal : batch.signals) {
    if (const auto timeline = timelines_.find(signal.semaphore); timeline != timelines_.end())
      timeline->second = std::max(timeline->second, signal.value);
  }
  return next_.QueueSubmit2(queue.driver, 1, &info, batch.fence);
}

// Waits for a fence: the driver's vkQueueWaitIdle would keep the other queues from submitting.
VkResult Queues::WaitIdle(Queue& queue) {
  auto info = MakeStruct<VkFenceCreateInfo>();
  VkFence fence = VK_NULL_HANDLE;
  VkResult result = next_.CreateFence(device_, &info, nullptr, &fence);
  if (result != VK_SUCCESS) return result;
  {
    std::unique_lock lock(mutex_);
    forwarded_.wait(lock, [&queue] { return queue.pending.empty(); });
    result = next_.QueueSubmit2(queue.driver, 0, nullptr, fence);
  }
  if (result == VK_SUCCESS) result = next_.WaitForFences(device_, 1, &fence, VK_TRUE, UINT64_MAX);
  next_.DestroyFence(device_, fence, nullptr);
  return result;
}

VkResult Queues::WaitDeviceIdle() {
  std::unique_lock lock(mutex_);
  forwarded_.wait(lock, [this] { return NothingPending(); });
  return next_.DeviceWaitIdle(device_);
}

bool Queues::NothingPending() const {
  return std::all_of(queues_.begin(), queues_.end(),
                     [](const std::unique_ptr<Queue>& queue) { return queue->pending.empty(); });
}

void Queues::AddTimeline(VkSemaphore semaphore, uint64_t value) {
  const std::lock_guard lock(mutex_);
  timelines_[semaphore] = value;
}

void Queues::Remove(VkSemaphore semaphore) {
  const std::lock_guard lock(mutex_);
  timelines_.erase(semaphore);
}

void Queues::Signalled(VkSemaphore semaphore, uint64_t value) {
  const std::lock_guard lock(mutex_);
  if (const auto timeline = timelines_.find(semaphore); timeline != timelines_.end())
    timeline->second = std::max(timeline->second, value);
  (void)ForwardReady();
}

}  // namespace trellis::test
