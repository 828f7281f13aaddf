// SPDX-License-Identifier: Apache-2.0
// Memory, queues and dispatches of a device.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "layer/dispatch/struct_chain.h"
#include "tests/device_profiles/device.h"
#include "tests/device_profiles/formats.h"
#include "tests/support/layer_hooks.h"

namespace trellis::test {
namespace {

VKAPI_ATTR void VKAPI_CALL DestroyDevice(VkDevice handle, const VkAllocationCallbacks* allocator) {
  if (handle == VK_NULL_HANDLE) return;
  const std::unique_ptr<Device> device = TakeDevice(handle);
  device->indirect_dispatches = nullptr;
  device->next.DestroyDevice(handle, allocator);
}

// Memory

VKAPI_ATTR VkResult VKAPI_CALL AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo* info,
                                              const VkAllocationCallbacks* allocator, VkDeviceMemory* memory) {
  Device& device = DeviceOf(handle);
  const VkPhysicalDeviceMemoryProperties& shown = device.memory.shown;
  if (info->memoryTypeIndex >= shown.memoryTypeCount) {
    device.instance->Report("vkAllocateMemory: there is no memory type " + std::to_string(info->memoryTypeIndex));
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  }
  const VkMemoryType& type = shown.memoryTypes[info->memoryTypeIndex];
  if (info->allocationSize > std::min(device.max_allocation_size, shown.memoryHeaps[type.heapIndex].size))
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  VkMemoryAllocateInfo edited = *info;
  edited.memoryTypeIndex = device.memory.driver_types[info->memoryTypeIndex];
  const VkResult result = device.next.AllocateMemory(handle, &edited, allocator, memory);
  constexpr VkMemoryPropertyFlags kHost = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  if (result == VK_SUCCESS && (type.propertyFlags & kHost) == VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)
    device.incoherent.Add(*memory, info->allocationSize);
  return result;
}

VKAPI_ATTR void VKAPI_CALL FreeMemory(VkDevice handle, VkDeviceMemory memory, const VkAllocationCallbacks* allocator) {
  Device& device = DeviceOf(handle);
  device.incoherent.Remove(memory);
  device.next.FreeMemory(handle, memory, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL MapMemory(VkDevice handle, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                                         VkMemoryMapFlags flags, void** data) {
  Device& device = DeviceOf(handle);
  if (device.incoherent.Holds(memory)) return device.incoherent.Map(handle, memory, offset, data);
  return device.next.MapMemory(handle, memory, offset, size, flags, data);
}

VKAPI_ATTR VkResult VKAPI_CALL MapMemory2(VkDevice handle, const VkMemoryMapInfo* info, void** data) {
  Device& device = DeviceOf(handle);
  if (device.incoherent.Holds(info->memory)) return device.incoherent.Map(handle, info->memory, info->offset, data);
  return device.next.MapMemory2(handle, info, data);
}

VKAPI_ATTR void VKAPI_CALL UnmapMemory(VkDevice handle, VkDeviceMemory memory) {
  Device& device = DeviceOf(handle);
  if (device.incoherent.Holds(memory)) return device.incoherent.Unmap(handle, memory);
  device.next.UnmapMemory(handle, memory);
}

VKAPI_ATTR VkResult VKAPI_CALL UnmapMemory2(VkDevice handle, const VkMemoryUnmapInfo* info) {
  Device& device = DeviceOf(handle);
  if (!device.incoherent.Holds(info->memory)) return device.next.UnmapMemory2(handle, info);
  device.incoherent.Unmap(handle, info->memory);
  return VK_SUCCESS;
}

// The driver's memory is coherent and needs neither of these.
VKAPI_ATTR VkResult VKAPI_CALL FlushMappedMemoryRanges(VkDevice handle, uint32_t count,
                                                       const VkMappedMemoryRange* ranges) {
  for (uint32_t i = 0; i < count; ++i) DeviceOf(handle).incoherent.Flush(ranges[i]);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL InvalidateMappedMemoryRanges(VkDevice handle, uint32_t count,
                                                            const VkMappedMemoryRange* ranges) {
  for (uint32_t i = 0; i < count; ++i) DeviceOf(handle).incoherent.Invalidate(ranges[i]);
  return VK_SUCCESS;
}

void ShowBits(const Device& device, uint32_t& bits) { bits = device.memory.ShownBits(bits); }

VKAPI_ATTR void VKAPI_CALL GetBufferMemoryRequirements(VkDevice handle, VkBuffer buffer, VkMemoryRequirements* out) {
  Device& device = DeviceOf(handle);
  device.next.GetBufferMemoryRequirements(handle, buffer, out);
  ShowBits(device, out->memoryTypeBits);
}

VKAPI_ATTR void VKAPI_CALL GetImageMemoryRequirements(VkDevice handle, VkImage image, VkMemoryRequirements* out) {
  Device& device = DeviceOf(handle);
  device.next.GetImageMemoryRequirements(handle, image, out);
  ShowBits(device, out->memoryTypeBits);
}

template <auto kNext, typename Info>
VKAPI_ATTR void VKAPI_CALL GetRequirements2(VkDevice handle, const Info* info, VkMemoryRequirements2* out) {
  Device& device = DeviceOf(handle);
  (device.next.*kNext)(handle, info, out);
  ShowBits(device, out->memoryRequirements.memoryTypeBits);
}
constexpr auto GetBufferMemoryRequirements2 =
    GetRequirements2<&DeviceFunctions::GetBufferMemoryRequirements2, VkBufferMemoryRequirementsInfo2>;
constexpr auto GetImageMemoryRequirements2 =
    GetRequirements2<&DeviceFunctions::GetImageMemoryRequirements2, VkImageMemoryRequirementsInfo2>;
constexpr auto GetDeviceBufferMemoryRequirements =
    GetRequirements2<&DeviceFunctions::GetDeviceBufferMemoryRequirements, VkDeviceBufferMemoryRequirements>;
constexpr auto GetDeviceImageMemoryRequirements =
    GetRequirements2<&DeviceFunctions::GetDeviceImageMemoryRequirements, VkDeviceImageMemoryRequirements>;

VKAPI_ATTR VkResult VKAPI_CALL GetMemoryHostPointerPropertiesEXT(VkDevice handle,
                                                                 VkExternalMemoryHandleTypeFlagBits type,
                                                                 const void* pointer,
                                                                 VkMemoryHostPointerPropertiesEXT* out) {
  Device& device = DeviceOf(handle);
  const VkResult result = device.next.GetMemoryHostPointerPropertiesEXT(handle, type, pointer, out);
  ShowBits(device, out->memoryTypeBits);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL GetMemoryFdPropertiesKHR(VkDevice handle, VkExternalMemoryHandleTypeFlagBits type,
                                                        int file, VkMemoryFdPropertiesKHR* out) {
  Device& device = DeviceOf(handle);
  const VkResult result = device.next.GetMemoryFdPropertiesKHR(handle, type, file, out);
  ShowBits(device, out->memoryTypeBits);
  return result;
}

// Queues. Family indices in barriers stay as they are: CPU drivers ignore them.

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue(VkDevice handle, uint32_t family, uint32_t index, VkQueue* queue) {
  Queue* const found = DeviceOf(handle).queues.Find(family, index);
  *queue = found != nullptr ? found->handle() : VK_NULL_HANDLE;
}

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue2(VkDevice handle, const VkDeviceQueueInfo2* info, VkQueue* queue) {
  GetDeviceQueue(handle, info->queueFamilyIndex, info->queueIndex, queue);
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit(VkQueue handle, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  return Queue::Of(handle).owner->Submit(Queue::Of(handle), count, infos, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit2(VkQueue handle, uint32_t count, const VkSubmitInfo2* infos, VkFence fence) {
  return Queue::Of(handle).owner->Submit2(Queue::Of(handle), count, infos, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL QueueBindSparse(VkQueue handle, uint32_t count, const VkBindSparseInfo* infos,
                                               VkFence fence) {
  return Queue::Of(handle).owner->BindSparse(Queue::Of(handle), count, infos, fence);
}

// A queue's first word is no key: it stays unset for a layer that asks for the queue while it creates the device.
Device& DeviceOfQueue(VkQueue handle) { return DeviceOf(Queue::Of(handle).owner->device()); }

void CheckDispatches(Device& device) { device.instance->Report(device.indirect_dispatches->Check()); }

VKAPI_ATTR VkResult VKAPI_CALL QueueWaitIdle(VkQueue handle) {
  const VkResult result = Queue::Of(handle).owner->WaitIdle(Queue::Of(handle));
  CheckDispatches(DeviceOfQueue(handle));
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL DeviceWaitIdle(VkDevice handle) {
  Device& device = DeviceOf(handle);
  const VkResult result = device.queues.WaitDeviceIdle();
  CheckDispatches(device);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL WaitForFences(VkDevice handle, uint32_t count, const VkFence* fences, VkBool32 all,
                                             uint64_t timeout) {
  Device& device = DeviceOf(handle);
  const VkResult result = device.next.WaitForFences(handle, count, fences, all, timeout);
  CheckDispatches(device);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo* info, uint64_t timeout) {
  Device& device = DeviceOf(handle);
  const VkResult result = device.next.WaitSemaphores(handle, info, timeout);
  CheckDispatches(device);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateSemaphore(VkDevice handle, const VkSemaphoreCreateInfo* info,
                                               const VkAllocationCallbacks* allocator, VkSemaphore* semaphore) {
  Device& device = DeviceOf(handle);
  const VkResult result = device.next.CreateSemaphore(handle, info, allocator, semaphore);
  const auto* const type = FindStruct<VkSemaphoreTypeCreateInfo>(info->pNext);
  if (result == VK_SUCCESS && type != nullptr && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE)
    device.queues.AddTimeline(*semaphore, type->initialValue);
  return result;
}

VKAPI_ATTR void VKAPI_CALL DestroySemaphore(VkDevice handle, VkSemaphore semaphore,
                                            const VkAllocationCallbacks* allocator) {
  Device& device = DeviceOf(handle);
  device.queues.Remove(semaphore);
  device.next.DestroySemaphore(handle, semaphore, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL SignalSemaphore(VkDevice handle, const VkSemaphoreSignalInfo* info) {
  Device& device = DeviceOf(handle);
  const VkResult result = device.next.SignalSemaphore(handle, info);
  if (result == VK_SUCCESS) device.queues.Signalled(info->semaphore, info->value);
  return result;
}

VKAPI_ATTR void VKAPI_CALL QueueBeginDebugUtilsLabelEXT(VkQueue handle, const VkDebugUtilsLabelEXT* label) {
  DeviceOfQueue(handle).next.QueueBeginDebugUtilsLabelEXT(Queues::Driver(handle), label);
}
VKAPI_ATTR void VKAPI_CALL QueueEndDebugUtilsLabelEXT(VkQueue handle) {
  DeviceOfQueue(handle).next.QueueEndDebugUtilsLabelEXT(Queues::Driver(handle));
}
VKAPI_ATTR void VKAPI_CALL QueueInsertDebugUtilsLabelEXT(VkQueue handle, const VkDebugUtilsLabelEXT* label) {
  DeviceOfQueue(handle).next.QueueInsertDebugUtilsLabelEXT(Queues::Driver(handle), label);
}

uint64_t DriverObject(VkObjectType type, uint64_t object) {
  if (type != VK_OBJECT_TYPE_QUEUE) return object;
  return reinterpret_cast<uint64_t>(Queues::Driver(reinterpret_cast<VkQueue>(object)));
}

VKAPI_ATTR VkResult VKAPI_CALL SetDebugUtilsObjectNameEXT(VkDevice handle, const VkDebugUtilsObjectNameInfoEXT* info) {
  VkDebugUtilsObjectNameInfoEXT edited = *info;
  edited.objectHandle = DriverObject(info->objectType, info->objectHandle);
  return DeviceOf(handle).next.SetDebugUtilsObjectNameEXT(handle, &edited);
}

VKAPI_ATTR VkResult VKAPI_CALL SetDebugUtilsObjectTagEXT(VkDevice handle, const VkDebugUtilsObjectTagInfoEXT* info) {
  VkDebugUtilsObjectTagInfoEXT edited = *info;
  edited.objectHandle = DriverObject(info->objectType, info->objectHandle);
  return DeviceOf(handle).next.SetDebugUtilsObjectTagEXT(handle, &edited);
}

// Queues that share a driver queue share its private data.
VKAPI_ATTR VkResult VKAPI_CALL SetPrivateData(VkDevice handle, VkObjectType type, uint64_t object,
                                              VkPrivateDataSlot slot, uint64_t data) {
  return DeviceOf(handle).next.SetPrivateData(handle, type, DriverObject(type, object), slot, data);
}
VKAPI_ATTR void VKAPI_CALL GetPrivateData(VkDevice handle, VkObjectType type, uint64_t object, VkPrivateDataSlot slot,
                                          uint64_t* data) {
  DeviceOf(handle).next.GetPrivateData(handle, type, DriverObject(type, object), slot, data);
}

// Returns `info` with the families of the driver. The indices live in `families`.
template <typename Info>
Info ShareAmongDriverFamilies(const Device& device, const Info& info, std::vector<uint32_t>& families) {
  Info edited = info;
  if (info.sharingMode != VK_SHARING_MODE_CONCURRENT) return edited;
  for (uint32_t i = 0; i < info.queueFamilyIndexCount; ++i) {
    const uint32_t family = device.families.DriverFamily(info.pQueueFamilyIndices[i]);
    if (std::find(families.begin(), families.end(), family) == families.end()) families.push_back(family);
  }
  edited.queueFamilyIndexCount = static_cast<uint32_t>(families.size());
  edited.pQueueFamilyIndices = families.data();
  if (families.size() < 2) edited.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  return edited;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBuffer(VkDevice handle, const VkBufferCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkBuffer* buffer) {
  Device& device = DeviceOf(handle);
  std::vector<uint32_t> families;
  const VkBufferCreateInfo edited = ShareAmongDriverFamilies(device, *info, families);
  return device.next.CreateBuffer(handle, &edited, allocator, buffer);
}

// `hidden`: HiddenFrom…
void ReportHidden(const Device& device, const char* command, const std::string& hidden) {
  if (!hidden.empty())
    device.instance->Report(std::string(command) + " uses " + hidden + ", which the device does not have");
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBufferView(VkDevice handle, const VkBufferViewCreateInfo* info,
                                                const VkAllocationCallbacks* allocator, VkBufferView* view) {
  Device& device = DeviceOf(handle);
  ReportHidden(device, "vkCreateBufferView", HiddenFromBufferView(device.instance->profile, info->format));
  return device.next.CreateBufferView(handle, info, allocator, view);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateImageView(VkDevice handle, const VkImageViewCreateInfo* info,
                                               const VkAllocationCallbacks* allocator, VkImageView* view) {
  Device& device = DeviceOf(handle);
  ReportHidden(device, "vkCreateImageView", HiddenFromImageView(device.instance->profile, info->format));
  return device.next.CreateImageView(handle, info, allocator, view);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateImage(VkDevice handle, const VkImageCreateInfo* info,
                                           const VkAllocationCallbacks* allocator, VkImage* image) {
  Device& device = DeviceOf(handle);
  ReportHidden(device, "vkCreateImage",
               HiddenFromImage(device.instance->profile, info->format, info->tiling, info->usage, info->flags));
  std::vector<uint32_t> families;
  const VkImageCreateInfo edited = ShareAmongDriverFamilies(device, *info, families);
  return device.next.CreateImage(handle, &edited, allocator, image);
}

// Command buffers

VKAPI_ATTR VkResult VKAPI_CALL CreateCommandPool(VkDevice handle, const VkCommandPoolCreateInfo* info,
                                                 const VkAllocationCallbacks* allocator, VkCommandPool* pool) {
  Device& device = DeviceOf(handle);
  VkCommandPoolCreateInfo edited = *info;
  edited.queueFamilyIndex = device.families.DriverFamily(info->queueFamilyIndex);
  return device.next.CreateCommandPool(handle, &edited, allocator, pool);
}

VKAPI_ATTR void VKAPI_CALL DestroyCommandPool(VkDevice handle, VkCommandPool pool,
                                              const VkAllocationCallbacks* allocator) {
  Device& device = DeviceOf(handle);
  if (pool != VK_NULL_HANDLE) device.instance->Report(device.indirect_dispatches->Release(pool));
  device.next.DestroyCommandPool(handle, pool, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL ResetCommandPool(VkDevice handle, VkCommandPool pool, VkCommandPoolResetFlags flags) {
  Device& device = DeviceOf(handle);
  device.instance->Report(device.indirect_dispatches->Release(pool));
  return device.next.ResetCommandPool(handle, pool, flags);
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateCommandBuffers(VkDevice handle, const VkCommandBufferAllocateInfo* info,
                                                      VkCommandBuffer* command_buffers) {
  Device& device = DeviceOf(handle);
  const VkResult result = device.next.AllocateCommandBuffers(handle, info, command_buffers);
  if (result == VK_SUCCESS)
    device.indirect_dispatches->Allocated(info->commandPool, info->commandBufferCount, command_buffers);
  return result;
}

VKAPI_ATTR void VKAPI_CALL FreeCommandBuffers(VkDevice handle, VkCommandPool pool, uint32_t count,
                                              const VkCommandBuffer* command_buffers) {
  Device& device = DeviceOf(handle);
  for (uint32_t i = 0; i < count; ++i) device.instance->Report(device.indirect_dispatches->Release(command_buffers[i]));
  device.next.FreeCommandBuffers(handle, pool, count, command_buffers);
}

VKAPI_ATTR VkResult VKAPI_CALL BeginCommandBuffer(VkCommandBuffer handle, const VkCommandBufferBeginInfo* info) {
  Device& device = DeviceOf(handle);
  device.instance->Report(device.indirect_dispatches->Release(handle));
  return device.next.BeginCommandBuffer(handle, info);
}

VKAPI_ATTR VkResult VKAPI_CALL ResetCommandBuffer(VkCommandBuffer handle, VkCommandBufferResetFlags flags) {
  Device& device = DeviceOf(handle);
  device.instance->Report(device.indirect_dispatches->Release(handle));
  return device.next.ResetCommandBuffer(handle, flags);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchIndirect(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset) {
  Device& device = DeviceOf(handle);
  if (!device.indirect_dispatches->Record(handle, buffer, offset))
    device.instance->Report("there is no memory to check an indirect dispatch with");
  device.next.CmdDispatchIndirect(handle, buffer, offset);
}

const Hook kDeviceHooks[] = {
    TRELLIS_HOOK(DestroyDevice),
    TRELLIS_HOOK(AllocateMemory),
    TRELLIS_HOOK(FreeMemory),
    TRELLIS_HOOK(MapMemory),
    TRELLIS_HOOK(UnmapMemory),
    TRELLIS_ALIASED_HOOK(MapMemory2, KHR),
    TRELLIS_ALIASED_HOOK(UnmapMemory2, KHR),
    TRELLIS_HOOK(FlushMappedMemoryRanges),
    TRELLIS_HOOK(InvalidateMappedMemoryRanges),
    TRELLIS_HOOK(GetBufferMemoryRequirements),
    TRELLIS_HOOK(GetImageMemoryRequirements),
    TRELLIS_ALIASED_HOOK(GetBufferMemoryRequirements2, KHR),
    TRELLIS_ALIASED_HOOK(GetImageMemoryRequirements2, KHR),
    TRELLIS_ALIASED_HOOK(GetDeviceBufferMemoryRequirements, KHR),
    TRELLIS_ALIASED_HOOK(GetDeviceImageMemoryRequirements, KHR),
    TRELLIS_HOOK(GetMemoryHostPointerPropertiesEXT),
    TRELLIS_HOOK(GetMemoryFdPropertiesKHR),
    TRELLIS_HOOK(GetDeviceQueue),
    TRELLIS_HOOK(GetDeviceQueue2),
    TRELLIS_HOOK(QueueSubmit),
    TRELLIS_ALIASED_HOOK(QueueSubmit2, KHR),
    TRELLIS_HOOK(QueueBindSparse),
    TRELLIS_HOOK(QueueWaitIdle),
    TRELLIS_HOOK(DeviceWaitIdle),
    TRELLIS_HOOK(WaitForFences),
    TRELLIS_ALIASED_HOOK(WaitSemaphores, KHR),
    TRELLIS_HOOK(CreateSemaphore),
    TRELLIS_HOOK(DestroySemaphore),
    TRELLIS_ALIASED_HOOK(SignalSemaphore, KHR),
    TRELLIS_HOOK(QueueBeginDebugUtilsLabelEXT),
    TRELLIS_HOOK(QueueEndDebugUtilsLabelEXT),
    TRELLIS_HOOK(QueueInsertDebugUtilsLabelEXT),
    TRELLIS_HOOK(SetDebugUtilsObjectNameEXT),
    TRELLIS_HOOK(SetDebugUtilsObjectTagEXT),
    TRELLIS_ALIASED_HOOK(SetPrivateData, EXT),
    TRELLIS_ALIASED_HOOK(GetPrivateData, EXT),
    TRELLIS_HOOK(CreateBuffer),
    TRELLIS_HOOK(CreateBufferView),
    TRELLIS_HOOK(CreateImage),
    TRELLIS_HOOK(CreateImageView),
    TRELLIS_HOOK(CreateCommandPool),
    TRELLIS_HOOK(DestroyCommandPool),
    TRELLIS_HOOK(ResetCommandPool),
    TRELLIS_HOOK(AllocateCommandBuffers),
    TRELLIS_HOOK(FreeCommandBuffers),
    TRELLIS_HOOK(BeginCommandBuffer),
    TRELLIS_HOOK(ResetCommandBuffer),
    TRELLIS_HOOK(CmdDispatchIndirect),
};

}  // namespace

PFN_vkVoidFunction FindDeviceHook(const char* name) { return FindHook(kDeviceHooks, name); }

}  // namespace trellis::test
