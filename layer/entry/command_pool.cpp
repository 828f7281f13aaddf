// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/command_pool.h"

#include <algorithm>
#include <span>

#include "layer/entry/hooks.h"
#include "layer/entry/scoped_undo.h"
#include "layer/objects/registry.h"

namespace trellis::entry {

namespace {

// `pool`: null if it is not known.
void Forget(CommandPool* pool, std::span<const VkCommandBuffer> handles) {
  for (VkCommandBuffer handle : handles) {
    if (pool) pool->command_buffers.erase(handle);
    if (const std::shared_ptr<CommandBuffer> object = CommandBuffers().Take(handle)) object->Discard();
  }
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo* info,
                                                 const VkAllocationCallbacks* allocator, VkCommandPool* pool) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const VkResult result = object->dispatch.CreateCommandPool(device, info, allocator, pool);
  if (result != VK_SUCCESS) return result;
  ScopedUndo undo([&] { object->dispatch.DestroyCommandPool(device, *pool, allocator); });
  const bool is_protected = (info->flags & VK_COMMAND_POOL_CREATE_PROTECTED_BIT) != 0;
  object->command_pools.Insert(*pool,
                               std::make_shared<CommandPool>(CommandPool{info->queueFamilyIndex, is_protected, {}}));
  undo.Keep();
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyCommandPool(VkDevice device, VkCommandPool pool,
                                              const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> object = FindDevice(device);
  if (const std::shared_ptr<CommandPool> taken = object->command_pools.Take(pool))
    for (VkCommandBuffer command_buffer : taken->command_buffers) Forget(nullptr, {&command_buffer, 1});
  object->dispatch.DestroyCommandPool(device, pool, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL ResetCommandPool(VkDevice device, VkCommandPool pool, VkCommandPoolResetFlags flags) {
  const std::shared_ptr<Device> object = FindDevice(device);
  if (const std::shared_ptr<CommandPool> known = object->command_pools.Find(pool))
    for (VkCommandBuffer handle : known->command_buffers)
      if (const std::shared_ptr<CommandBuffer> command_buffer = FindCommandBuffer(handle)) command_buffer->Discard();
  return object->dispatch.ResetCommandPool(device, pool, flags);
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                                      VkCommandBuffer* command_buffers) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const std::shared_ptr<CommandPool> pool = object->command_pools.Find(info->commandPool);
  const VkResult result = object->dispatch.AllocateCommandBuffers(device, info, command_buffers);
  if (result != VK_SUCCESS) return result;
  const std::span handles(command_buffers, info->commandBufferCount);
  ScopedUndo undo([&] {
    Forget(pool.get(), handles);
    object->dispatch.FreeCommandBuffers(device, info->commandPool, info->commandBufferCount, command_buffers);
    std::fill(handles.begin(), handles.end(), VkCommandBuffer{VK_NULL_HANDLE});
  });
  for (VkCommandBuffer handle : handles) {
    auto made = std::make_shared<CommandBuffer>(*object, handle);
    made->level = info->level;
    if (pool) {
      made->queue_family = pool->queue_family;
      made->is_protected = pool->is_protected;
      pool->command_buffers.insert(handle);
    }
    CommandBuffers().Insert(handle, std::move(made));
  }
  undo.Keep();
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL FreeCommandBuffers(VkDevice device, VkCommandPool pool, uint32_t count,
                                              const VkCommandBuffer* command_buffers) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const std::shared_ptr<CommandPool> known = object->command_pools.Find(pool);
  Forget(known.get(), {command_buffers, count});
  object->dispatch.FreeCommandBuffers(device, pool, count, command_buffers);
}

}  // namespace trellis::entry
