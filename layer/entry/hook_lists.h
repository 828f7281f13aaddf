// SPDX-License-Identifier: Apache-2.0
// Every command that the layer hooks: from these lists come the hooks' declarations and the table of
// layer/proc_addr.cpp. A hook bears the command's name without "vk" and stands in namespace trellis::entry.
// It serves the command's aliases too (layer/dispatch/command_aliases.h).
#pragma once

// clang-format off

// HOOK(Name): instance commands, hooked always.
#define TRELLIS_INSTANCE_HOOKS(HOOK) \
  HOOK(DestroyInstance) \
  HOOK(CreateDevice) \
  HOOK(EnumerateDeviceExtensionProperties) \
  HOOK(GetPhysicalDeviceFeatures2) \
  HOOK(GetPhysicalDeviceProperties2) \
  HOOK(GetPhysicalDeviceToolProperties) \
  HOOK(GetPhysicalDeviceExternalBufferProperties) \
  HOOK(CreateDebugUtilsMessengerEXT) \
  HOOK(DestroyDebugUtilsMessengerEXT)

// HOOK(Name): device commands of an instance extension. Loaders take them from vkGetInstanceProcAddr, for devices of all
// kinds, after they have created one; those from vkGetDeviceProcAddr are TRELLIS_DEVICE_HOOKS.
#define TRELLIS_INSTANCE_EXTENSION_HOOKS(HOOK) \
  HOOK(SetDebugUtilsObjectNameEXT) \
  HOOK(SetDebugUtilsObjectTagEXT)

