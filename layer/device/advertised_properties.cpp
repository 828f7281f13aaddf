#include "layer/device/advertised_properties.h"

#include <algorithm>
#include <iterator>

namespace trellis {

void FillShaderEnqueueFeatures(bool offered, VkPhysicalDeviceShaderEnqueueFeaturesAMDX& features) {
  features.shaderEnqueue = offered;
  features.shaderMeshEnqueue = VK_FALSE;  // mesh nodes: docs/limitations.md
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

void ReduceLimits(VkPhysicalDeviceLimits& limits) {
  limits.maxComputeSharedMemorySize -= std::min(limits.maxComputeSharedMemorySize, kReservedSharedMemory);
}

}  // namespace trellis
