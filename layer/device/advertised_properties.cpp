#include "layer/device/advertised_properties.h"

#include <algorithm>
#include <iterator>

namespace trellis {

void FillShaderEnqueueFeatures(VkPhysicalDeviceShaderEnqueueFeaturesAMDX& features) {
  features.shaderEnqueue = VK_TRUE;
  features.shaderMeshEnqueue = VK_FALSE;  // mesh nodes: docs/limitations.md
}

void FillShaderEnqueueProperties(VkPhysicalDeviceShaderEnqueuePropertiesAMDX& properties) {
  properties.maxExecutionGraphDepth = kMaxExecutionGraphDepth;
  properties.maxExecutionGraphShaderOutputNodes = kMaxExecutionGraphShaderOutputNodes;
  properties.maxExecutionGraphShaderPayloadSize = kMaxExecutionGraphShaderPayloadSize;
  properties.maxExecutionGraphShaderPayloadCount = kMaxExecutionGraphShaderPayloadCount;
  properties.executionGraphDispatchAddressAlignment = kExecutionGraphDispatchAddressAlignment;
  std::fill_n(properties.maxExecutionGraphWorkgroupCount, std::size(properties.maxExecutionGraphWorkgroupCount),
              kMaxExecutionGraphWorkgroupCount);
  properties.maxExecutionGraphWorkgroups = kMaxExecutionGraphWorkgroups;
}

void ReduceLimits(VkPhysicalDeviceLimits& limits) {
  limits.maxComputeSharedMemorySize -= std::min(limits.maxComputeSharedMemorySize, kReservedSharedMemory);
}

}  // namespace trellis
