// SPDX-License-Identifier: Apache-2.0
// The Vulkan commands that the layer calls on the next layer, one list entry each; tables are generated from these
// lists.
//
// REQUIRED(Name): present in every implementation on which the extension is offered (Vulkan 1.2, or an alias of it).
// OPTIONAL(Name): may be null; the caller checks.
// Aliases are not listed: a command is asked for under all of its names (command_aliases.h).
#pragma once

// clang-format off
#define TRELLIS_INSTANCE_FUNCTIONS(REQUIRED, OPTIONAL) \
  REQUIRED(CreateDevice) \
  REQUIRED(DestroyInstance) \
  REQUIRED(EnumerateDeviceExtensionProperties) \
  REQUIRED(GetPhysicalDeviceFeatures) \
  REQUIRED(GetPhysicalDeviceMemoryProperties) \
  REQUIRED(GetPhysicalDeviceProperties) \
  REQUIRED(GetPhysicalDeviceQueueFamilyProperties) \
  OPTIONAL(CreateDebugUtilsMessengerEXT) \
  OPTIONAL(DestroyDebugUtilsMessengerEXT) \
  OPTIONAL(GetPhysicalDeviceExternalBufferProperties) \
  OPTIONAL(GetPhysicalDeviceFeatures2) \
  OPTIONAL(GetPhysicalDeviceProperties2) \
  OPTIONAL(GetPhysicalDeviceToolProperties) \
  OPTIONAL(SetDebugUtilsObjectNameEXT) \
  OPTIONAL(SetDebugUtilsObjectTagEXT)

// Device commands that the layer also hooks. GRAPHS: on devices with VK_AMDX_shader_enqueue emulated. BOTH: also where
// only VK_KHR_maintenance5 is.
#define TRELLIS_REQUIRED_HOOKED_FUNCTIONS(GRAPHS, BOTH) \
  GRAPHS(AllocateCommandBuffers) \
  GRAPHS(BeginCommandBuffer) \
  GRAPHS(CmdBeginQuery) \
  GRAPHS(CmdBeginRenderPass) \
  GRAPHS(CmdBindDescriptorSets) \
  GRAPHS(CmdBindPipeline) \
  GRAPHS(CmdEndQuery) \
  GRAPHS(CmdEndRenderPass) \
  GRAPHS(CmdExecuteCommands) \
  GRAPHS(CmdPushConstants) \
  BOTH(CreateBuffer) \
  BOTH(CreateBufferView) \
  GRAPHS(CreateCommandPool) \
  BOTH(CreateComputePipelines) \
  GRAPHS(CreateDescriptorSetLayout) \
  GRAPHS(CreateDescriptorUpdateTemplate) \
  BOTH(CreateGraphicsPipelines) \
  GRAPHS(CreatePipelineCache) \
  GRAPHS(CreatePipelineLayout) \
  GRAPHS(CreateRenderPass) \
  GRAPHS(CreateShaderModule) \
  GRAPHS(DestroyBuffer) \
  GRAPHS(DestroyCommandPool) \
  GRAPHS(DestroyDescriptorSetLayout) \
  GRAPHS(DestroyDescriptorUpdateTemplate) \
  GRAPHS(DestroyPipeline) \
  GRAPHS(DestroyPipelineCache) \
  GRAPHS(DestroyPipelineLayout) \
  GRAPHS(DestroyRenderPass) \
  GRAPHS(DestroyShaderModule) \
  GRAPHS(DeviceWaitIdle) \
  GRAPHS(EndCommandBuffer) \
  GRAPHS(FreeCommandBuffers) \
  GRAPHS(GetBufferMemoryRequirements) \
  GRAPHS(GetDeviceQueue) \
  GRAPHS(GetFenceStatus) \
  GRAPHS(QueueSubmit) \
  GRAPHS(QueueWaitIdle) \
  GRAPHS(ResetCommandBuffer) \
  GRAPHS(ResetCommandPool) \
  GRAPHS(WaitForFences)

