// SPDX-License-Identifier: Apache-2.0
#include "tests/support/requested_features.h"

namespace trellis::test {

RequestedFeatures::RequestedFeatures(FeatureForm form, const ShaderFeatures& wanted, void* next)
    : form_(form),
      chain_(next),
      enqueue_(MakeStruct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>()),
      maintenance5_(MakeStruct<VkPhysicalDeviceMaintenance5FeaturesKHR>()),
      vulkan12_(MakeStruct<VkPhysicalDeviceVulkan12Features>()),
      address_(MakeStruct<VkPhysicalDeviceBufferDeviceAddressFeatures>()),
      timeline_(MakeStruct<VkPhysicalDeviceTimelineSemaphoreFeatures>()),
      small_types_(MakeStruct<VkPhysicalDeviceShaderFloat16Int8Features>()),
      atomics_(MakeStruct<VkPhysicalDeviceShaderAtomicInt64Features>()),
      memory_model_(MakeStruct<VkPhysicalDeviceVulkanMemoryModelFeatures>()),
      dynamic_rendering_(MakeStruct<VkPhysicalDeviceDynamicRenderingFeatures>()),
      synchronization2_(MakeStruct<VkPhysicalDeviceSynchronization2Features>()),
      features2_(MakeStruct<VkPhysicalDeviceFeatures2>()) {
  enqueue_.shaderEnqueue = VK_TRUE;
  enqueue_.shaderMeshEnqueue = wanted.mesh_enqueue;
  maintenance5_.maintenance5 = VK_TRUE;
  dynamic_rendering_.dynamicRendering = VK_TRUE;
  synchronization2_.synchronization2 = VK_TRUE;
  features2_.features.robustBufferAccess = wanted.robust_buffer_access;
  features2_.features.shaderInt16 = wanted.int16;
  features2_.features.shaderInt64 = wanted.int64;
  features2_.features.shaderFloat64 = wanted.float64;
  features2_.features.pipelineStatisticsQuery = wanted.pipeline_statistics;
  features2_.features.multiViewport = wanted.multi_viewport;
  features2_.features.geometryShader = wanted.geometry;
  features2_.features.shaderClipDistance = wanted.clip_distance;
  features2_.features.occlusionQueryPrecise = wanted.precise_occlusion_queries;
  Link(enqueue_);
  Link(maintenance5_);
  if (form == FeatureForm::kMinimal) return;
  if (form == FeatureForm::kCore) {
    LinkCore(wanted);
  } else {
    LinkSingle(wanted);
  }
  if (wanted.dynamic_rendering) Link(dynamic_rendering_);
  Link(synchronization2_);
  Link(features2_);
}

void RequestedFeatures::LinkCore(const ShaderFeatures& wanted) {
  vulkan12_.bufferDeviceAddress = VK_TRUE;
  vulkan12_.timelineSemaphore = VK_TRUE;
  vulkan12_.shaderInt8 = wanted.int8;
  vulkan12_.shaderFloat16 = wanted.float16;
  vulkan12_.shaderBufferInt64Atomics = wanted.int64_atomics;
  vulkan12_.vulkanMemoryModel = wanted.vulkan_memory_model;
  vulkan12_.vulkanMemoryModelDeviceScope = wanted.vulkan_memory_model;
  vulkan12_.imagelessFramebuffer = wanted.imageless_framebuffer;
  Link(vulkan12_);
}

void RequestedFeatures::LinkSingle(const ShaderFeatures& wanted) {
  address_.bufferDeviceAddress = VK_TRUE;
  timeline_.timelineSemaphore = VK_TRUE;
  small_types_.shaderInt8 = wanted.int8;
  small_types_.shaderFloat16 = wanted.float16;
  atomics_.shaderBufferInt64Atomics = wanted.int64_atomics;
  memory_model_.vulkanMemoryModel = wanted.vulkan_memory_model;
  memory_model_.vulkanMemoryModelDeviceScope = wanted.vulkan_memory_model;
  Link(address_);
  Link(timeline_);
  Link(small_types_);
  Link(atomics_);
  Link(memory_model_);
}

const VkPhysicalDeviceFeatures* RequestedFeatures::enabled() const {
  return form_ == FeatureForm::kMinimal ? &features2_.features : nullptr;
}

}  // namespace trellis::test
