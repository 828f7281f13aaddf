// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/queue.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "layer/entry/hooks.h"
#include "layer/memory/ring_pool.h"
#include "layer/objects/durations.h"
#include "layer/objects/registry.h"
#include "layer/replay/replay.h"

namespace trellis::entry {

namespace {

void TrackQueue(Device& device, VkQueue handle, uint32_t family) {
  if (!handle) return;
  auto queue = std::make_shared<Queue>();
  queue->device = &device;
  queue->handle = handle;
  queue->family = family;
  // A queue that is asked for again keeps its object.
  if (Queues().InsertIfAbsent(handle, queue) != queue) return;
  std::lock_guard lock(device.queue_mutex);
  device.queues.insert(handle);
}

// What the command buffers of one submission need for their graphs. Both forms of submission add to it.
struct GraphNeeds {
  bool any_graph = false;
  VkDeviceSize ring_bytes = 0;
  std::vector<std::shared_ptr<SharedDurations>> reported;  // setting `report`: what the submission adds to
  CpuClock clock;                                          // running if there is any

  void Add(VkCommandBuffer command_buffer) {
    const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
    if (!object) return;
    if (reported.empty() && !object->submissions.empty()) clock = CpuClock(true);
    reported.insert(reported.end(), object->submissions.begin(), object->submissions.end());
    if (!object->holds_graph) return;
    any_graph = true;
    ring_bytes = std::max(ring_bytes, object->ring_bytes);
  }
};

VkResult Polled(Device& device, VkResult result) {
  PollReports(device);
  if (result == VK_ERROR_DEVICE_LOST) WriteReport(device, "device_lost");
  return result;
}

// Calls submit(device), which returns the driver's result, once there is what the submission needs.
template <typename Submit>
VkResult SubmitGraphs(VkQueue handle, const GraphNeeds& needs, Submit&& submit) {
  if (needs.any_graph) {
    const std::shared_ptr<Queue> queue = Queues().Find(handle);
    // There was no memory to take note of the queue when the application asked for it.
    if (!queue) return VK_ERROR_OUT_OF_HOST_MEMORY;
    PollReports(*queue->device);
    const VkResult prepared = PrepareGraphSubmission(*queue, needs.ring_bytes);
    if (prepared != VK_SUCCESS) return prepared;
  }
  const std::shared_ptr<Device> device = FindDevice(handle);
  const VkResult result = submit(*device);
  if (result == VK_ERROR_DEVICE_LOST) return Polled(*device, result);
  if (result == VK_SUCCESS && !needs.reported.empty()) {
    const double nanoseconds = needs.clock.Nanoseconds();
    for (const std::shared_ptr<SharedDurations>& submissions : needs.reported) submissions->Add(nanoseconds);
  }
  return result;
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue(VkDevice device, uint32_t family, uint32_t index, VkQueue* queue) {
  const std::shared_ptr<Device> object = FindDevice(device);
  object->dispatch.GetDeviceQueue(device, family, index, queue);
  TrackQueue(*object, *queue, family);
}

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2* info, VkQueue* queue) {
  const std::shared_ptr<Device> object = FindDevice(device);
  object->dispatch.GetDeviceQueue2(device, info, queue);
  TrackQueue(*object, *queue, info->queueFamilyIndex);
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits, VkFence fence) {
  GraphNeeds needs;
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t j = 0; j < submits[i].commandBufferCount; ++j) needs.Add(submits[i].pCommandBuffers[j]);
  return SubmitGraphs(queue, needs,
                      [&](const Device& device) { return device.dispatch.QueueSubmit(queue, count, submits, fence); });
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2* submits,
                                            VkFence fence) {
  GraphNeeds needs;
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t j = 0; j < submits[i].commandBufferInfoCount; ++j)
      needs.Add(submits[i].pCommandBufferInfos[j].commandBuffer);
  return SubmitGraphs(queue, needs,
                      [&](const Device& device) { return device.dispatch.QueueSubmit2(queue, count, submits, fence); });
}

VKAPI_ATTR VkResult VKAPI_CALL QueueWaitIdle(VkQueue queue) {
  const std::shared_ptr<Device> object = FindDevice(queue);
  return Polled(*object, object->dispatch.QueueWaitIdle(queue));
}

VKAPI_ATTR VkResult VKAPI_CALL DeviceWaitIdle(VkDevice device) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const VkResult result = object->dispatch.DeviceWaitIdle(device);
  if (result == VK_SUCCESS) ForgetRingNeeds(*object);
  return Polled(*object, result);
}

VKAPI_ATTR VkResult VKAPI_CALL WaitForFences(VkDevice device, uint32_t count, const VkFence* fences, VkBool32 wait_all,
                                             uint64_t timeout) {
  const std::shared_ptr<Device> object = FindDevice(device);
  return Polled(*object, object->dispatch.WaitForFences(device, count, fences, wait_all, timeout));
}

VKAPI_ATTR VkResult VKAPI_CALL GetFenceStatus(VkDevice device, VkFence fence) {
  const std::shared_ptr<Device> object = FindDevice(device);
  return Polled(*object, object->dispatch.GetFenceStatus(device, fence));
}

VKAPI_ATTR VkResult VKAPI_CALL WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo* info, uint64_t timeout) {
  const std::shared_ptr<Device> object = FindDevice(device);
  return Polled(*object, object->dispatch.WaitSemaphores(device, info, timeout));
}

VKAPI_ATTR VkResult VKAPI_CALL GetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore, uint64_t* value) {
  const std::shared_ptr<Device> object = FindDevice(device);
  return Polled(*object, object->dispatch.GetSemaphoreCounterValue(device, semaphore, value));
}

}  // namespace trellis::entry
