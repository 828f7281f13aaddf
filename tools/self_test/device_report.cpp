// SPDX-License-Identifier: Apache-2.0
#include "tools/self_test/device_report.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "tools/self_test/json.h"

namespace trellis::self_test {
namespace {

std::vector<VkExtensionProperties> Extensions(VkPhysicalDevice device) {
  uint32_t count = 0;
  Check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr), "vkEnumerateDeviceExtensionProperties");
  std::vector<VkExtensionProperties> extensions(count);
  Check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data()),
        "vkEnumerateDeviceExtensionProperties");
  return extensions;
}

std::string Version(uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version)) + "." +
         std::to_string(VK_API_VERSION_PATCH(version));
}

std::string DescribeLimits(const VkPhysicalDeviceLimits& limits) {
  JsonObject json;
  json.Number("maxComputeWorkGroupInvocations", limits.maxComputeWorkGroupInvocations);
  json.Number("maxComputeWorkGroupCountX", limits.maxComputeWorkGroupCount[0]);
  json.Number("maxComputeWorkGroupCountY", limits.maxComputeWorkGroupCount[1]);
  json.Number("maxComputeWorkGroupCountZ", limits.maxComputeWorkGroupCount[2]);
  json.Number("maxComputeSharedMemorySize", limits.maxComputeSharedMemorySize);
  json.Number("maxPushConstantsSize", limits.maxPushConstantsSize);
  json.Number("maxBoundDescriptorSets", limits.maxBoundDescriptorSets);
  json.Number("maxMemoryAllocationCount", limits.maxMemoryAllocationCount);
  json.Number("minStorageBufferOffsetAlignment", limits.minStorageBufferOffsetAlignment);
  json.Decimal("timestampPeriod", limits.timestampPeriod);
  return json.str();
}

void AddProperties(JsonObject& json, VkPhysicalDevice device) {
  auto enqueue = MakeStruct<VkPhysicalDeviceShaderEnqueuePropertiesAMDX>();
  auto maintenance3 = MakeStruct<VkPhysicalDeviceMaintenance3Properties>(OffersGraphs(device) ? &enqueue : nullptr);
  auto subgroup = MakeStruct<VkPhysicalDeviceSubgroupProperties>(&maintenance3);
  auto driver = MakeStruct<VkPhysicalDeviceDriverProperties>(&subgroup);
  auto properties = MakeStruct<VkPhysicalDeviceProperties2>(&driver);
  vkGetPhysicalDeviceProperties2(device, &properties);
  const VkPhysicalDeviceProperties& core = properties.properties;
  json.Text("name", core.deviceName);
  json.Number("type", core.deviceType);
  json.Number("vendor_id", core.vendorID);
  json.Number("device_id", core.deviceID);
  json.Text("api_version", Version(core.apiVersion));
  json.Text("driver_name", driver.driverName);
  json.Text("driver_info", driver.driverInfo);
  json.Number("driver_id", driver.driverID);
  json.Number("driver_version", core.driverVersion);
  json.Number("subgroup_size", subgroup.subgroupSize);
  json.Number("subgroup_operations", subgroup.supportedOperations);
  json.Number("max_memory_allocation_size", maintenance3.maxMemoryAllocationSize);
  json.Add("limits", DescribeLimits(core.limits));
  if (!OffersGraphs(device)) return;
  JsonObject limits;
  limits.Number("maxExecutionGraphDepth", enqueue.maxExecutionGraphDepth);
  limits.Number("maxExecutionGraphShaderOutputNodes", enqueue.maxExecutionGraphShaderOutputNodes);
  limits.Number("maxExecutionGraphShaderPayloadSize", enqueue.maxExecutionGraphShaderPayloadSize);
  limits.Number("maxExecutionGraphShaderPayloadCount", enqueue.maxExecutionGraphShaderPayloadCount);
  limits.Number("executionGraphDispatchAddressAlignment", enqueue.executionGraphDispatchAddressAlignment);
  limits.Number("maxExecutionGraphWorkgroups", enqueue.maxExecutionGraphWorkgroups);
  json.Add("enqueue_properties", limits.str());
}

