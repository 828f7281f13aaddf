// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "layer/device/buffer_usage.h"
#include "layer/dispatch/struct_chain.h"
#include "layer/entry/hooks.h"
#include "layer/entry/scoped_undo.h"
#include "layer/memory/scratch_layout.h"
#include "layer/objects/registry.h"

namespace trellis::entry {

namespace {

void RequireScratchAlignment(VkMemoryRequirements& requirements) {
  requirements.alignment = std::max<VkDeviceSize>(requirements.alignment, kScratchBufferAlignment);
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateBuffer(VkDevice device, const VkBufferCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkBuffer* buffer) {
  const std::shared_ptr<Device> object = FindDevice(device);
  Arena arena;
  const VkBufferCreateInfo* below = EditBufferUsage(*info, object->emulates_maintenance5, arena);
  const VkResult result = object->dispatch.CreateBuffer(device, below, allocator, buffer);
  if (result != VK_SUCCESS || !object->emulates_graphs) return result;
  ScopedUndo undo([&] {
    object->scratch_buffers.Erase(*buffer);
    object->dispatch.DestroyBuffer(device, *buffer, allocator);
  });
  const VkBufferUsageFlags2 usage = EffectiveUsage(*info);
  if (IsScratchUsage(usage)) object->scratch_buffers.Insert(*buffer, info->size);
  if (object->settings.validate && (usage & VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT))
    object->indirect_buffers.Insert(*buffer, info->size);
  undo.Keep();
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> object = FindDevice(device);
  object->scratch_buffers.Erase(buffer);
  object->indirect_buffers.Erase(buffer);
  object->dispatch.DestroyBuffer(device, buffer, allocator);
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL GetBufferDeviceAddress(VkDevice device, const VkBufferDeviceAddressInfo* info) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const VkDeviceAddress address = object->dispatch.GetBufferDeviceAddress(device, info);
  object->scratch_buffers.TellAddress(info->buffer, address);
  object->indirect_buffers.TellAddress(info->buffer, address);
  return address;
}

VKAPI_ATTR void VKAPI_CALL GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer,
                                                       VkMemoryRequirements* requirements) {
  const std::shared_ptr<Device> object = FindDevice(device);
  object->dispatch.GetBufferMemoryRequirements(device, buffer, requirements);
  if (object->scratch_buffers.Has(buffer)) RequireScratchAlignment(*requirements);
}

VKAPI_ATTR void VKAPI_CALL GetBufferMemoryRequirements2(VkDevice device, const VkBufferMemoryRequirementsInfo2* info,
                                                        VkMemoryRequirements2* requirements) {
  const std::shared_ptr<Device> object = FindDevice(device);
  object->dispatch.GetBufferMemoryRequirements2(device, info, requirements);
  if (object->scratch_buffers.Has(info->buffer)) RequireScratchAlignment(requirements->memoryRequirements);
}

VKAPI_ATTR void VKAPI_CALL GetDeviceBufferMemoryRequirements(VkDevice device,
                                                             const VkDeviceBufferMemoryRequirements* info,
                                                             VkMemoryRequirements2* requirements) {
  const std::shared_ptr<Device> object = FindDevice(device);
  Arena arena;
  VkDeviceBufferMemoryRequirements below = *info;
  below.pCreateInfo = EditBufferUsage(*info->pCreateInfo, object->emulates_maintenance5, arena);
  object->dispatch.GetDeviceBufferMemoryRequirements(device, &below, requirements);
  if (object->emulates_graphs && IsScratchUsage(EffectiveUsage(*info->pCreateInfo)))
    RequireScratchAlignment(requirements->memoryRequirements);
}

// With maintenance5 a buffer view may say which of its buffer's usages it has; without, it has all of them, which is
// more and so does as well.
VKAPI_ATTR VkResult VKAPI_CALL CreateBufferView(VkDevice device, const VkBufferViewCreateInfo* info,
                                                const VkAllocationCallbacks* allocator, VkBufferView* view) {
  const std::shared_ptr<Device> object = FindDevice(device);
  Arena arena;
  VkBufferViewCreateInfo below = *info;
  if (object->emulates_maintenance5) RemoveFromChain(&below, VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO, arena);
  return object->dispatch.CreateBufferView(device, &below, allocator, view);
}

}  // namespace trellis::entry
