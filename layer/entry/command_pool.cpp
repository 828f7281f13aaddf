#include "layer/objects/command_pool.h"

#include "layer/entry/hooks.h"
#include "layer/objects/registry.h"

namespace trellis::entry {

namespace {

void Forget(VkCommandBuffer handle) {
  if (const std::shared_ptr<CommandBuffer> recording = CommandBuffers().Take(handle)) recording->Discard();
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo* info,
                                                 const VkAllocationCallbacks* allocator, VkCommandPool* pool) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const VkResult result = object->dispatch.CreateCommandPool(device, info, allocator, pool);
  if (result != VK_SUCCESS) return result;
  const bool is_protected = (info->flags & VK_COMMAND_POOL_CREATE_PROTECTED_BIT) != 0;
  object->command_pools.Insert(
      *pool, std::make_shared<CommandPool>(CommandPool{*pool, info->queueFamilyIndex, is_protected, {}}));
  return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyCommandPool(VkDevice device, VkCommandPool pool,
                                              const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> object = FindDevice(device);
  if (const std::shared_ptr<CommandPool> taken = object->command_pools.Take(pool))
    for (VkCommandBuffer command_buffer : taken->command_buffers) Forget(command_buffer);
  object->dispatch.DestroyCommandPool(device, pool, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL ResetCommandPool(VkDevice device, VkCommandPool pool, VkCommandPoolResetFlags flags) {
  const std::shared_ptr<Device> object = FindDevice(device);
  if (const std::shared_ptr<CommandPool> known = object->command_pools.Find(pool))
    for (VkCommandBuffer command_buffer : known->command_buffers)
      if (const auto recording = CommandBuffers().Find(command_buffer)) recording->Discard();
  return object->dispatch.ResetCommandPool(device, pool, flags);
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                                      VkCommandBuffer* command_buffers) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const std::shared_ptr<CommandPool> pool = object->command_pools.Find(info->commandPool);
  const VkResult result = object->dispatch.AllocateCommandBuffers(device, info, command_buffers);
  if (result != VK_SUCCESS) return result;
  for (uint32_t i = 0; i < info->commandBufferCount; ++i) {
    auto made = std::make_shared<CommandBuffer>(*object, command_buffers[i]);
    made->level = info->level;
    if (pool) {
      made->queue_family = pool->queue_family;
      made->is_protected = pool->is_protected;
      pool->command_buffers.insert(command_buffers[i]);
    }
    CommandBuffers().Insert(command_buffers[i], std::move(made));
  }
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL FreeCommandBuffers(VkDevice device, VkCommandPool pool, uint32_t count,
                                              const VkCommandBuffer* command_buffers) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const std::shared_ptr<CommandPool> known = object->command_pools.Find(pool);
  for (uint32_t i = 0; i < count; ++i) {
    if (known) known->command_buffers.erase(command_buffers[i]);
    Forget(command_buffers[i]);
  }
  object->dispatch.FreeCommandBuffers(device, pool, count, command_buffers);
}

}  // namespace trellis::entry