std::string DescribeFeatures(VkPhysicalDevice device) {
  auto vulkan13 = MakeStruct<VkPhysicalDeviceVulkan13Features>();
  auto vulkan12 = MakeStruct<VkPhysicalDeviceVulkan12Features>(&vulkan13);
  auto features = MakeStruct<VkPhysicalDeviceFeatures2>(&vulkan12);
  vkGetPhysicalDeviceFeatures2(device, &features);
  JsonObject json;
  json.Truth("shaderInt64", features.features.shaderInt64 != VK_FALSE);
  json.Truth("shaderInt16", features.features.shaderInt16 != VK_FALSE);
  json.Truth("robustBufferAccess", features.features.robustBufferAccess != VK_FALSE);
  json.Truth("bufferDeviceAddress", vulkan12.bufferDeviceAddress != VK_FALSE);
  json.Truth("scalarBlockLayout", vulkan12.scalarBlockLayout != VK_FALSE);
  json.Truth("vulkanMemoryModel", vulkan12.vulkanMemoryModel != VK_FALSE);
  json.Truth("vulkanMemoryModelDeviceScope", vulkan12.vulkanMemoryModelDeviceScope != VK_FALSE);
  json.Truth("timelineSemaphore", vulkan12.timelineSemaphore != VK_FALSE);
  json.Truth("shaderBufferInt64Atomics", vulkan12.shaderBufferInt64Atomics != VK_FALSE);
  json.Truth("synchronization2", vulkan13.synchronization2 != VK_FALSE);
  json.Truth("maintenance4", vulkan13.maintenance4 != VK_FALSE);
  json.Truth("dynamicRendering", vulkan13.dynamicRendering != VK_FALSE);
  json.Truth("subgroupSizeControl", vulkan13.subgroupSizeControl != VK_FALSE);
  json.Truth("computeFullSubgroups", vulkan13.computeFullSubgroups != VK_FALSE);
  if (!OffersGraphs(device)) return json.str();
  auto enqueue = MakeStruct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>();
  features.pNext = &enqueue;
  vkGetPhysicalDeviceFeatures2(device, &features);
  json.Truth("shaderEnqueue", enqueue.shaderEnqueue != VK_FALSE);
  json.Truth("shaderMeshEnqueue", enqueue.shaderMeshEnqueue != VK_FALSE);
  return json.str();
}

std::string DescribeMemory(VkPhysicalDevice device) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(device, &memory);
  JsonArray heaps;
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    JsonObject heap;
    heap.Number("size", memory.memoryHeaps[i].size);
    heap.Number("flags", memory.memoryHeaps[i].flags);
    heaps.Add(heap.str());
  }
  JsonArray types;
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    JsonObject type;
    type.Number("heap", memory.memoryTypes[i].heapIndex);
    type.Number("flags", memory.memoryTypes[i].propertyFlags);
    types.Add(type.str());
  }
  JsonObject json;
  json.Add("heaps", heaps.str());
  json.Add("types", types.str());
  return json.str();
}

std::string DescribeQueues(VkPhysicalDevice device) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  JsonArray json;
  for (const VkQueueFamilyProperties& family : families) {
    JsonObject each;
    each.Number("flags", family.queueFlags);
    each.Number("queues", family.queueCount);
    each.Number("timestamp_bits", family.timestampValidBits);
    json.Add(each.str());
  }
  return json.str();
}

}  // namespace

bool OffersGraphs(VkPhysicalDevice device) {
  const std::vector<VkExtensionProperties> extensions = Extensions(device);
  const bool listed = std::any_of(extensions.begin(), extensions.end(), [](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME) == 0 &&
           extension.specVersion >= VK_AMDX_SHADER_ENQUEUE_SPEC_VERSION;
  });
  if (!listed) return false;
  auto enqueue = MakeStruct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>();
  auto features = MakeStruct<VkPhysicalDeviceFeatures2>(&enqueue);
  vkGetPhysicalDeviceFeatures2(device, &features);
  return enqueue.shaderEnqueue != VK_FALSE;
}

std::string DescribeDevice(VkPhysicalDevice device) {
  JsonObject json;
  AddProperties(json, device);
  json.Add("features", DescribeFeatures(device));
  json.Add("memory", DescribeMemory(device));
  json.Add("queue_families", DescribeQueues(device));
  JsonObject extensions;
  for (const VkExtensionProperties& extension : Extensions(device))
    extensions.Number(extension.extensionName, extension.specVersion);
  json.Add("extensions", extensions.str());
  return json.str();
}

}  // namespace trellis::self_test
