// SPDX-License-Identifier: Apache-2.0
#include "layer/device/spirv_capabilities.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "layer/dispatch/extension_names.h"
#include "layer/dispatch/struct_chain.h"

namespace trellis {

namespace {

constexpr uint32_t kShaderEnqueueAmdx = 5067;

// One way in which a device can have a capability.
struct Way {
  enum class Kind : uint8_t { kFeature, kExtension, kVersion, kProperty };

  uint32_t capability;
  const char* name;  // of the capability
  Kind kind;
  const char* wanted;    // feature or extension
  VkStructureType type;  // kFeature: of the structure; 0: VkPhysicalDeviceFeatures
  size_t offset;         // kFeature: of the member
  uint32_t version;      // kVersion
};

// Sorted by capability.
constexpr auto kWays = std::to_array<Way>({
#define FEATURE(capability, name, structure, type, member) \
  {capability, name, Way::Kind::kFeature, #member, static_cast<VkStructureType>(type), offsetof(structure, member), 0},
#define EXTENSION(capability, name, extension) {capability, name, Way::Kind::kExtension, extension, {}, 0, 0},
#define VERSION(capability, name, version) {capability, name, Way::Kind::kVersion, #version, {}, 0, version},
#define PROPERTY(capability, name) {capability, name, Way::Kind::kProperty, "", {}, 0, 0},
#include "layer/device/capabilities.inc"
#undef FEATURE
#undef EXTENSION
#undef VERSION
#undef PROPERTY
});
static_assert(std::ranges::is_sorted(kWays, {}, &Way::capability));

std::span<const Way> WaysTo(uint32_t capability) {
  return {std::ranges::lower_bound(kWays, capability, {}, &Way::capability),
          std::ranges::upper_bound(kWays, capability, {}, &Way::capability)};
}

bool ReadFeature(const void* structure, size_t offset) {
  VkBool32 feature = VK_FALSE;
  std::memcpy(&feature, static_cast<const std::byte*>(structure) + offset, sizeof(feature));
  return feature != VK_FALSE;
}

bool IsEnabled(const Way& way, const VkDeviceCreateInfo& info, uint32_t api_version) {
  switch (way.kind) {
    case Way::Kind::kFeature: {
      if (way.type != 0) {
        const VkBaseInStructure* structure = FindInChain(info.pNext, way.type);
        return structure && ReadFeature(structure, way.offset);
      }
      const auto* features2 = FindStruct<VkPhysicalDeviceFeatures2>(info.pNext);
      const VkPhysicalDeviceFeatures* features = features2 ? &features2->features : info.pEnabledFeatures;
      return features && ReadFeature(features, way.offset);
    }
    case Way::Kind::kExtension:
      return EnablesExtension(info, way.wanted);
    case Way::Kind::kVersion:
      return api_version >= way.version;
    case Way::Kind::kProperty:
      return true;  // the device says that, whether anything is enabled or not
  }
  return true;
}

bool IsSupported(const Way& way, const InstanceDispatch& dispatch, VkPhysicalDevice physical_device,
                 const DeviceCapabilities& capabilities) {
  switch (way.kind) {
    case Way::Kind::kFeature: {
      auto features = MakeStruct<VkPhysicalDeviceFeatures2>();
      if (way.type == 0) {
        dispatch.GetPhysicalDeviceFeatures(physical_device, &features.features);
        return ReadFeature(&features.features, way.offset);
      }
      Arena arena;
      const size_t size = StructSize(way.type);
      auto* structure = static_cast<VkBaseOutStructure*>(arena.Allocate(size));
      std::memset(structure, 0, size);
      structure->sType = way.type;
      features.pNext = structure;
      if (dispatch.GetPhysicalDeviceFeatures2) dispatch.GetPhysicalDeviceFeatures2(physical_device, &features);
      return ReadFeature(structure, way.offset);
    }
    case Way::Kind::kExtension:
      return capabilities.HasExtension(way.wanted);
    case Way::Kind::kVersion:
      return capabilities.traits.api_version >= way.version;
    case Way::Kind::kProperty:
      return true;
  }
  return true;
}

}  // namespace

std::vector<uint32_t> DisabledCapabilities(const VkDeviceCreateInfo& info, uint32_t api_version) {
  std::vector<uint32_t> disabled;
  for (auto way = kWays.begin(); way != kWays.end();) {
    const std::span<const Way> ways = WaysTo(way->capability);
    const auto is_enabled = [&](const Way& one) { return IsEnabled(one, info, api_version); };
    if (way->capability != kShaderEnqueueAmdx && std::none_of(ways.begin(), ways.end(), is_enabled))
      disabled.push_back(way->capability);
    way += static_cast<ptrdiff_t>(ways.size());
  }
  return disabled;
}

bool SupportsCapability(const InstanceDispatch& dispatch, VkPhysicalDevice physical_device,
                        const DeviceCapabilities& capabilities, uint32_t capability) {
  const std::span<const Way> ways = WaysTo(capability);
  return ways.empty() || std::any_of(ways.begin(), ways.end(), [&](const Way& way) {
           return IsSupported(way, dispatch, physical_device, capabilities);
         });
}

std::string DescribeCapability(uint32_t capability) {
  const std::span<const Way> ways = WaysTo(capability);
  if (ways.empty()) return std::to_string(capability);
  return std::string(ways.front().name) + " (" + ways.front().wanted + ")";
}

}  // namespace trellis
