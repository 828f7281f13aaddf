// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/device.h"

#include "layer/objects/registry.h"

namespace trellis {
namespace {

// Allocating these takes the feature deviceCoherentMemory (VUID-vkAllocateMemory-deviceCoherentMemory-02790), or makes
// memory that only protected queue submissions access.
constexpr VkMemoryPropertyFlags kUnusable =
    VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_PROTECTED_BIT;

}  // namespace

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
    if (!(type_bits >> i & 1) || (flags & required) != required || (flags & kUnusable) != 0) continue;
    if ((flags & preferred) == preferred) return i;
    if (fallback == UINT32_MAX) fallback = i;
  }
  return fallback;
}

}  // namespace trellis
