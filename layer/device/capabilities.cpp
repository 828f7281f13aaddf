// SPDX-License-Identifier: Apache-2.0
#include "layer/device/capabilities.h"

#include <algorithm>
#include <iterator>

#include "layer/dispatch/struct_chain.h"

namespace trellis {

namespace {

// The structures whose extension may be missing are linked in only where the device lists it: a driver may not like
// what it does not know.
struct FeatureQuery {
  VkPhysicalDeviceFeatures2 features = MakeStruct<VkPhysicalDeviceFeatures2>();
  VkPhysicalDeviceVulkan11Features vulkan11 = {};
  VkPhysicalDeviceVulkan12Features vulkan12 = {};
  VkPhysicalDeviceSynchronization2Features synchronization2 = {};
  VkPhysicalDeviceExtendedDynamicStateFeaturesEXT extended_dynamic_state = {};
  VkPhysicalDeviceMaintenance4Features maintenance4 = {};
  VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR maximal_reconvergence = {};
  VkPhysicalDevicePipelineCreationCacheControlFeatures cache_control = {};
  VkPhysicalDeviceMeshShaderFeaturesEXT mesh_shader = {};
  VkPhysicalDeviceShaderEnqueueFeaturesAMDX shader_enqueue = {};

  explicit FeatureQuery(const DeviceCapabilities& capabilities) {
    Link(vulkan11, true);
    Link(vulkan12, true);
    const bool vulkan13 = capabilities.traits.api_version >= VK_API_VERSION_1_3;
    Link(synchronization2, vulkan13 || capabilities.HasExtension(VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME));
    Link(extended_dynamic_state, capabilities.HasExtension(VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME));
    Link(maintenance4, vulkan13 || capabilities.HasExtension(VK_KHR_MAINTENANCE_4_EXTENSION_NAME));
    Link(maximal_reconvergence, capabilities.HasExtension(VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME));
    Link(cache_control, vulkan13 || capabilities.HasExtension(VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME));
    Link(mesh_shader, capabilities.HasExtension(VK_EXT_MESH_SHADER_EXTENSION_NAME));
    Link(shader_enqueue, capabilities.HasExtension(VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME));
  }
  FeatureQuery(const FeatureQuery&) = delete;
  FeatureQuery& operator=(const FeatureQuery&) = delete;

