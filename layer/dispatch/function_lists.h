// SPDX-License-Identifier: Apache-2.0
// The Vulkan commands that the layer calls on the next layer, one list entry each; tables are generated from these
// lists.
//
// REQUIRED(Name): present in every implementation on which the extension is offered (Vulkan 1.2, or an alias of it).
// OPTIONAL(Name): may be null; whoever calls it checks.
// Aliases are not listed: a command is asked for under all of its names (command_aliases.h).
#pragma once

// clang-format off
#define TRELLIS_INSTANCE_FUNCTIONS(REQUIRED, OPTIONAL) \
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
  OPTIONAL(GetPhysicalDeviceExternalBufferProperties) \
  OPTIONAL(GetPhysicalDeviceFeatures2) \
  OPTIONAL(GetPhysicalDeviceProperties2) \
  OPTIONAL(GetPhysicalDeviceToolProperties) \
  OPTIONAL(SetDebugUtilsObjectNameEXT) \
  OPTIONAL(SetDebugUtilsObjectTagEXT)

#define TRELLIS_DEVICE_FUNCTIONS(REQUIRED, OPTIONAL) \
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
  OPTIONAL(CmdBeginConditionalRenderingEXT) \
  OPTIONAL(CmdBeginDebugUtilsLabelEXT) \
  OPTIONAL(CmdBeginQueryIndexedEXT) \
  OPTIONAL(CmdBeginRenderPass2) \
  OPTIONAL(CmdBeginRendering) \
  OPTIONAL(CmdBeginTransformFeedbackEXT) \
  OPTIONAL(CmdBindDescriptorBufferEmbeddedSamplers2EXT) \
  OPTIONAL(CmdBindDescriptorBufferEmbeddedSamplersEXT) \
  OPTIONAL(CmdBindDescriptorBuffersEXT) \
  OPTIONAL(CmdBindDescriptorSets2) \
  OPTIONAL(CmdBindShadersEXT) \
  OPTIONAL(CmdDrawMeshTasksEXT) \
  OPTIONAL(CmdDrawMeshTasksIndirectEXT) \
  OPTIONAL(CmdEndConditionalRenderingEXT) \
  OPTIONAL(CmdEndDebugUtilsLabelEXT) \
  OPTIONAL(CmdEndQueryIndexedEXT) \
  OPTIONAL(CmdEndRenderPass2) \
  OPTIONAL(CmdEndRendering) \
  OPTIONAL(CmdEndRendering2KHR) \
  OPTIONAL(CmdEndTransformFeedbackEXT) \
  OPTIONAL(CmdInsertDebugUtilsLabelEXT) \
  OPTIONAL(CmdPipelineBarrier2) \
  OPTIONAL(CmdPushConstants2) \
  OPTIONAL(CmdPushDescriptorSet) \
  OPTIONAL(CmdPushDescriptorSet2) \
  OPTIONAL(CmdPushDescriptorSetWithTemplate) \
  OPTIONAL(CmdPushDescriptorSetWithTemplate2) \
  OPTIONAL(CmdSetDescriptorBufferOffsets2EXT) \
  OPTIONAL(CmdSetDescriptorBufferOffsetsEXT) \
  OPTIONAL(CmdSetRenderingAttachmentLocations) \
  OPTIONAL(CmdSetRenderingInputAttachmentIndices) \
  OPTIONAL(CreatePipelineBinariesKHR) \
  OPTIONAL(CreateRayTracingPipelinesKHR) \
  OPTIONAL(CreateRenderPass2) \
  OPTIONAL(CreateShadersEXT) \
  OPTIONAL(DebugMarkerSetObjectNameEXT) \
  OPTIONAL(DebugMarkerSetObjectTagEXT) \
  OPTIONAL(DestroyPrivateDataSlot) \
  OPTIONAL(GetBufferDeviceAddress) \
  OPTIONAL(GetBufferMemoryRequirements2) \
  OPTIONAL(GetDeviceBufferMemoryRequirements) \
  OPTIONAL(GetDeviceQueue2) \
  OPTIONAL(GetPipelineExecutableInternalRepresentationsKHR) \
  OPTIONAL(GetPipelineExecutablePropertiesKHR) \
  OPTIONAL(GetPipelineExecutableStatisticsKHR) \
  OPTIONAL(GetPipelineKeyKHR) \
  OPTIONAL(GetPipelinePropertiesEXT) \
  OPTIONAL(GetPrivateData) \
  OPTIONAL(GetSemaphoreCounterValue) \
  OPTIONAL(GetShaderInfoAMD) \
  OPTIONAL(GetShaderModuleIdentifierEXT) \
  OPTIONAL(QueueSubmit2) \
  OPTIONAL(ReleaseCapturedPipelineDataKHR) \
  OPTIONAL(SetDebugUtilsObjectNameEXT) \
  OPTIONAL(SetDebugUtilsObjectTagEXT) \
  OPTIONAL(SetPrivateData) \
  OPTIONAL(WaitSemaphores)

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
