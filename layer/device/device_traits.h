// SPDX-License-Identifier: Apache-2.0
// What other directories need to know about a device when they lower shaders, plan memory and record dispatches.
#pragma once

#include <array>
#include <cstdint>

#include "layer/dispatch/vulkan.h"

namespace trellis {

// Facts of a physical device, or, in Device::traits, of a logical device: there the feature flags say what is
// *enabled*, by the application or by us.
struct DeviceTraits {
  // min(instance's apiVersion, device's apiVersion): what may be used without asking for an extension.
  uint32_t api_version = 0;
  VkPhysicalDeviceLimits limits = {};
  bool is_cpu = false;                             // VK_PHYSICAL_DEVICE_TYPE_CPU
  VkDeviceSize max_buffer_bytes = UINT64_MAX;      // maxBufferSize
  VkDeviceSize max_allocation_bytes = UINT64_MAX;  // maxMemoryAllocationSize: larger allocations may fail, or not

  uint32_t subgroup_size = 1;
  // 0 unless supported in the compute stage. VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV: with
  // VK_NV_shader_subgroup_partitioned only.
  VkSubgroupFeatureFlags subgroup_operations = 0;
  VkSubgroupFeatureFlags mesh_subgroup_operations = 0;  // the same of the mesh stage

  // VkPhysicalDeviceMeshShaderPropertiesEXT's limits of one draw. 0 without `mesh_shader`.
  std::array<uint32_t, 3> max_mesh_workgroup_count = {};
  uint32_t max_mesh_workgroup_total_count = 0;

  bool robust_buffer_access = false;
  bool buffer_device_address = false;
  bool scalar_block_layout = false;
  bool storage_buffer_8bit = false;
  bool storage_buffer_16bit = false;
  bool shader_int8 = false;
  bool shader_int16 = false;
  bool shader_int64 = false;
  bool shader_float16 = false;
  bool shader_float64 = false;
  bool buffer_int64_atomics = false;
  bool vulkan_memory_model = false;
  bool vulkan_memory_model_device_scope = false;
  // Without it a descriptor set layout has to outlive the pipeline layouts made of it.
  bool maintenance4 = false;
  bool maximal_reconvergence = false;
  bool mesh_shader = false;
  bool pipeline_creation_cache_control = false;
};

}  // namespace trellis