#define TRELLIS_OPTIONAL_HOOKED_FUNCTIONS(GRAPHS, BOTH) \
  GRAPHS(CmdBeginConditionalRenderingEXT) \
  GRAPHS(CmdBeginQueryIndexedEXT) \
  GRAPHS(CmdBeginRenderPass2) \
  GRAPHS(CmdBeginRendering) \
  GRAPHS(CmdBeginTransformFeedbackEXT) \
  GRAPHS(CmdBindDescriptorBufferEmbeddedSamplers2EXT) \
  GRAPHS(CmdBindDescriptorBufferEmbeddedSamplersEXT) \
  BOTH(CmdBindDescriptorBuffersEXT) \
  GRAPHS(CmdBindDescriptorSets2) \
  GRAPHS(CmdBindShadersEXT) \
  GRAPHS(CmdEndConditionalRenderingEXT) \
  GRAPHS(CmdEndQueryIndexedEXT) \
  GRAPHS(CmdEndRenderPass2) \
  GRAPHS(CmdEndRendering) \
  GRAPHS(CmdEndRendering2KHR) \
  GRAPHS(CmdEndTransformFeedbackEXT) \
  GRAPHS(CmdPushConstants2) \
  GRAPHS(CmdPushDescriptorSet) \
  GRAPHS(CmdPushDescriptorSet2) \
  GRAPHS(CmdPushDescriptorSetWithTemplate) \
  GRAPHS(CmdPushDescriptorSetWithTemplate2) \
  GRAPHS(CmdSetDescriptorBufferOffsets2EXT) \
  GRAPHS(CmdSetDescriptorBufferOffsetsEXT) \
  GRAPHS(CmdSetRenderingAttachmentLocations) \
  GRAPHS(CmdSetRenderingInputAttachmentIndices) \
  GRAPHS(CreatePipelineBinariesKHR) \
  BOTH(CreateRayTracingPipelinesKHR) \
  GRAPHS(CreateRenderPass2) \
  GRAPHS(CreateShadersEXT) \
  GRAPHS(DebugMarkerSetObjectNameEXT) \
  GRAPHS(DebugMarkerSetObjectTagEXT) \
  GRAPHS(DestroyPrivateDataSlot) \
  GRAPHS(GetBufferDeviceAddress) \
  GRAPHS(GetBufferMemoryRequirements2) \
  BOTH(GetDeviceBufferMemoryRequirements) \
  GRAPHS(GetDeviceQueue2) \
  GRAPHS(GetPipelineExecutableInternalRepresentationsKHR) \
  GRAPHS(GetPipelineExecutablePropertiesKHR) \
  GRAPHS(GetPipelineExecutableStatisticsKHR) \
  GRAPHS(GetPipelineKeyKHR) \
  GRAPHS(GetPipelinePropertiesEXT) \
  GRAPHS(GetPrivateData) \
  GRAPHS(GetSemaphoreCounterValue) \
  GRAPHS(GetShaderInfoAMD) \
  GRAPHS(GetShaderModuleIdentifierEXT) \
  GRAPHS(QueueSubmit2) \
  GRAPHS(ReleaseCapturedPipelineDataKHR) \
  GRAPHS(SetDebugUtilsObjectNameEXT) \
  GRAPHS(SetDebugUtilsObjectTagEXT) \
  GRAPHS(SetPrivateData) \
  GRAPHS(WaitSemaphores)

#define TRELLIS_DEVICE_FUNCTIONS(REQUIRED, OPTIONAL) \
  TRELLIS_REQUIRED_HOOKED_FUNCTIONS(REQUIRED, REQUIRED) \
  TRELLIS_OPTIONAL_HOOKED_FUNCTIONS(OPTIONAL, OPTIONAL) \
  REQUIRED(AllocateMemory) \
  REQUIRED(BindBufferMemory) \
  REQUIRED(CmdBindIndexBuffer) \
  REQUIRED(CmdCopyQueryPoolResults) \
  REQUIRED(CmdDispatch) \
  REQUIRED(CmdDispatchIndirect) \
  REQUIRED(CmdFillBuffer) \
  REQUIRED(CmdPipelineBarrier) \
  REQUIRED(CmdResetQueryPool) \
  REQUIRED(CmdWriteTimestamp) \
  REQUIRED(CreateImage) \
  REQUIRED(CreateQueryPool) \
  REQUIRED(DestroyDevice) \
  REQUIRED(DestroyImage) \
  REQUIRED(DestroyQueryPool) \
  REQUIRED(FreeMemory) \
  REQUIRED(GetImageSubresourceLayout) \
  REQUIRED(MapMemory) \
  REQUIRED(UnmapMemory) \
  OPTIONAL(CmdBeginDebugUtilsLabelEXT) \
  OPTIONAL(CmdDrawMeshTasksEXT) \
  OPTIONAL(CmdDrawMeshTasksIndirectEXT) \
  OPTIONAL(CmdEndDebugUtilsLabelEXT)

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