// GRAPHS: hooked on devices with VK_AMDX_shader_enqueue emulated. BOTH: also where only VK_KHR_maintenance5 is.
#define TRELLIS_DEVICE_HOOKS(GRAPHS, BOTH) \
  GRAPHS(AllocateCommandBuffers) \
  GRAPHS(BeginCommandBuffer) \
  GRAPHS(CmdBeginConditionalRenderingEXT) \
  GRAPHS(CmdBeginQuery) \
  GRAPHS(CmdBeginQueryIndexedEXT) \
  GRAPHS(CmdBeginRenderPass) \
  GRAPHS(CmdBeginRenderPass2) \
  GRAPHS(CmdBeginRendering) \
  GRAPHS(CmdBeginTransformFeedbackEXT) \
  GRAPHS(CmdBindDescriptorBufferEmbeddedSamplers2EXT) \
  GRAPHS(CmdBindDescriptorBufferEmbeddedSamplersEXT) \
  GRAPHS(CmdBindDescriptorSets) \
  GRAPHS(CmdBindDescriptorSets2) \
  GRAPHS(CmdBindPipeline) \
  GRAPHS(CmdBindShadersEXT) \
  GRAPHS(CmdEndConditionalRenderingEXT) \
  GRAPHS(CmdEndQuery) \
  GRAPHS(CmdEndQueryIndexedEXT) \
  GRAPHS(CmdEndRenderPass) \
  GRAPHS(CmdEndRenderPass2) \
  GRAPHS(CmdEndRendering) \
  GRAPHS(CmdEndRendering2KHR) \
  GRAPHS(CmdEndTransformFeedbackEXT) \
  GRAPHS(CmdExecuteCommands) \
  GRAPHS(CmdPushConstants) \
  GRAPHS(CmdPushConstants2) \
  GRAPHS(CmdPushDescriptorSet) \
  GRAPHS(CmdPushDescriptorSet2) \
  GRAPHS(CmdPushDescriptorSetWithTemplate) \
  GRAPHS(CmdPushDescriptorSetWithTemplate2) \
  GRAPHS(CmdSetDescriptorBufferOffsets2EXT) \
  GRAPHS(CmdSetDescriptorBufferOffsetsEXT) \
  GRAPHS(CmdSetRenderingAttachmentLocations) \
  GRAPHS(CmdSetRenderingInputAttachmentIndices) \
  GRAPHS(CreateCommandPool) \
  GRAPHS(CreateDescriptorSetLayout) \
  GRAPHS(CreateDescriptorUpdateTemplate) \
  GRAPHS(CreatePipelineBinariesKHR) \
  GRAPHS(CreatePipelineCache) \
  GRAPHS(CreatePipelineLayout) \
  GRAPHS(CreateRenderPass) \
  GRAPHS(CreateRenderPass2) \
  GRAPHS(CreateShaderModule) \
  GRAPHS(CreateShadersEXT) \
  GRAPHS(DebugMarkerSetObjectNameEXT) \
  GRAPHS(DebugMarkerSetObjectTagEXT) \
  GRAPHS(DestroyBuffer) \
  GRAPHS(DestroyCommandPool) \
  GRAPHS(DestroyDescriptorSetLayout) \
  GRAPHS(DestroyDescriptorUpdateTemplate) \
  GRAPHS(DestroyPipeline) \
  GRAPHS(DestroyPipelineCache) \
  GRAPHS(DestroyPipelineLayout) \
  GRAPHS(DestroyPrivateDataSlot) \
  GRAPHS(DestroyRenderPass) \
  GRAPHS(DestroyShaderModule) \
  GRAPHS(DeviceWaitIdle) \
  GRAPHS(EndCommandBuffer) \
  GRAPHS(FreeCommandBuffers) \
  GRAPHS(GetBufferDeviceAddress) \
  GRAPHS(GetBufferMemoryRequirements) \
  GRAPHS(GetBufferMemoryRequirements2) \
  GRAPHS(GetDeviceQueue) \
  GRAPHS(GetDeviceQueue2) \
  GRAPHS(GetFenceStatus) \
  GRAPHS(GetPipelineExecutableInternalRepresentationsKHR) \
  GRAPHS(GetPipelineExecutablePropertiesKHR) \
  GRAPHS(GetPipelineExecutableStatisticsKHR) \
  GRAPHS(GetPipelineKeyKHR) \
  GRAPHS(GetPipelinePropertiesEXT) \
  GRAPHS(GetPrivateData) \
  GRAPHS(GetSemaphoreCounterValue) \
  GRAPHS(GetShaderInfoAMD) \
  GRAPHS(GetShaderModuleIdentifierEXT) \
  GRAPHS(QueueSubmit) \
  GRAPHS(QueueSubmit2) \
  GRAPHS(QueueWaitIdle) \
  GRAPHS(ReleaseCapturedPipelineDataKHR) \
  GRAPHS(ResetCommandBuffer) \
  GRAPHS(ResetCommandPool) \
  GRAPHS(SetDebugUtilsObjectNameEXT) \
  GRAPHS(SetDebugUtilsObjectTagEXT) \
  GRAPHS(SetPrivateData) \
  GRAPHS(WaitForFences) \
  GRAPHS(WaitSemaphores) \
  BOTH(CmdBindDescriptorBuffersEXT) \
  BOTH(CreateBuffer) \
  BOTH(CreateBufferView) \
  BOTH(CreateComputePipelines) \
  BOTH(CreateGraphicsPipelines) \
  BOTH(CreateRayTracingPipelinesKHR) \
  BOTH(GetDeviceBufferMemoryRequirements)

// Commands that the layer provides itself: they need nothing of that name below.
#define TRELLIS_PROVIDED_GRAPH_HOOKS(HOOK) \
  HOOK(CmdDispatchGraphAMDX) \
  HOOK(CmdDispatchGraphIndirectAMDX) \
  HOOK(CmdDispatchGraphIndirectCountAMDX) \
  HOOK(CmdInitializeGraphScratchMemoryAMDX) \
  HOOK(CreateExecutionGraphPipelinesAMDX) \
  HOOK(GetExecutionGraphPipelineNodeIndexAMDX) \
  HOOK(GetExecutionGraphPipelineScratchSizeAMDX)

#define TRELLIS_PROVIDED_MAINTENANCE5_HOOKS(HOOK) \
  HOOK(CmdBindIndexBuffer2KHR) \
  HOOK(GetDeviceImageSubresourceLayoutKHR) \
  HOOK(GetImageSubresourceLayout2KHR) \
  HOOK(GetRenderingAreaGranularityKHR)
// clang-format on
