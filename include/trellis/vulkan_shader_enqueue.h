// SPDX-License-Identifier: Apache-2.0
// Declares VK_AMDX_shader_enqueue, revision 2, for applications in C and C++, whatever the age of the Vulkan headers.
//
//   Vulkan headers        without VK_ENABLE_BETA_EXTENSIONS   with VK_ENABLE_BETA_EXTENSIONS
//   before 1.3.260        this header declares everything     this header declares everything
//   1.3.260 to 1.4.308    this header declares everything     refused: these declare revision 1, under the same names
//   1.4.309 and newer     this header declares everything     the Vulkan headers declare everything
//
// Include it instead of <vulkan/vulkan.h>, or after it. It also declares the part of VK_KHR_maintenance5 that an application
// of the extension needs. Take the commands from vkGetDeviceProcAddr: this header declares no prototypes.
#ifndef TRELLIS_VULKAN_SHADER_ENQUEUE_H_
#define TRELLIS_VULKAN_SHADER_ENQUEUE_H_

#include <vulkan/vulkan.h>

#ifdef VK_AMDX_SHADER_ENQUEUE_SPEC_VERSION
#if VK_AMDX_SHADER_ENQUEUE_SPEC_VERSION < 2
#error "These Vulkan headers declare revision 1 of VK_AMDX_shader_enqueue. Do not define VK_ENABLE_BETA_EXTENSIONS, or use Vulkan headers 1.4.309 or newer."
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* VK_KHR_maintenance5: the extension depends on it. */
#ifndef VK_KHR_maintenance5
#define VK_KHR_maintenance5 1
#define VK_KHR_MAINTENANCE_5_SPEC_VERSION 1
#define VK_KHR_MAINTENANCE_5_EXTENSION_NAME "VK_KHR_maintenance5"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR ((VkStructureType)1000470000)
#define VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR ((VkStructureType)1000470005)
#define VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR ((VkStructureType)1000470006)

typedef VkFlags64 VkPipelineCreateFlags2KHR;
typedef VkFlags64 VkPipelineCreateFlagBits2KHR;
typedef VkFlags64 VkBufferUsageFlags2KHR;
typedef VkFlags64 VkBufferUsageFlagBits2KHR;

typedef struct VkPhysicalDeviceMaintenance5FeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 maintenance5;
} VkPhysicalDeviceMaintenance5FeaturesKHR;

typedef struct VkPipelineCreateFlags2CreateInfoKHR {
  VkStructureType sType;
  const void* pNext;
  VkPipelineCreateFlags2KHR flags;
} VkPipelineCreateFlags2CreateInfoKHR;

typedef struct VkBufferUsageFlags2CreateInfoKHR {
  VkStructureType sType;
  const void* pNext;
  VkBufferUsageFlags2KHR usage;
} VkBufferUsageFlags2CreateInfoKHR;
#endif  /* VK_KHR_maintenance5 */

#ifndef VK_AMDX_SHADER_ENQUEUE_SPEC_VERSION
#define VK_AMDX_shader_enqueue 1
#define VK_AMDX_SHADER_ENQUEUE_SPEC_VERSION 2
#define VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME "VK_AMDX_shader_enqueue"
#define VK_SHADER_INDEX_UNUSED_AMDX (~0U)

#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX ((VkStructureType)1000134000)
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_PROPERTIES_AMDX ((VkStructureType)1000134001)
#define VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX ((VkStructureType)1000134002)
#define VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX ((VkStructureType)1000134003)
#define VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX ((VkStructureType)1000134004)
#define VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX ((VkPipelineBindPoint)1000134000)
#define VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX ((VkBufferUsageFlagBits)0x02000000)
#define VK_BUFFER_USAGE_2_EXECUTION_GRAPH_SCRATCH_BIT_AMDX ((VkBufferUsageFlagBits2KHR)0x02000000ULL)
#define VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX ((VkPipelineCreateFlagBits2KHR)0x100000000ULL)

typedef struct VkPhysicalDeviceShaderEnqueueFeaturesAMDX {
  VkStructureType sType;
  void* pNext;
  VkBool32 shaderEnqueue;
  VkBool32 shaderMeshEnqueue;
} VkPhysicalDeviceShaderEnqueueFeaturesAMDX;

