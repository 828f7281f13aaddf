// SPDX-License-Identifier: Apache-2.0
// The Vulkan commands that the layer calls on the next layer, one list entry each; tables are generated from these
// lists.
//
// REQUIRED(Name): present in every implementation on which the extension is offered (Vulkan 1.2, or an alias of it).
// OPTIONAL(Name): may be null; whoever calls it checks.
// OPTIONAL_ALIAS(Name, Alias): the same command under a second name, taken when the first is null. Commands of the
// device have the extension of that name as well, and where it is enabled the second name comes first.
#pragma once

// clang-format off
#define TRELLIS_INSTANCE_FUNCTIONS(REQUIRED, OPTIONAL, OPTIONAL_ALIAS) \
  REQUIRED(CreateDevice) \
  REQUIRED(DestroyInstance) \
  REQUIRED(EnumerateDeviceExtensionProperties) \
  REQUIRED(EnumeratePhysicalDevices) \
  REQUIRED(GetPhysicalDeviceFeatures) \
  REQUIRED(GetPhysicalDeviceMemoryProperties) \
  REQUIRED(GetPhysicalDeviceProperties) \
  REQUIRED(GetPhysicalDeviceQueueFamilyProperties) \
  OPTIONAL(CreateDebugUtilsMessengerEXT) \
  OPTIONAL(DestroyDebugUtilsMessengerEXT) \
  OPTIONAL(SetDebugUtilsObjectNameEXT) \
  OPTIONAL(SetDebugUtilsObjectTagEXT) \
  OPTIONAL_ALIAS(GetPhysicalDeviceExternalBufferProperties, GetPhysicalDeviceExternalBufferPropertiesKHR) \
  OPTIONAL_ALIAS(GetPhysicalDeviceFeatures2, GetPhysicalDeviceFeatures2KHR) \
  OPTIONAL_ALIAS(GetPhysicalDeviceProperties2, GetPhysicalDeviceProperties2KHR) \
  OPTIONAL_ALIAS(GetPhysicalDeviceToolProperties, GetPhysicalDeviceToolPropertiesEXT)

