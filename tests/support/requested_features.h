// SPDX-License-Identifier: Apache-2.0
// The features that a test device is created with, in the forms in which applications write them.
#pragma once

#include "tests/support/vulkan.h"

namespace trellis::test {

// Optional shader features; enabled on the device where they exist. What Trellis itself needs (buffer addresses, 16-bit
// storage, …) is left out on purpose: the layer has to add it.
struct ShaderFeatures {
  // Those of 8 and 16 bits: in payloads, so where storage buffers can have them too.
  bool int8 = false, int16 = false, int64 = false, int64_atomics = false, float16 = false, float64 = false;
  bool vulkan_memory_model = false;
  bool pipeline_statistics = false;  // queries
  // Of extensions (OptionalExtensions).
  bool robust_buffer_access2 = false, derivative_quads = false, derivative_linear = false;
  bool workgroup_memory_explicit_layout = false;
  bool robust_buffer_access = false;  // where a context asks for it
  bool dynamic_rendering = false;
  bool mesh_enqueue = false;
  bool multi_viewport = false;
  bool geometry = false;  // fragment shaders that read PrimitiveId
  bool precise_occlusion_queries = false;
  bool imageless_framebuffer = false;
  bool clip_distance = false;
};

enum class FeatureForm : uint8_t {
  kCore,     // VkPhysicalDeviceVulkan12Features, and VkPhysicalDeviceFeatures2
  kSingle,   // a structure for each feature, and VkPhysicalDeviceFeatures2
  kMinimal,  // those that VK_AMDX_shader_enqueue is about and nothing else, and pEnabledFeatures
};

class RequestedFeatures {
 public:
  // `next`: further structures.
  RequestedFeatures(FeatureForm form, const ShaderFeatures& wanted, void* next);
  RequestedFeatures(const RequestedFeatures&) = delete;
  RequestedFeatures& operator=(const RequestedFeatures&) = delete;

  [[nodiscard]] const void* chain() const { return chain_; }
  // pEnabledFeatures.
  [[nodiscard]] const VkPhysicalDeviceFeatures* enabled() const;

 private:
  template <typename Structure>
  void Link(Structure& structure) {
    structure.pNext = chain_;
    chain_ = &structure;
  }
  void LinkCore(const ShaderFeatures& wanted);
  void LinkSingle(const ShaderFeatures& wanted);

  const FeatureForm form_;
  void* chain_;
  VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue_;
  VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5_;
  VkPhysicalDeviceVulkan12Features vulkan12_;
  VkPhysicalDeviceBufferDeviceAddressFeatures address_;
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline_;
  VkPhysicalDeviceShaderFloat16Int8Features small_types_;
  VkPhysicalDeviceShaderAtomicInt64Features atomics_;
  VkPhysicalDeviceVulkanMemoryModelFeatures memory_model_;
  VkPhysicalDeviceDynamicRenderingFeatures dynamic_rendering_;
  VkPhysicalDeviceSynchronization2Features synchronization2_;
  VkPhysicalDeviceFeatures2 features2_;
};

}  // namespace trellis::test
