// SPDX-License-Identifier: Apache-2.0
// Queries of physical devices, and the creation of instances and devices.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <string_view>

#include "layer/dispatch/arena.h"
#include "layer/dispatch/loader_chain.h"
#include "layer/dispatch/struct_chain.h"
#include "tests/device_profiles/device.h"
#include "tests/device_profiles/formats.h"
#include "tests/device_profiles/members.h"
#include "tests/support/layer_hooks.h"

namespace trellis::test {
namespace {

constexpr char kProfileVariable[] = "TRELLIS_TEST_DEVICE_PROFILE";
constexpr char kLayerName[] = "VK_LAYER_TRELLIS_TEST_device_profile";

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                              VkInstance* handle) {
  const char* const path = std::getenv(kProfileVariable);
  std::string error = std::string(kProfileVariable) + " is not set";
  std::optional<Profile> profile = path != nullptr ? LoadProfile(path, error) : std::nullopt;
  if (!profile) {
    std::fprintf(stderr, "%s: %s\n", kLayerName, error.c_str());
    return VK_ERROR_INITIALIZATION_FAILED;
  }
  Arena arena;
  VkInstanceCreateInfo edited = *info;
  const VkLayerInstanceLink* const link = TakeInstanceLink(edited, arena);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const PFN_vkGetInstanceProcAddr next = link->pfnNextGetInstanceProcAddr;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
  const VkResult result = create(&edited, allocator, handle);
  if (result != VK_SUCCESS) return result;
  auto instance = std::make_unique<Instance>();
  instance->handle = *handle;
  instance->next.Load(next, *handle);
  instance->profile = std::move(*profile);
  AddInstance(std::move(instance));
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance handle, const VkAllocationCallbacks* allocator) {
  if (handle == VK_NULL_HANDLE) return;
  const std::unique_ptr<Instance> instance = TakeInstance(handle);
  instance->next.DestroyInstance(handle, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDebugUtilsMessengerEXT(VkInstance handle,
                                                            const VkDebugUtilsMessengerCreateInfoEXT* info,
                                                            const VkAllocationCallbacks* allocator,
                                                            VkDebugUtilsMessengerEXT* messenger) {
  Instance& instance = InstanceOf(handle);
  const VkResult result = instance.next.CreateDebugUtilsMessengerEXT(handle, info, allocator, messenger);
  if (result == VK_SUCCESS) instance.diagnostics.AddMessenger(*messenger, *info);
  return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyDebugUtilsMessengerEXT(VkInstance handle, VkDebugUtilsMessengerEXT messenger,
                                                         const VkAllocationCallbacks* allocator) {
  Instance& instance = InstanceOf(handle);
  if (messenger != VK_NULL_HANDLE) instance.diagnostics.RemoveMessenger(messenger);
  instance.next.DestroyDebugUtilsMessengerEXT(handle, messenger, allocator);
}

// Fills an array as the enumerating commands of Vulkan do.
template <typename Element>
VkResult Enumerate(const std::vector<Element>& all, uint32_t* count, Element* elements) {
  if (elements == nullptr) {
    *count = static_cast<uint32_t>(all.size());
    return VK_SUCCESS;
  }
  const bool complete = *count >= all.size();
  *count = std::min(*count, static_cast<uint32_t>(all.size()));
  std::copy_n(all.begin(), *count, elements);
  return complete ? VK_SUCCESS : VK_INCOMPLETE;
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char* layer,
                                                                  uint32_t* count, VkExtensionProperties* extensions) {
  if (layer != nullptr && std::strcmp(layer, kLayerName) == 0) {
    *count = 0;
    return VK_SUCCESS;
  }
  Instance& instance = InstanceOf(device);
  if (layer != nullptr) return instance.next.EnumerateDeviceExtensionProperties(device, layer, count, extensions);
  return Enumerate(instance.Extensions(device), count, extensions);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties(VkPhysicalDevice device,
                                                       VkPhysicalDeviceProperties* properties) {
  *properties = InstanceOf(device).Properties(device);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice device,
                                                        VkPhysicalDeviceProperties2* properties) {
  Instance& instance = InstanceOf(device);
  instance.next.GetPhysicalDeviceProperties2(device, properties);
  LowerLimits(instance.profile, properties);
  properties->properties = instance.Properties(device);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures(VkPhysicalDevice device, VkPhysicalDeviceFeatures* features) {
  Instance& instance = InstanceOf(device);
  instance.next.GetPhysicalDeviceFeatures(device, features);
  HideFeatures(instance.profile, *features);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
  Instance& instance = InstanceOf(device);
  instance.next.GetPhysicalDeviceFeatures2(device, features);
  HideFeatures(instance.profile, static_cast<void*>(features));
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFormatProperties(VkPhysicalDevice device, VkFormat format,
                                                             VkFormatProperties* properties) {
  Instance& instance = InstanceOf(device);
  instance.next.GetPhysicalDeviceFormatProperties(device, format, properties);
  HideFormatFeatures(instance.profile, format, *properties);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFormatProperties2(VkPhysicalDevice device, VkFormat format,
                                                              VkFormatProperties2* properties) {
  Instance& instance = InstanceOf(device);
  instance.next.GetPhysicalDeviceFormatProperties2(device, format, properties);
  HideFormatFeatures(instance.profile, format, *properties);
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceImageFormatProperties(VkPhysicalDevice device, VkFormat format,
                                                                      VkImageType type, VkImageTiling tiling,
                                                                      VkImageUsageFlags usage, VkImageCreateFlags flags,
                                                                      VkImageFormatProperties* properties) {
  Instance& instance = InstanceOf(device);
  if (HiddenFromImage(instance.profile, format, tiling, usage, flags).empty())
    return instance.next.GetPhysicalDeviceImageFormatProperties(device, format, type, tiling, usage, flags, properties);
  *properties = {};
  return VK_ERROR_FORMAT_NOT_SUPPORTED;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceImageFormatProperties2(VkPhysicalDevice device,
                                                                       const VkPhysicalDeviceImageFormatInfo2* info,
                                                                       VkImageFormatProperties2* properties) {
  Instance& instance = InstanceOf(device);
  if (HiddenFromImage(instance.profile, info->format, info->tiling, info->usage, info->flags).empty())
    return instance.next.GetPhysicalDeviceImageFormatProperties2(device, info, properties);
  properties->imageFormatProperties = {};
  return VK_ERROR_FORMAT_NOT_SUPPORTED;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceSparseImageFormatProperties(VkPhysicalDevice device, VkFormat format,
                                                                        VkImageType type, VkSampleCountFlagBits samples,
                                                                        VkImageUsageFlags usage, VkImageTiling tiling,
                                                                        uint32_t* count,
                                                                        VkSparseImageFormatProperties* properties) {
  Instance& instance = InstanceOf(device);
  if (HiddenFromImage(instance.profile, format, tiling, usage, 0).empty())
    return instance.next.GetPhysicalDeviceSparseImageFormatProperties(device, format, type, samples, usage, tiling,
                                                                      count, properties);
  *count = 0;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceSparseImageFormatProperties2(
    VkPhysicalDevice device, const VkPhysicalDeviceSparseImageFormatInfo2* info, uint32_t* count,
    VkSparseImageFormatProperties2* properties) {
  Instance& instance = InstanceOf(device);
  if (HiddenFromImage(instance.profile, info->format, info->tiling, info->usage, 0).empty())
    return instance.next.GetPhysicalDeviceSparseImageFormatProperties2(device, info, count, properties);
  *count = 0;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMemoryProperties(VkPhysicalDevice device,
                                                             VkPhysicalDeviceMemoryProperties* properties) {
  *properties = InstanceOf(device).Memory(device).shown;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice device,
                                                              VkPhysicalDeviceMemoryProperties2* properties) {
  Instance& instance = InstanceOf(device);
  instance.next.GetPhysicalDeviceMemoryProperties2(device, properties);
  properties->memoryProperties = instance.Memory(device).shown;
  auto* const budget = FindStruct<VkPhysicalDeviceMemoryBudgetPropertiesEXT>(properties->pNext);
  if (budget == nullptr) return;
  for (uint32_t i = 0; i < VK_MAX_MEMORY_HEAPS; ++i) {
    budget->heapBudget[i] = properties->memoryProperties.memoryHeaps[i].size;
    budget->heapUsage[i] = 0;
  }
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device, uint32_t* count,
                                                                  VkQueueFamilyProperties* families) {
  (void)Enumerate(InstanceOf(device).Families(device).shown, count, families);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice device, uint32_t* count,
                                                                   VkQueueFamilyProperties2* families) {
  Instance& instance = InstanceOf(device);
  const QueueFamilyView view = instance.Families(device);
  if (families == nullptr) {
    *count = static_cast<uint32_t>(view.shown.size());
    return;
  }
  *count = std::min(*count, static_cast<uint32_t>(view.shown.size()));
  for (uint32_t i = 0; i < *count; ++i) {
    // The driver fills the application's chain for the family behind this one.
    uint32_t driver_count = view.driver_families[i] + 1;
    std::vector driver(driver_count, MakeStruct<VkQueueFamilyProperties2>());
    driver.back().pNext = families[i].pNext;
    instance.next.GetPhysicalDeviceQueueFamilyProperties2(device, &driver_count, driver.data());
    families[i].queueFamilyProperties = view.shown[i];
  }
}

// Returns VK_SUCCESS if the device may be created.
VkResult CheckDevice(Instance& instance, const VkDeviceCreateInfo& info) {
  const std::vector<std::string> extensions = EnabledHiddenExtensions(instance.profile, info);
  for (const std::string& name : extensions)
    instance.Report("vkCreateDevice enables " + name + ", which the device does not list");
  const std::vector<std::string> features = EnabledHiddenFeatures(instance.profile, info);
  for (const std::string& name : features)
    instance.Report("vkCreateDevice enables the feature " + name + ", which the device does not have");
  if (!extensions.empty()) return VK_ERROR_EXTENSION_NOT_PRESENT;
  return features.empty() ? VK_SUCCESS : VK_ERROR_FEATURE_NOT_PRESENT;
}

// Returns one queue for each driver family behind the requested families.
std::vector<VkDeviceQueueCreateInfo> DriverQueues(const QueueFamilyView& families, const VkDeviceCreateInfo& info) {
  static constexpr float kPriority = 1.0f;
  std::vector<VkDeviceQueueCreateInfo> queues;
  for (uint32_t i = 0; i < info.queueCreateInfoCount; ++i) {
    const uint32_t family = families.DriverFamily(info.pQueueCreateInfos[i].queueFamilyIndex);
    if (std::any_of(queues.begin(), queues.end(),
                    [family](const VkDeviceQueueCreateInfo& queue) { return queue.queueFamilyIndex == family; }))
      continue;
    auto queue = MakeStruct<VkDeviceQueueCreateInfo>();
    queue.queueFamilyIndex = family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &kPriority;
    queues.push_back(queue);
  }
  return queues;
}

VkDeviceSize MaxAllocationSize(const Instance& instance, VkPhysicalDevice device) {
  auto maintenance3 = MakeStruct<VkPhysicalDeviceMaintenance3Properties>();
  auto properties = MakeStruct<VkPhysicalDeviceProperties2>(&maintenance3);
  instance.next.GetPhysicalDeviceProperties2(device, &properties);
  LowerLimits(instance.profile, static_cast<void*>(&properties));
  return maintenance3.maxMemoryAllocationSize;
}

// Returns the driver's first type that is host-visible and coherent. Every driver has one.
uint32_t CoherentType(const Instance& instance, VkPhysicalDevice device) {
  constexpr VkMemoryPropertyFlags kWanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties properties = {};
  instance.next.GetPhysicalDeviceMemoryProperties(device, &properties);
  uint32_t type = 0;
  while (type < properties.memoryTypeCount && (properties.memoryTypes[type].propertyFlags & kWanted) != kWanted) ++type;
  return type;
}

void MakeQueues(Device& device, const VkDeviceCreateInfo& info, PFN_vkSetDeviceLoaderData set_loader_data) {
  std::map<uint32_t, VkQueue> driver_queues;
  for (uint32_t i = 0; i < info.queueCreateInfoCount; ++i) {
    const VkDeviceQueueCreateInfo& queue = info.pQueueCreateInfos[i];
    const uint32_t driver_family = device.families.DriverFamily(queue.queueFamilyIndex);
    VkQueue& driver_queue = driver_queues[driver_family];
    if (driver_queue == VK_NULL_HANDLE) {
      device.next.GetDeviceQueue(device.handle, driver_family, 0, &driver_queue);
      if (set_loader_data != nullptr) (void)set_loader_data(device.handle, driver_queue);
    }
    device.queues.Add(device.handle, queue.queueFamilyIndex, queue.queueCount, driver_queue);
  }
}

// Null when the loader offers no such callback.
PFN_vkSetDeviceLoaderData FindSetDeviceLoaderData(const void* chain) {
  while (const auto* info = FindStruct<VkLayerDeviceCreateInfo>(chain)) {
    if (info->function == VK_LOADER_DATA_CALLBACK) return info->u.pfnSetDeviceLoaderData;
    chain = info->pNext;
  }
  return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical_device, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* allocator, VkDevice* handle) {
  Instance& instance = InstanceOf(physical_device);
  if (const VkResult checked = CheckDevice(instance, *info); checked != VK_SUCCESS) return checked;
  auto device = std::make_unique<Device>();
  device->instance = &instance;
  device->api_version = instance.ApiVersion(physical_device);
  device->memory = instance.Memory(physical_device);
  device->families = instance.Families(physical_device);
  device->max_allocation_size = MaxAllocationSize(instance, physical_device);

  Arena arena;
  VkDeviceCreateInfo edited = *info;
  const std::vector<VkDeviceQueueCreateInfo> queues = DriverQueues(device->families, *info);
  edited.queueCreateInfoCount = static_cast<uint32_t>(queues.size());
  edited.pQueueCreateInfos = queues.data();
  const PFN_vkSetDeviceLoaderData set_loader_data = FindSetDeviceLoaderData(edited.pNext);
  const VkLayerDeviceLink* const link = TakeDeviceLink(edited, arena);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const auto create =
      reinterpret_cast<PFN_vkCreateDevice>(link->pfnNextGetInstanceProcAddr(instance.handle, "vkCreateDevice"));
  const VkResult result = create(physical_device, &edited, allocator, handle);
  if (result != VK_SUCCESS) return result;
  device->handle = *handle;
  device->next.Load(link->pfnNextGetDeviceProcAddr, *handle);
  // The emulated queues submit with it.
  if (device->next.QueueSubmit2 == nullptr) instance.Report("the driver has no vkQueueSubmit2");
  MakeQueues(*device, *info, set_loader_data);
  const VkPhysicalDeviceLimits limits = instance.Properties(physical_device).limits;
  device->indirect_dispatches = std::make_unique<IndirectDispatches>(
      device->next, *handle, CoherentType(instance, physical_device),
      std::array{limits.maxComputeWorkGroupCount[0], limits.maxComputeWorkGroupCount[1],
                 limits.maxComputeWorkGroupCount[2]});
  AddDevice(std::move(device));
  return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice handle, const char* name) {
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return reinterpret_cast<PFN_vkVoidFunction>(GetDeviceProcAddr);
  const Device& device = DeviceOf(handle);
  if (CommandVersion(name) > device.api_version) return nullptr;
  const PFN_vkVoidFunction next = device.next.GetDeviceProcAddr(handle, name);
  if (next == nullptr) return nullptr;
  const PFN_vkVoidFunction hook = FindDeviceHook(name);
  return hook != nullptr ? hook : next;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name) {
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return reinterpret_cast<PFN_vkVoidFunction>(GetDeviceProcAddr);
  if (const PFN_vkVoidFunction hook = FindInstanceHook(name)) return hook;
  if (const PFN_vkVoidFunction hook = FindDeviceHook(name)) return hook;
  return instance != VK_NULL_HANDLE ? InstanceOf(instance).next.GetInstanceProcAddr(instance, name) : nullptr;
}

const Hook kInstanceHooks[] = {
    TRELLIS_HOOK(GetInstanceProcAddr),
    TRELLIS_HOOK(CreateInstance),
    TRELLIS_HOOK(DestroyInstance),
    TRELLIS_HOOK(CreateDebugUtilsMessengerEXT),
    TRELLIS_HOOK(DestroyDebugUtilsMessengerEXT),
    TRELLIS_HOOK(CreateDevice),
    TRELLIS_HOOK(EnumerateDeviceExtensionProperties),
    TRELLIS_HOOK(GetPhysicalDeviceProperties),
    TRELLIS_ALIASED_HOOK(GetPhysicalDeviceProperties2, KHR),
    TRELLIS_HOOK(GetPhysicalDeviceFeatures),
    TRELLIS_ALIASED_HOOK(GetPhysicalDeviceFeatures2, KHR),
    TRELLIS_HOOK(GetPhysicalDeviceFormatProperties),
    TRELLIS_ALIASED_HOOK(GetPhysicalDeviceFormatProperties2, KHR),
    TRELLIS_HOOK(GetPhysicalDeviceImageFormatProperties),
    TRELLIS_ALIASED_HOOK(GetPhysicalDeviceImageFormatProperties2, KHR),
    TRELLIS_HOOK(GetPhysicalDeviceSparseImageFormatProperties),
    TRELLIS_ALIASED_HOOK(GetPhysicalDeviceSparseImageFormatProperties2, KHR),
    TRELLIS_HOOK(GetPhysicalDeviceMemoryProperties),
    TRELLIS_ALIASED_HOOK(GetPhysicalDeviceMemoryProperties2, KHR),
    TRELLIS_HOOK(GetPhysicalDeviceQueueFamilyProperties),
    TRELLIS_ALIASED_HOOK(GetPhysicalDeviceQueueFamilyProperties2, KHR),
};

}  // namespace

PFN_vkVoidFunction FindInstanceHook(const char* name) { return FindHook(kInstanceHooks, name); }

}  // namespace trellis::test

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiate) {
  return trellis::test::Negotiate(*negotiate, trellis::test::GetInstanceProcAddr, trellis::test::GetDeviceProcAddr);
}