#define TRELLIS_DEVICE_FUNCTIONS(REQUIRED, OPTIONAL, OPTIONAL_ALIAS) \
  REQUIRED(AllocateCommandBuffers) \
  REQUIRED(AllocateMemory) \
  REQUIRED(BeginCommandBuffer) \
  REQUIRED(BindBufferMemory) \
  REQUIRED(CmdBeginQuery) \
  REQUIRED(CmdBeginRenderPass) \
  REQUIRED(CmdBindDescriptorSets) \
  REQUIRED(CmdBindIndexBuffer) \
  REQUIRED(CmdBindPipeline) \
  REQUIRED(CmdCopyBuffer) \
  REQUIRED(CmdCopyQueryPoolResults) \
  REQUIRED(CmdDispatch) \
  REQUIRED(CmdDispatchIndirect) \
  REQUIRED(CmdEndQuery) \
  REQUIRED(CmdEndRenderPass) \
  REQUIRED(CmdExecuteCommands) \
  REQUIRED(CmdFillBuffer) \
  REQUIRED(CmdPipelineBarrier) \
  REQUIRED(CmdPushConstants) \
  REQUIRED(CmdResetQueryPool) \
  REQUIRED(CmdUpdateBuffer) \
  REQUIRED(CmdWriteTimestamp) \
  REQUIRED(CreateBuffer) \
  REQUIRED(CreateBufferView) \
  REQUIRED(CreateCommandPool) \
  REQUIRED(CreateComputePipelines) \
  REQUIRED(CreateDescriptorSetLayout) \
  REQUIRED(CreateDescriptorUpdateTemplate) \
  REQUIRED(CreateFence) \
  REQUIRED(CreateGraphicsPipelines) \
  REQUIRED(CreateImage) \
  REQUIRED(CreatePipelineCache) \
  REQUIRED(CreatePipelineLayout) \
  REQUIRED(CreateQueryPool) \
  REQUIRED(CreateRenderPass) \
  REQUIRED(CreateShaderModule) \
  REQUIRED(DestroyBuffer) \
  REQUIRED(DestroyCommandPool) \
  REQUIRED(DestroyDescriptorSetLayout) \
  REQUIRED(DestroyDescriptorUpdateTemplate) \
  REQUIRED(DestroyDevice) \
  REQUIRED(DestroyFence) \
  REQUIRED(DestroyImage) \
  REQUIRED(DestroyPipeline) \
  REQUIRED(DestroyPipelineCache) \
  REQUIRED(DestroyPipelineLayout) \
  REQUIRED(DestroyQueryPool) \
  REQUIRED(DestroyRenderPass) \
  REQUIRED(DestroyShaderModule) \
  REQUIRED(DeviceWaitIdle) \
  REQUIRED(EndCommandBuffer) \
  REQUIRED(FlushMappedMemoryRanges) \
  REQUIRED(FreeCommandBuffers) \
  REQUIRED(FreeMemory) \
  REQUIRED(GetBufferMemoryRequirements) \
  REQUIRED(GetDeviceQueue) \
  REQUIRED(GetFenceStatus) \
  REQUIRED(GetImageSubresourceLayout) \
  REQUIRED(InvalidateMappedMemoryRanges) \
  REQUIRED(MapMemory) \
  REQUIRED(QueueSubmit) \
  REQUIRED(QueueWaitIdle) \
  REQUIRED(ResetCommandBuffer) \
  REQUIRED(ResetCommandPool) \
  REQUIRED(ResetFences) \
  REQUIRED(UnmapMemory) \
  REQUIRED(WaitForFences) \
  OPTIONAL_ALIAS(GetBufferDeviceAddress, GetBufferDeviceAddressKHR, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME) \
  OPTIONAL(GetBufferDeviceAddressEXT) \
  OPTIONAL(CmdBeginConditionalRenderingEXT) \
  OPTIONAL(CmdBeginDebugUtilsLabelEXT) \
  OPTIONAL(CmdBeginQueryIndexedEXT) \
  OPTIONAL(CmdBeginTransformFeedbackEXT) \
  OPTIONAL(CmdBindDescriptorBufferEmbeddedSamplers2EXT) \
  OPTIONAL(CmdBindDescriptorBufferEmbeddedSamplersEXT) \
  OPTIONAL(CmdBindDescriptorBuffersEXT) \
  OPTIONAL(CmdBindShadersEXT) \
  OPTIONAL(DebugMarkerSetObjectNameEXT) \
  OPTIONAL(DebugMarkerSetObjectTagEXT) \
  OPTIONAL(CmdDrawMeshTasksEXT) \
  OPTIONAL(CmdDrawMeshTasksIndirectEXT) \
  OPTIONAL(CmdEndConditionalRenderingEXT) \
  OPTIONAL(CmdEndDebugUtilsLabelEXT) \
  OPTIONAL(CmdEndQueryIndexedEXT) \
  OPTIONAL(CmdEndTransformFeedbackEXT) \
  OPTIONAL(CmdInsertDebugUtilsLabelEXT) \
  OPTIONAL(CmdSetDescriptorBufferOffsets2EXT) \
  OPTIONAL(CmdSetDescriptorBufferOffsetsEXT) \
  OPTIONAL(CreatePipelineBinariesKHR) \
  OPTIONAL(CreateRayTracingPipelinesKHR) \
  OPTIONAL(CreateShadersEXT) \
  OPTIONAL(GetDeviceQueue2) \
  OPTIONAL(GetPipelineExecutableInternalRepresentationsKHR) \
  OPTIONAL(GetPipelineExecutablePropertiesKHR) \
  OPTIONAL(GetPipelineExecutableStatisticsKHR) \
  OPTIONAL(GetPipelineKeyKHR) \
  OPTIONAL(GetPipelinePropertiesEXT) \
  OPTIONAL(GetShaderInfoAMD) \
  OPTIONAL(GetShaderModuleIdentifierEXT) \
  OPTIONAL(ReleaseCapturedPipelineDataKHR) \
  OPTIONAL(SetDebugUtilsObjectNameEXT) \
  OPTIONAL(SetDebugUtilsObjectTagEXT) \
  OPTIONAL_ALIAS(CmdBeginRenderPass2, CmdBeginRenderPass2KHR, VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME) \
  OPTIONAL_ALIAS(CmdBeginRendering, CmdBeginRenderingKHR, VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME) \
  OPTIONAL_ALIAS(CmdBindDescriptorSets2, CmdBindDescriptorSets2KHR, VK_KHR_MAINTENANCE_6_EXTENSION_NAME) \
  OPTIONAL_ALIAS(CmdEndRenderPass2, CmdEndRenderPass2KHR, VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME) \
  OPTIONAL_ALIAS(CmdEndRendering, CmdEndRenderingKHR, VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME) \
  OPTIONAL_ALIAS(CmdEndRendering2KHR, CmdEndRendering2EXT, "VK_EXT_fragment_density_map_offset") \
  OPTIONAL_ALIAS(CmdPipelineBarrier2, CmdPipelineBarrier2KHR, VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME) \
  OPTIONAL_ALIAS(CmdPushConstants2, CmdPushConstants2KHR, VK_KHR_MAINTENANCE_6_EXTENSION_NAME) \
  OPTIONAL_ALIAS(CmdPushDescriptorSet, CmdPushDescriptorSetKHR, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME) \
  OPTIONAL_ALIAS(CmdPushDescriptorSet2, CmdPushDescriptorSet2KHR, VK_KHR_MAINTENANCE_6_EXTENSION_NAME) \
  OPTIONAL_ALIAS(CmdPushDescriptorSetWithTemplate, CmdPushDescriptorSetWithTemplateKHR, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME) \
  OPTIONAL_ALIAS(CmdPushDescriptorSetWithTemplate2, CmdPushDescriptorSetWithTemplate2KHR, VK_KHR_MAINTENANCE_6_EXTENSION_NAME) \
  OPTIONAL_ALIAS(CmdSetRenderingAttachmentLocations, CmdSetRenderingAttachmentLocationsKHR, VK_KHR_DYNAMIC_RENDERING_LOCAL_READ_EXTENSION_NAME) \
  OPTIONAL_ALIAS(CmdSetRenderingInputAttachmentIndices, CmdSetRenderingInputAttachmentIndicesKHR, VK_KHR_DYNAMIC_RENDERING_LOCAL_READ_EXTENSION_NAME) \
  OPTIONAL_ALIAS(CreateRenderPass2, CreateRenderPass2KHR, VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME) \
  OPTIONAL_ALIAS(DestroyPrivateDataSlot, DestroyPrivateDataSlotEXT, VK_EXT_PRIVATE_DATA_EXTENSION_NAME) \
  OPTIONAL_ALIAS(GetBufferMemoryRequirements2, GetBufferMemoryRequirements2KHR, VK_KHR_GET_MEMORY_REQUIREMENTS_2_EXTENSION_NAME) \
  OPTIONAL_ALIAS(GetDeviceBufferMemoryRequirements, GetDeviceBufferMemoryRequirementsKHR, VK_KHR_MAINTENANCE_4_EXTENSION_NAME) \
  OPTIONAL_ALIAS(GetPrivateData, GetPrivateDataEXT, VK_EXT_PRIVATE_DATA_EXTENSION_NAME) \
  OPTIONAL_ALIAS(GetSemaphoreCounterValue, GetSemaphoreCounterValueKHR, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME) \
  OPTIONAL_ALIAS(QueueSubmit2, QueueSubmit2KHR, VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME) \
  OPTIONAL_ALIAS(SetPrivateData, SetPrivateDataEXT, VK_EXT_PRIVATE_DATA_EXTENSION_NAME) \
  OPTIONAL_ALIAS(WaitSemaphores, WaitSemaphoresKHR, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME)

// The commands of the extension itself: asked of the driver only to find out whether it really implements them.
#define TRELLIS_SHADER_ENQUEUE_FUNCTIONS(X) \
  X(CreateExecutionGraphPipelinesAMDX) \
  X(GetExecutionGraphPipelineScratchSizeAMDX) \
  X(GetExecutionGraphPipelineNodeIndexAMDX) \
  X(CmdInitializeGraphScratchMemoryAMDX) \
  X(CmdDispatchGraphAMDX) \
  X(CmdDispatchGraphIndirectAMDX) \
  X(CmdDispatchGraphIndirectCountAMDX)
// clang-format on
