// SPDX-License-Identifier: Apache-2.0
// The fake driver's instance and physical device commands.
#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>

#include "layer/dispatch/struct_chain.h"
#include "tests/layer/fake_driver/driver_function.h"
#include "tests/layer/fake_driver/fake_driver.h"

namespace trellis::test {

namespace {

// Threads make instances of drivers of their own.
thread_local FakeDriver* t_current_driver = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks*,
                                              VkInstance* instance) {
  FakeDriver& driver = *t_current_driver;
  driver.instance_extensions.assign(info->ppEnabledExtensionNames,
                                    info->ppEnabledExtensionNames + info->enabledExtensionCount);
  const auto& enabled = driver.instance_extensions;
  if (!driver.options.debug_utils && std::count(enabled.begin(), enabled.end(), VK_EXT_DEBUG_UTILS_EXTENSION_NAME))
    return VK_ERROR_EXTENSION_NOT_PRESENT;
  driver.Record("CreateInstance");
  if (driver.see_instance_chain) driver.see_instance_chain(info->pNext);
  *instance = static_cast<VkInstance>(driver.MakeDispatchable());
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance instance, const VkAllocationCallbacks*) {
  DriverOf(instance).Record("DestroyInstance");
}

VKAPI_ATTR VkResult VKAPI_CALL EnumeratePhysicalDevices(VkInstance instance, uint32_t* count,
                                                        VkPhysicalDevice* devices) {
  FakeDriver& driver = DriverOf(instance);
  if (devices) *devices = static_cast<VkPhysicalDevice>(driver.MakeDispatchable(instance));
  *count = 1;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char* layer,
                                                                  uint32_t* count, VkExtensionProperties* properties) {
  FakeDriver& driver = DriverOf(device);
  DriverCall& call = driver.Record("EnumerateDeviceExtensionProperties");
  if (layer) call.text = layer;
  const auto available = static_cast<uint32_t>(driver.options.extensions.size());
  if (!properties) {
    *count = available;
    return VK_SUCCESS;
  }
  *count = std::min(*count, available);
  for (uint32_t i = 0; i < *count; ++i) {
    properties[i] = {};
    std::strncpy(properties[i].extensionName, driver.options.extensions[i].c_str(), VK_MAX_EXTENSION_NAME_SIZE - 1);
    properties[i].specVersion = 7;
  }
  return *count < available ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties(VkPhysicalDevice device,
                                                       VkPhysicalDeviceProperties* properties) {
  const DriverOptions& options = DriverOf(device).options;
  *properties = {};
  properties->apiVersion = options.api_version;
  std::strcpy(properties->deviceName, "fake");
  properties->limits.maxComputeSharedMemorySize = 32768;
  properties->limits.maxPushConstantsSize = options.max_push_constants_size;
  std::fill_n(properties->limits.maxComputeWorkGroupCount, 3, 65535u);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice device,
                                                        VkPhysicalDeviceProperties2* properties) {
  DriverOf(device).Record("GetPhysicalDeviceProperties2").chain = TypesIn(properties->pNext);
  GetPhysicalDeviceProperties(device, &properties->properties);
  if (auto* subgroups = FindStruct<VkPhysicalDeviceSubgroupProperties>(properties->pNext)) {
    subgroups->subgroupSize = 4;
    subgroups->supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
    subgroups->supportedOperations = DriverOf(device).options.subgroup_operations;
  }
  if (auto* mesh = FindStruct<VkPhysicalDeviceMeshShaderPropertiesEXT>(properties->pNext)) {
    mesh->maxMeshWorkGroupTotalCount = 1u << 22;
    std::fill_n(mesh->maxMeshWorkGroupCount, 3, 65535u);
  }
  if (auto* maintenance3 = FindStruct<VkPhysicalDeviceMaintenance3Properties>(properties->pNext))
    maintenance3->maxMemoryAllocationSize = DriverOf(device).options.max_memory_allocation_size;
  if (auto* maintenance4 = FindStruct<VkPhysicalDeviceMaintenance4Properties>(properties->pNext))
    maintenance4->maxBufferSize = DriverOf(device).options.max_buffer_size;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures(VkPhysicalDevice device, VkPhysicalDeviceFeatures* features) {
  *features = {};
  features->shaderInt64 = DriverOf(device).options.shader_int64;
  features->shaderInt16 = DriverOf(device).options.shader_int16;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
  const DriverOptions& options = DriverOf(device).options;
  DriverOf(device).Record("GetPhysicalDeviceFeatures2").chain = TypesIn(features->pNext);
  features->features = {};
  features->features.shaderInt64 = options.shader_int64;
  features->features.shaderInt16 = options.shader_int16;
  void* chain = features->pNext;
  if (auto* vulkan11 = FindStruct<VkPhysicalDeviceVulkan11Features>(chain))
    vulkan11->storageBuffer16BitAccess = options.storage_16bit;
  if (auto* vulkan12 = FindStruct<VkPhysicalDeviceVulkan12Features>(chain)) {
    vulkan12->bufferDeviceAddress = options.buffer_device_address;
    vulkan12->scalarBlockLayout = options.scalar_block_layout;
    vulkan12->storageBuffer8BitAccess = options.storage_8bit;
  }
  if (auto* barriers = FindStruct<VkPhysicalDeviceSynchronization2Features>(chain))
    barriers->synchronization2 = options.synchronization2;
  if (auto* dynamic = FindStruct<VkPhysicalDeviceExtendedDynamicStateFeaturesEXT>(chain))
    dynamic->extendedDynamicState = options.extended_dynamic_state;
  if (auto* maintenance4 = FindStruct<VkPhysicalDeviceMaintenance4Features>(chain))
    maintenance4->maintenance4 = options.maintenance4;
  if (auto* reconvergence = FindStruct<VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR>(chain))
    reconvergence->shaderMaximalReconvergence = options.maximal_reconvergence;
  if (auto* mesh = FindStruct<VkPhysicalDeviceMeshShaderFeaturesEXT>(chain)) mesh->meshShader = options.mesh_shader;
  if (auto* enqueue = FindStruct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>(chain))
    enqueue->shaderEnqueue = options.shader_enqueue_feature;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMemoryProperties(VkPhysicalDevice,
                                                             VkPhysicalDeviceMemoryProperties* properties) {
  *properties = {};
  properties->memoryTypeCount = 1;
  properties->memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                             VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  properties->memoryHeapCount = 1;
  properties->memoryHeaps[0] = {1u << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device, uint32_t* count,
                                                                  VkQueueFamilyProperties* properties) {
  *count = 1;
  if (properties)
    *properties = {DriverOf(device).options.queue_flags, DriverOf(device).options.queue_count, 64, {1, 1, 1}};
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceToolProperties(VkPhysicalDevice, uint32_t* count,
                                                               VkPhysicalDeviceToolProperties* properties) {
  if (properties && *count == 0) return VK_INCOMPLETE;
  if (properties) std::strcpy(properties->name, "a tool below");
  *count = 1;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceExternalBufferProperties(VkPhysicalDevice device,
                                                                     const VkPhysicalDeviceExternalBufferInfo* info,
                                                                     VkExternalBufferProperties*) {
  DriverCall& call = DriverOf(device).Record("GetPhysicalDeviceExternalBufferProperties");
  call.flags = info->usage;
  call.chain = TypesIn(info->pNext);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDebugUtilsMessengerEXT(VkInstance instance,
                                                            const VkDebugUtilsMessengerCreateInfoEXT*,
                                                            const VkAllocationCallbacks*,
                                                            VkDebugUtilsMessengerEXT* messenger) {
  DriverCall& call = DriverOf(instance).Record("CreateDebugUtilsMessengerEXT");
  call.object = DriverOf(instance).MakeHandle();
  *messenger = (VkDebugUtilsMessengerEXT)call.object;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDebugUtilsMessengerEXT(VkInstance instance, VkDebugUtilsMessengerEXT messenger,
                                                         const VkAllocationCallbacks*) {
  DriverOf(instance).Record("DestroyDebugUtilsMessengerEXT").object = (uint64_t)messenger;
}

// Members of a feature structure behind sType and pNext.
std::vector<VkBool32> FeatureMembers(const VkBaseInStructure& structure) {
  const size_t bytes = StructSize(structure.sType) - sizeof(VkBaseInStructure);
  std::vector<VkBool32> members(bytes / sizeof(VkBool32));
  std::memcpy(members.data(), reinterpret_cast<const char*>(&structure) + sizeof(VkBaseInStructure),
              members.size() * sizeof(VkBool32));
  return members;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical_device, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks*, VkDevice* device) {
  FakeDriver& driver = DriverOf(physical_device);
  driver.Record("CreateDevice");
  if (driver.see_device_chain) driver.see_device_chain(info->pNext);
  driver.device_extensions.assign(info->ppEnabledExtensionNames,
                                  info->ppEnabledExtensionNames + info->enabledExtensionCount);
  driver.enabled_features.reset();
  if (info->pEnabledFeatures) driver.enabled_features = *info->pEnabledFeatures;
  driver.device_chain.clear();
  driver.device_features.clear();
  for (auto* at = static_cast<const VkBaseInStructure*>(info->pNext); at; at = at->pNext) {
    if (at->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO) continue;
    driver.device_chain.push_back(at->sType);
    if (StructSize(at->sType)) driver.device_features[at->sType] = FeatureMembers(*at);
  }
  *device = static_cast<VkDevice>(driver.MakeDispatchable());
  return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name) {
  if (!instance) return FakeInstanceFunction(name);
  const FakeDriver& driver = DriverOf(instance);
  if (driver.options.missing_commands.count(name)) return nullptr;
  const auto& enabled = driver.instance_extensions;
  if (std::strstr(name, "DebugUtils") && !std::count(enabled.begin(), enabled.end(), VK_EXT_DEBUG_UTILS_EXTENSION_NAME))
    return nullptr;
  const PFN_vkVoidFunction function = FakeInstanceFunction(name);
  return function ? function : driver.DeviceFunction(name);
}

}  // namespace

PFN_vkVoidFunction FakeInstanceFunction(const char* name) {
  static const FunctionTable table = {
      TRELLIS_FAKE(CreateDebugUtilsMessengerEXT),
      TRELLIS_FAKE(CreateDevice),
      TRELLIS_FAKE(CreateInstance),
      TRELLIS_FAKE(DestroyDebugUtilsMessengerEXT),
      TRELLIS_FAKE(DestroyInstance),
      TRELLIS_FAKE(EnumerateDeviceExtensionProperties),
      TRELLIS_FAKE(EnumeratePhysicalDevices),
      TRELLIS_FAKE(GetInstanceProcAddr),
      TRELLIS_FAKE(GetPhysicalDeviceExternalBufferProperties),
      TRELLIS_FAKE(GetPhysicalDeviceFeatures),
      TRELLIS_FAKE(GetPhysicalDeviceFeatures2),
      TRELLIS_FAKE(GetPhysicalDeviceMemoryProperties),
      TRELLIS_FAKE(GetPhysicalDeviceProperties),
      TRELLIS_FAKE(GetPhysicalDeviceProperties2),
      TRELLIS_FAKE(GetPhysicalDeviceQueueFamilyProperties),
      TRELLIS_FAKE(GetPhysicalDeviceToolProperties),
      {"vkGetPhysicalDeviceToolPropertiesEXT",
       DriverFunction<PFN_vkGetPhysicalDeviceToolProperties, &GetPhysicalDeviceToolProperties>()},
  };
  return FindFunction(table, name);
}

PFN_vkGetInstanceProcAddr FakeDriver::MakeCurrent() {
  t_current_driver = this;
  return reinterpret_cast<PFN_vkGetInstanceProcAddr>(DriverFunction<PFN_vkGetInstanceProcAddr, &GetInstanceProcAddr>());
}

}  // namespace trellis::test
