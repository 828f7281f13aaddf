// SPDX-License-Identifier: Apache-2.0
#include "layer/device/advertised_properties.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace trellis {

void FillShaderEnqueueFeatures(bool offered, bool mesh_nodes, VkPhysicalDeviceShaderEnqueueFeaturesAMDX& features) {
  features.shaderEnqueue = offered;
  features.shaderMeshEnqueue = offered && mesh_nodes;
}

void FillShaderEnqueueProperties(bool offered, VkPhysicalDeviceShaderEnqueuePropertiesAMDX& properties) {
  const auto limit = [offered](uint32_t value) { return offered ? value : 0; };
  properties.maxExecutionGraphDepth = limit(kMaxExecutionGraphDepth);
  properties.maxExecutionGraphShaderOutputNodes = limit(kMaxExecutionGraphShaderOutputNodes);
  properties.maxExecutionGraphShaderPayloadSize = limit(kMaxExecutionGraphShaderPayloadSize);
  properties.maxExecutionGraphShaderPayloadCount = limit(kMaxExecutionGraphShaderPayloadCount);
  properties.executionGraphDispatchAddressAlignment = limit(kExecutionGraphDispatchAddressAlignment);
  std::fill_n(properties.maxExecutionGraphWorkgroupCount, std::size(properties.maxExecutionGraphWorkgroupCount),
              limit(kMaxExecutionGraphWorkgroupCount));
  properties.maxExecutionGraphWorkgroups = limit(kMaxExecutionGraphWorkgroups);
}

void FillToolProperties(VkPhysicalDeviceToolProperties& properties) {
  std::strcpy(properties.name, "Trellis");
  std::strcpy(properties.version, "1");
  properties.purposes = VK_TOOL_PURPOSE_ADDITIONAL_FEATURES_BIT;
  std::strcpy(properties.description, "VK_AMDX_shader_enqueue (GPU work graphs) on any Vulkan driver");
  std::strcpy(properties.layer, kLayerName);
}

void ReduceLimits(VkPhysicalDeviceLimits& limits) {
  limits.maxComputeSharedMemorySize -= std::min(limits.maxComputeSharedMemorySize, kReservedSharedMemory);
}

}  // namespace trellis
