// SPDX-License-Identifier: Apache-2.0
// A layer for drivers on the processor, below RenderDoc. RenderDoc hides bufferDeviceAddress where a driver lacks
// bufferDeviceAddressCaptureReplay, as lavapipe and SwiftShader do; this layer supplies it. On these drivers a device
// address is a host pointer, so memory is mapped where the capture had it and imported with
// VK_EXT_external_memory_host. One instance and one device at a time: RenderDoc allows no more.
#include <sys/mman.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "layer/dispatch/arena.h"
#include "layer/dispatch/loader_chain.h"
#include "layer/dispatch/struct_chain.h"
#include "tests/support/layer_hooks.h"

namespace trellis::test {
namespace {

constexpr char kImportExtension[] = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
constexpr VkExternalMemoryHandleTypeFlagBits kImportType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
// Far from where programs, libraries, heaps and stacks lie, so that what a capture mapped here is free when it is
// replayed.
constexpr uintptr_t kFirstAddress = 0x2000'0000'0000;
constexpr size_t kMappingAlignment = 0x10000;  // at least any driver's minImportedHostPointerAlignment

struct Mapping {
  void* memory;
  size_t size;
};

struct NextInstance {
  VkInstance handle;
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
  PFN_vkGetPhysicalDeviceFeatures2 GetPhysicalDeviceFeatures2;
};

struct NextDevice {
  PFN_vkGetDeviceProcAddr GetDeviceProcAddr;
  PFN_vkAllocateMemory AllocateMemory;
  PFN_vkFreeMemory FreeMemory;
  PFN_vkCreateBuffer CreateBuffer;
};

NextInstance next_instance;
NextDevice next_device;

std::mutex mappings_mutex;
std::map<VkDeviceMemory, Mapping> mappings;
uintptr_t next_address = kFirstAddress;

// MAP_FAILED if the place is taken.
void* MapAt(uintptr_t address, size_t size) {
  return mmap(reinterpret_cast<void*>(address), size, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

// `wanted` is the address that the capture had, 0 when capturing.
Mapping Map(uint64_t wanted, VkDeviceSize bytes) {
  const size_t size = (bytes + kMappingAlignment - 1) / kMappingAlignment * kMappingAlignment;
  if (wanted != 0) return {MapAt(wanted, size), size};
  const std::lock_guard lock(mappings_mutex);
  const uintptr_t address = next_address;
  next_address += size;
  return {MapAt(address, size), size};
}

void OfferCaptureReplay(VkPhysicalDeviceFeatures2* features) {
  if (auto* vulkan12 = FindStruct<VkPhysicalDeviceVulkan12Features>(features->pNext))
    vulkan12->bufferDeviceAddressCaptureReplay = vulkan12->bufferDeviceAddress;
  if (auto* addresses = FindStruct<VkPhysicalDeviceBufferDeviceAddressFeatures>(features->pNext))
    addresses->bufferDeviceAddressCaptureReplay = addresses->bufferDeviceAddress;
}

void HideCaptureReplay(VkDeviceCreateInfo& info, Arena& arena) {
  if (auto* vulkan12 = EditStruct<VkPhysicalDeviceVulkan12Features>(&info, arena))
    vulkan12->bufferDeviceAddressCaptureReplay = VK_FALSE;
  if (auto* addresses = EditStruct<VkPhysicalDeviceBufferDeviceAddressFeatures>(&info, arena))
    addresses->bufferDeviceAddressCaptureReplay = VK_FALSE;
}

template <typename Function>
void LoadFrom(NextDevice& next, VkDevice device, const char* name, Function& function) {
  function = reinterpret_cast<Function>(next.GetDeviceProcAddr(device, name));
}

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                              VkInstance* instance) {
  Arena arena;
  VkInstanceCreateInfo* const edited = arena.Copy(*info);
  const VkLayerInstanceLink* const link = TakeInstanceLink(*edited, arena);
  if (!link) return VK_ERROR_INITIALIZATION_FAILED;
  const auto next = link->pfnNextGetInstanceProcAddr;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
  const VkResult result = create(edited, allocator, instance);
  if (result != VK_SUCCESS) return result;
  next_instance = {*instance, next,
                   reinterpret_cast<PFN_vkGetPhysicalDeviceFeatures2>(next(*instance, "vkGetPhysicalDeviceFeatures2"))};
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
  next_instance.GetPhysicalDeviceFeatures2(device, features);
  OfferCaptureReplay(features);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical_device, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* device) {
  Arena arena;
  VkDeviceCreateInfo* const edited = arena.Copy(*info);
  HideCaptureReplay(*edited, arena);
  std::vector<const char*> extensions(info->ppEnabledExtensionNames,
                                      info->ppEnabledExtensionNames + info->enabledExtensionCount);
  if (std::none_of(extensions.begin(), extensions.end(),
                   [](std::string_view name) { return name == kImportExtension; }))
    extensions.push_back(kImportExtension);
  edited->enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  edited->ppEnabledExtensionNames = extensions.data();

  const VkLayerDeviceLink* const link = TakeDeviceLink(*edited, arena);
  if (!link) return VK_ERROR_INITIALIZATION_FAILED;
  const auto create =
      reinterpret_cast<PFN_vkCreateDevice>(link->pfnNextGetInstanceProcAddr(next_instance.handle, "vkCreateDevice"));
  const VkResult result = create(physical_device, edited, allocator, device);
  if (result != VK_SUCCESS) return result;
  next_device.GetDeviceProcAddr = link->pfnNextGetDeviceProcAddr;
  LoadFrom(next_device, *device, "vkAllocateMemory", next_device.AllocateMemory);
  LoadFrom(next_device, *device, "vkFreeMemory", next_device.FreeMemory);
  LoadFrom(next_device, *device, "vkCreateBuffer", next_device.CreateBuffer);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateMemory(VkDevice device, const VkMemoryAllocateInfo* info,
                                              const VkAllocationCallbacks* allocator, VkDeviceMemory* memory) {
  Arena arena;
  VkMemoryAllocateInfo* const edited = arena.Copy(*info);
  auto* const flags = EditStruct<VkMemoryAllocateFlagsInfo>(edited, arena);
  if (!flags || !(flags->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT))
    return next_device.AllocateMemory(device, info, allocator, memory);
  flags->flags &= ~VkMemoryAllocateFlags{VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT};
  const auto* const captured = reinterpret_cast<const VkMemoryOpaqueCaptureAddressAllocateInfo*>(
      RemoveFromChain(edited, VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO, arena));

  const Mapping mapping = Map(captured ? captured->opaqueCaptureAddress : 0, info->allocationSize);
  if (mapping.memory == MAP_FAILED) return VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS;
  VkImportMemoryHostPointerInfoEXT import = {VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr,
                                             kImportType, mapping.memory};
  InsertIntoChain(edited, &import);
  edited->allocationSize = mapping.size;
  const VkResult result = next_device.AllocateMemory(device, edited, allocator, memory);
  if (result != VK_SUCCESS) {
    munmap(mapping.memory, mapping.size);
    return result;
  }
  const std::lock_guard lock(mappings_mutex);
  mappings[*memory] = mapping;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* allocator) {
  Mapping mapping = {nullptr, 0};
  {
    const std::lock_guard lock(mappings_mutex);
    if (const auto found = mappings.extract(memory)) mapping = found.mapped();
  }
  next_device.FreeMemory(device, memory, allocator);
  if (mapping.memory) munmap(mapping.memory, mapping.size);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBuffer(VkDevice device, const VkBufferCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkBuffer* buffer) {
  if (!(info->flags & VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT))
    return next_device.CreateBuffer(device, info, allocator, buffer);
  Arena arena;
  VkBufferCreateInfo* const edited = arena.Copy(*info);
  edited->flags &= ~VkBufferCreateFlags{VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT};
  RemoveFromChain(edited, VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO, arena);
  VkExternalMemoryBufferCreateInfo external = {VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr,
                                               kImportType};
  InsertIntoChain(edited, &external);
  return next_device.CreateBuffer(device, edited, allocator, buffer);
}

// A buffer's address follows from that of its memory.
VKAPI_ATTR uint64_t VKAPI_CALL GetBufferOpaqueCaptureAddress(VkDevice, const VkBufferDeviceAddressInfo*) { return 0; }

VKAPI_ATTR uint64_t VKAPI_CALL GetDeviceMemoryOpaqueCaptureAddress(VkDevice,
                                                                   const VkDeviceMemoryOpaqueCaptureAddressInfo* info) {
  const std::lock_guard lock(mappings_mutex);
  const auto found = mappings.find(info->memory);
  return found == mappings.end() ? 0 : reinterpret_cast<uintptr_t>(found->second.memory);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name);

const Hook kInstanceHooks[] = {
    TRELLIS_HOOK(GetInstanceProcAddr),
    TRELLIS_HOOK(CreateInstance),
    TRELLIS_HOOK(CreateDevice),
    TRELLIS_ALIASED_HOOK(GetPhysicalDeviceFeatures2, KHR),
};
const Hook kDeviceHooks[] = {
    TRELLIS_HOOK(GetDeviceProcAddr),
    TRELLIS_HOOK(AllocateMemory),
    TRELLIS_HOOK(FreeMemory),
    TRELLIS_HOOK(CreateBuffer),
    TRELLIS_ALIASED_HOOK(GetBufferOpaqueCaptureAddress, KHR),
    TRELLIS_ALIASED_HOOK(GetDeviceMemoryOpaqueCaptureAddress, KHR),
};

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name) {
  if (const auto hook = FindHook(kDeviceHooks, name)) return hook;
  return next_device.GetDeviceProcAddr(device, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name) {
  if (const auto hook = FindHook(kInstanceHooks, name)) return hook;
  if (const auto hook = FindHook(kDeviceHooks, name)) return hook;
  return instance ? next_instance.GetInstanceProcAddr(instance, name) : nullptr;
}

}  // namespace
}  // namespace trellis::test

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiate) {
  return trellis::test::Negotiate(*negotiate, trellis::test::GetInstanceProcAddr, trellis::test::GetDeviceProcAddr);
}