typedef struct VkPhysicalDeviceShaderEnqueuePropertiesAMDX {
  VkStructureType sType;
  void* pNext;
  uint32_t maxExecutionGraphDepth;
  uint32_t maxExecutionGraphShaderOutputNodes;
  uint32_t maxExecutionGraphShaderPayloadSize;
  uint32_t maxExecutionGraphShaderPayloadCount;
  uint32_t executionGraphDispatchAddressAlignment;
  uint32_t maxExecutionGraphWorkgroupCount[3];
  uint32_t maxExecutionGraphWorkgroups;
} VkPhysicalDeviceShaderEnqueuePropertiesAMDX;

typedef struct VkExecutionGraphPipelineScratchSizeAMDX {
  VkStructureType sType;
  void* pNext;
  VkDeviceSize minSize;
  VkDeviceSize maxSize;
  VkDeviceSize sizeGranularity;
} VkExecutionGraphPipelineScratchSizeAMDX;

typedef struct VkExecutionGraphPipelineCreateInfoAMDX {
  VkStructureType sType;
  const void* pNext;
  VkPipelineCreateFlags flags;
  uint32_t stageCount;
  const VkPipelineShaderStageCreateInfo* pStages;
  const VkPipelineLibraryCreateInfoKHR* pLibraryInfo;
  VkPipelineLayout layout;
  VkPipeline basePipelineHandle;
  int32_t basePipelineIndex;
} VkExecutionGraphPipelineCreateInfoAMDX;

typedef union VkDeviceOrHostAddressConstAMDX {
  VkDeviceAddress deviceAddress;
  const void* hostAddress;
} VkDeviceOrHostAddressConstAMDX;

typedef struct VkDispatchGraphInfoAMDX {
  uint32_t nodeIndex;
  uint32_t payloadCount;
  VkDeviceOrHostAddressConstAMDX payloads;
  uint64_t payloadStride;
} VkDispatchGraphInfoAMDX;

typedef struct VkDispatchGraphCountInfoAMDX {
  uint32_t count;
  VkDeviceOrHostAddressConstAMDX infos;
  uint64_t stride;
} VkDispatchGraphCountInfoAMDX;

typedef struct VkPipelineShaderStageNodeCreateInfoAMDX {
  VkStructureType sType;
  const void* pNext;
  const char* pName;
  uint32_t index;
} VkPipelineShaderStageNodeCreateInfoAMDX;

typedef VkResult(VKAPI_PTR* PFN_vkCreateExecutionGraphPipelinesAMDX)(
    VkDevice device, VkPipelineCache pipelineCache, uint32_t createInfoCount,
    const VkExecutionGraphPipelineCreateInfoAMDX* pCreateInfos, const VkAllocationCallbacks* pAllocator,
    VkPipeline* pPipelines);
typedef VkResult(VKAPI_PTR* PFN_vkGetExecutionGraphPipelineScratchSizeAMDX)(
    VkDevice device, VkPipeline executionGraph, VkExecutionGraphPipelineScratchSizeAMDX* pSizeInfo);
typedef VkResult(VKAPI_PTR* PFN_vkGetExecutionGraphPipelineNodeIndexAMDX)(
    VkDevice device, VkPipeline executionGraph, const VkPipelineShaderStageNodeCreateInfoAMDX* pNodeInfo,
    uint32_t* pNodeIndex);
typedef void(VKAPI_PTR* PFN_vkCmdInitializeGraphScratchMemoryAMDX)(VkCommandBuffer commandBuffer,
                                                                   VkPipeline executionGraph, VkDeviceAddress scratch,
                                                                   VkDeviceSize scratchSize);
typedef void(VKAPI_PTR* PFN_vkCmdDispatchGraphAMDX)(VkCommandBuffer commandBuffer, VkDeviceAddress scratch,
                                                    VkDeviceSize scratchSize,
                                                    const VkDispatchGraphCountInfoAMDX* pCountInfo);
typedef void(VKAPI_PTR* PFN_vkCmdDispatchGraphIndirectAMDX)(VkCommandBuffer commandBuffer, VkDeviceAddress scratch,
                                                            VkDeviceSize scratchSize,
                                                            const VkDispatchGraphCountInfoAMDX* pCountInfo);
typedef void(VKAPI_PTR* PFN_vkCmdDispatchGraphIndirectCountAMDX)(VkCommandBuffer commandBuffer, VkDeviceAddress scratch,
                                                                 VkDeviceSize scratchSize, VkDeviceAddress countInfo);
#endif /* VK_AMDX_SHADER_ENQUEUE_SPEC_VERSION */

#ifdef __cplusplus
}
#endif

#endif /* TRELLIS_VULKAN_SHADER_ENQUEUE_H_ */
