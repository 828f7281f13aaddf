// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/device.h"

#include "layer/objects/registry.h"

namespace trellis {

Device::Device(std::shared_ptr<Instance> owner, std::shared_ptr<PhysicalDevice> physical)
    : instance(std::move(owner)),
      physical_device(std::move(physical)),
      settings(instance->settings),
      diagnostics(instance->diagnostics) {}

Device::~Device() = default;

bool Device::IsOwnPipeline(VkPipeline pipeline) const {
  return execution_graphs.Find(pipeline) || node_libraries.Find(pipeline);
}

uint32_t Device::FindMemoryType(uint32_t type_bits, VkMemoryPropertyFlags required,
                                VkMemoryPropertyFlags preferred) const {
  uint32_t fallback = UINT32_MAX;
  for (uint32_t i = 0; i < memory_properties.memoryTypeCount; ++i) {
    const VkMemoryPropertyFlags flags = memory_properties.memoryTypes[i].propertyFlags;
    if (!(type_bits >> i & 1) || (flags & required) != required) continue;
    if ((flags & preferred) == preferred) return i;
    if (fallback == UINT32_MAX) fallback = i;
  }
  return fallback;
}

}  // namespace trellis