 private:
  template <typename Struct>
  void Link(Struct& structure, bool wanted) {
    structure.sType = kStructureType<Struct>;
    if (wanted) InsertIntoChain(&features, &structure);
  }
};

void QueryFeatures(const InstanceDispatch& dispatch, VkPhysicalDevice physical_device,
                   DeviceCapabilities& capabilities) {
  FeatureQuery query(capabilities);
  dispatch.GetPhysicalDeviceFeatures2(physical_device, &query.features);
  capabilities.features_known = true;
  capabilities.synchronization2 = query.synchronization2.synchronization2;
  capabilities.extended_dynamic_state = query.extended_dynamic_state.extendedDynamicState;
  capabilities.native_shader_enqueue = query.shader_enqueue.shaderEnqueue;

  DeviceTraits& traits = capabilities.traits;
  traits.buffer_device_address = query.vulkan12.bufferDeviceAddress;
  traits.scalar_block_layout = query.vulkan12.scalarBlockLayout;
  traits.storage_buffer_8bit = query.vulkan12.storageBuffer8BitAccess;
  traits.storage_buffer_16bit = query.vulkan11.storageBuffer16BitAccess;
  traits.shader_int8 = query.vulkan12.shaderInt8;
  traits.robust_buffer_access = query.features.features.robustBufferAccess;
  traits.shader_int16 = query.features.features.shaderInt16;
  traits.shader_int64 = query.features.features.shaderInt64;
  traits.shader_float16 = query.vulkan12.shaderFloat16;
  traits.shader_float64 = query.features.features.shaderFloat64;
  traits.buffer_int64_atomics = query.vulkan12.shaderBufferInt64Atomics;
  traits.vulkan_memory_model = query.vulkan12.vulkanMemoryModel;
  traits.vulkan_memory_model_device_scope = query.vulkan12.vulkanMemoryModelDeviceScope;
  traits.maintenance4 = query.maintenance4.maintenance4;
  traits.maximal_reconvergence = query.maximal_reconvergence.shaderMaximalReconvergence;
  traits.mesh_shader = query.mesh_shader.meshShader;
  traits.pipeline_creation_cache_control = query.cache_control.pipelineCreationCacheControl;
}

void QueryProperties(const InstanceDispatch& dispatch, VkPhysicalDevice physical_device,
                     DeviceCapabilities& capabilities) {
  DeviceTraits& traits = capabilities.traits;
  auto subgroups = MakeStruct<VkPhysicalDeviceSubgroupProperties>();
  auto maintenance3 = MakeStruct<VkPhysicalDeviceMaintenance3Properties>(&subgroups);
  auto maintenance4 = MakeStruct<VkPhysicalDeviceMaintenance4Properties>();
  auto mesh = MakeStruct<VkPhysicalDeviceMeshShaderPropertiesEXT>();
  auto properties = MakeStruct<VkPhysicalDeviceProperties2>(&maintenance3);
  if (traits.api_version >= VK_API_VERSION_1_3 || capabilities.HasExtension(VK_KHR_MAINTENANCE_4_EXTENSION_NAME))
    InsertIntoChain(&properties, &maintenance4);
  if (traits.mesh_shader) InsertIntoChain(&properties, &mesh);
  dispatch.GetPhysicalDeviceProperties2(physical_device, &properties);

  if (maintenance4.maxBufferSize != 0) traits.max_buffer_bytes = maintenance4.maxBufferSize;
  if (maintenance3.maxMemoryAllocationSize != 0) traits.max_allocation_bytes = maintenance3.maxMemoryAllocationSize;
  std::copy(std::begin(mesh.maxMeshWorkGroupCount), std::end(mesh.maxMeshWorkGroupCount),
            traits.max_mesh_workgroup_count.begin());
  traits.max_mesh_workgroup_total_count = mesh.maxMeshWorkGroupTotalCount;
  traits.subgroup_size = std::max(subgroups.subgroupSize, 1u);
  // Another extension may have brought it.
  if (!capabilities.HasExtension(VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME))
    subgroups.supportedOperations &= ~VkSubgroupFeatureFlags{VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV};
  if (subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT)
    traits.subgroup_operations = subgroups.supportedOperations;
  if (subgroups.supportedStages & VK_SHADER_STAGE_MESH_BIT_EXT)
    traits.mesh_subgroup_operations = subgroups.supportedOperations;
}

}  // namespace

VkResult QueryExtensions(const InstanceDispatch& dispatch, VkPhysicalDevice physical_device,
                         std::vector<VkExtensionProperties>& extensions) {
  VkResult result = VK_INCOMPLETE;  // the list may grow between the two calls
  while (result == VK_INCOMPLETE) {
    uint32_t count = 0;
    result = dispatch.EnumerateDeviceExtensionProperties(physical_device, nullptr, &count, nullptr);
    if (result != VK_SUCCESS) break;
    extensions.resize(count);
    result = dispatch.EnumerateDeviceExtensionProperties(physical_device, nullptr, &count, extensions.data());
    extensions.resize(count);
  }
  if (result != VK_SUCCESS) extensions.clear();
  return result;
}

DeviceCapabilities QueryCapabilities(const InstanceDispatch& dispatch, VkPhysicalDevice physical_device,
                                     uint32_t instance_api_version) {
  DeviceCapabilities capabilities;
  VkPhysicalDeviceProperties properties = {};
  dispatch.GetPhysicalDeviceProperties(physical_device, &properties);
  capabilities.device_name = properties.deviceName;
  capabilities.traits.api_version = std::min(properties.apiVersion, instance_api_version);
  capabilities.traits.limits = properties.limits;
  capabilities.traits.is_cpu = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  std::vector<VkExtensionProperties> extensions;
  (void)QueryExtensions(dispatch, physical_device, extensions);  // what cannot be listed cannot be relied on
  for (const VkExtensionProperties& extension : extensions)
    capabilities.extensions.emplace(extension.extensionName, extension.specVersion);

  if (capabilities.traits.api_version >= VK_API_VERSION_1_2 && dispatch.GetPhysicalDeviceFeatures2 &&
      dispatch.GetPhysicalDeviceProperties2) {
    QueryFeatures(dispatch, physical_device, capabilities);
    QueryProperties(dispatch, physical_device, capabilities);
  }
  return capabilities;
}

}  // namespace trellis
