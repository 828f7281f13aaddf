// SPDX-License-Identifier: Apache-2.0
// Prints what is declared of VK_AMDX_shader_enqueue: values, sizes, offsets and types. Compiled with the Vulkan
// headers' own declarations, and with those of trellis/vulkan_shader_enqueue.h in front of new and old Vulkan headers.
#ifdef TRELLIS_HEADER
#include "trellis/vulkan_shader_enqueue.h"
#else
#define VK_ENABLE_BETA_EXTENSIONS
#include <vulkan/vulkan.h>
#endif

#include <cstddef>
#include <cstdio>
#include <string>
#include <type_traits>

namespace {

template <typename T>
std::string Kind() {
  if (std::is_pointer_v<T>) return "pointer";
  if (std::is_array_v<T>) return "array";
  if (std::is_union_v<T>) return "union";
  if (std::is_signed_v<T>) return "signed";
  return std::is_enum_v<T> ? "enum" : "unsigned";
}

#define VALUE(name) std::printf("%s = %llu, %zu bytes\n", #name, static_cast<unsigned long long>(name), sizeof(name))
#define TEXT(name) std::printf("%s = %s\n", #name, name)
#define STRUCT(name) std::printf("%s: %zu bytes, aligned to %zu\n", #name, sizeof(name), alignof(name))
#define MEMBER(type, name)                                                                     \
  std::printf("  %s at %zu, %zu bytes, %s\n", #name, offsetof(type, name), sizeof(type::name), \
              Kind<decltype(type::name)>().c_str())
#define COMMAND(name, ...) \
  std::printf("%s: %s\n", #name, std::is_same_v<name, __VA_ARGS__> ? "as in the registry" : "has another type")

void PrintValues() {
  VALUE(VK_AMDX_SHADER_ENQUEUE_SPEC_VERSION);
  TEXT(VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME);
  VALUE(VK_SHADER_INDEX_UNUSED_AMDX);
  VALUE(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX);
  VALUE(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_PROPERTIES_AMDX);
  VALUE(VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX);
  VALUE(VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX);
  VALUE(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX);
  VALUE(VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX);
  VALUE(VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
  VALUE(VK_BUFFER_USAGE_2_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
  VALUE(VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX);
  TEXT(VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
  VALUE(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR);
  VALUE(VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR);
  VALUE(VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR);
}

void PrintDeviceStructures() {
  STRUCT(VkPhysicalDeviceShaderEnqueueFeaturesAMDX);
  MEMBER(VkPhysicalDeviceShaderEnqueueFeaturesAMDX, pNext);
  MEMBER(VkPhysicalDeviceShaderEnqueueFeaturesAMDX, shaderEnqueue);
  MEMBER(VkPhysicalDeviceShaderEnqueueFeaturesAMDX, shaderMeshEnqueue);
  STRUCT(VkPhysicalDeviceShaderEnqueuePropertiesAMDX);
  MEMBER(VkPhysicalDeviceShaderEnqueuePropertiesAMDX, pNext);
  MEMBER(VkPhysicalDeviceShaderEnqueuePropertiesAMDX, maxExecutionGraphDepth);
  MEMBER(VkPhysicalDeviceShaderEnqueuePropertiesAMDX, maxExecutionGraphShaderOutputNodes);
  MEMBER(VkPhysicalDeviceShaderEnqueuePropertiesAMDX, maxExecutionGraphShaderPayloadSize);
  MEMBER(VkPhysicalDeviceShaderEnqueuePropertiesAMDX, maxExecutionGraphShaderPayloadCount);
  MEMBER(VkPhysicalDeviceShaderEnqueuePropertiesAMDX, executionGraphDispatchAddressAlignment);
  MEMBER(VkPhysicalDeviceShaderEnqueuePropertiesAMDX, maxExecutionGraphWorkgroupCount);
  MEMBER(VkPhysicalDeviceShaderEnqueuePropertiesAMDX, maxExecutionGraphWorkgroups);
  STRUCT(VkPhysicalDeviceMaintenance5FeaturesKHR);
  MEMBER(VkPhysicalDeviceMaintenance5FeaturesKHR, maintenance5);
  STRUCT(VkPipelineCreateFlags2CreateInfoKHR);
  MEMBER(VkPipelineCreateFlags2CreateInfoKHR, flags);
  STRUCT(VkBufferUsageFlags2CreateInfoKHR);
  MEMBER(VkBufferUsageFlags2CreateInfoKHR, usage);
}

void PrintGraphStructures() {
  STRUCT(VkExecutionGraphPipelineScratchSizeAMDX);
  MEMBER(VkExecutionGraphPipelineScratchSizeAMDX, pNext);
  MEMBER(VkExecutionGraphPipelineScratchSizeAMDX, minSize);
  MEMBER(VkExecutionGraphPipelineScratchSizeAMDX, maxSize);
  MEMBER(VkExecutionGraphPipelineScratchSizeAMDX, sizeGranularity);
  STRUCT(VkExecutionGraphPipelineCreateInfoAMDX);
  MEMBER(VkExecutionGraphPipelineCreateInfoAMDX, pNext);
  MEMBER(VkExecutionGraphPipelineCreateInfoAMDX, flags);
  MEMBER(VkExecutionGraphPipelineCreateInfoAMDX, stageCount);
  MEMBER(VkExecutionGraphPipelineCreateInfoAMDX, pStages);
  MEMBER(VkExecutionGraphPipelineCreateInfoAMDX, pLibraryInfo);
  MEMBER(VkExecutionGraphPipelineCreateInfoAMDX, layout);
  MEMBER(VkExecutionGraphPipelineCreateInfoAMDX, basePipelineHandle);
  MEMBER(VkExecutionGraphPipelineCreateInfoAMDX, basePipelineIndex);
  STRUCT(VkDeviceOrHostAddressConstAMDX);
  MEMBER(VkDeviceOrHostAddressConstAMDX, deviceAddress);
  MEMBER(VkDeviceOrHostAddressConstAMDX, hostAddress);
  STRUCT(VkDispatchGraphInfoAMDX);
  MEMBER(VkDispatchGraphInfoAMDX, nodeIndex);
  MEMBER(VkDispatchGraphInfoAMDX, payloadCount);
  MEMBER(VkDispatchGraphInfoAMDX, payloads);
  MEMBER(VkDispatchGraphInfoAMDX, payloadStride);
  STRUCT(VkDispatchGraphCountInfoAMDX);
  MEMBER(VkDispatchGraphCountInfoAMDX, count);
  MEMBER(VkDispatchGraphCountInfoAMDX, infos);
  MEMBER(VkDispatchGraphCountInfoAMDX, stride);
  STRUCT(VkPipelineShaderStageNodeCreateInfoAMDX);
  MEMBER(VkPipelineShaderStageNodeCreateInfoAMDX, pNext);
  MEMBER(VkPipelineShaderStageNodeCreateInfoAMDX, pName);
  MEMBER(VkPipelineShaderStageNodeCreateInfoAMDX, index);
}

void PrintCommands() {
  COMMAND(PFN_vkCreateExecutionGraphPipelinesAMDX,
          VkResult(VKAPI_PTR*)(VkDevice, VkPipelineCache, uint32_t, const VkExecutionGraphPipelineCreateInfoAMDX*,
                               const VkAllocationCallbacks*, VkPipeline*));
  COMMAND(PFN_vkGetExecutionGraphPipelineScratchSizeAMDX,
          VkResult(VKAPI_PTR*)(VkDevice, VkPipeline, VkExecutionGraphPipelineScratchSizeAMDX*));
  COMMAND(PFN_vkGetExecutionGraphPipelineNodeIndexAMDX,
          VkResult(VKAPI_PTR*)(VkDevice, VkPipeline, const VkPipelineShaderStageNodeCreateInfoAMDX*, uint32_t*));
  COMMAND(PFN_vkCmdInitializeGraphScratchMemoryAMDX,
          void(VKAPI_PTR*)(VkCommandBuffer, VkPipeline, VkDeviceAddress, VkDeviceSize));
  COMMAND(PFN_vkCmdDispatchGraphAMDX,
          void(VKAPI_PTR*)(VkCommandBuffer, VkDeviceAddress, VkDeviceSize, const VkDispatchGraphCountInfoAMDX*));
  COMMAND(PFN_vkCmdDispatchGraphIndirectAMDX,
          void(VKAPI_PTR*)(VkCommandBuffer, VkDeviceAddress, VkDeviceSize, const VkDispatchGraphCountInfoAMDX*));
  COMMAND(PFN_vkCmdDispatchGraphIndirectCountAMDX,
          void(VKAPI_PTR*)(VkCommandBuffer, VkDeviceAddress, VkDeviceSize, VkDeviceAddress));
}

}  // namespace

int main() {
  PrintValues();
  PrintDeviceStructures();
  PrintGraphStructures();
  PrintCommands();
}
