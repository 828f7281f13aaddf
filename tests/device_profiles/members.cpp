// SPDX-License-Identifier: Apache-2.0
#include "tests/device_profiles/members.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <unordered_map>

#include "layer/dispatch/struct_chain.h"

namespace trellis::test {
namespace {

// Stands for VkPhysicalDeviceFeatures and VkPhysicalDeviceLimits, which have no sType.
constexpr VkStructureType kCore = VK_STRUCTURE_TYPE_MAX_ENUM;

enum class Direction { kMax, kMin, kMask };
enum class Number { kUint32, kUint64, kInt32, kFloat };

struct Feature {
  VkStructureType type;
  const char* name;
  size_t offset;
};

struct Limit {
  VkStructureType type;
  const char* name;
  size_t offset;
  size_t elements;
  Number number;
  Direction direction;
};

template <typename Member>
constexpr Number NumberOf() {
  using Element = std::remove_all_extents_t<Member>;
  if constexpr (std::is_same_v<Element, float>) return Number::kFloat;
  if constexpr (std::is_same_v<Element, int32_t>) return Number::kInt32;
  return sizeof(Element) == sizeof(uint64_t) ? Number::kUint64 : Number::kUint32;
}

template <typename Member>
constexpr size_t ElementsOf() {
  return std::is_array_v<Member> ? std::extent_v<Member> : 1;
}

template <typename Member>
constexpr Limit MakeLimit(VkStructureType type, const char* name, size_t offset, Direction direction) {
  return {type, name, offset, ElementsOf<Member>(), NumberOf<Member>(), direction};
}

constexpr Feature kKnownFeatures[] = {
#define CORE_FEATURE(member) {kCore, #member, offsetof(VkPhysicalDeviceFeatures, member)},
#define FEATURE(type, structure, member) {type, #member, offsetof(structure, member)},
#include "tests/device_profiles/members.inc"
};

constexpr Limit kLimits[] = {
#define CORE_LIMIT(member, direction)                                                                           \
  MakeLimit<decltype(VkPhysicalDeviceLimits::member)>(kCore, #member, offsetof(VkPhysicalDeviceLimits, member), \
                                                      Direction::k##direction),
#define LIMIT(type, structure, member, name, direction) \
  MakeLimit<decltype(structure::member)>(type, #name, offsetof(structure, member), Direction::k##direction),
#include "tests/device_profiles/members.inc"
};

const std::unordered_map<std::string_view, uint32_t>& Commands() {
  static const std::unordered_map<std::string_view, uint32_t> commands = {
#define COMMAND(name, version) {#name, version},
#include "tests/device_profiles/members.inc"
  };
  return commands;
}

std::byte* At(void* structure, size_t offset) { return static_cast<std::byte*>(structure) + offset; }

VkBool32 ValueOf(const void* structure, const Feature& feature) {
  VkBool32 value;
  std::memcpy(&value, static_cast<const std::byte*>(structure) + feature.offset, sizeof(value));
  return value;
}

void HideIn(const Profile& profile, VkStructureType type, void* structure) {
  for (const Feature& feature : kKnownFeatures) {
    if (feature.type != type || !profile.features.Hides(feature.name)) continue;
    const VkBool32 off = VK_FALSE;
    std::memcpy(At(structure, feature.offset), &off, sizeof(off));
  }
}

void AddEnabledHidden(const Profile& profile, VkStructureType type, const void* structure,
                      std::vector<std::string>& names) {
  for (const Feature& feature : kKnownFeatures) {
    if (feature.type == type && profile.features.Hides(feature.name) && ValueOf(structure, feature) != VK_FALSE)
      names.emplace_back(feature.name);
  }
}

template <typename Value>
void LowerElement(std::byte* place, double wanted, Direction direction) {
  Value value;
  std::memcpy(&value, place, sizeof(value));
  const auto limit = static_cast<Value>(wanted);
  if (direction == Direction::kMax) value = std::min(value, limit);
  if (direction == Direction::kMin) value = std::max(value, limit);
  if constexpr (std::is_unsigned_v<Value>) {
    if (direction == Direction::kMask) value &= limit;
  }
  std::memcpy(place, &value, sizeof(value));
}

void LowerElement(const Limit& limit, std::byte* first, size_t index, double wanted) {
  switch (limit.number) {
    case Number::kUint32:
      return LowerElement<uint32_t>(first + index * sizeof(uint32_t), wanted, limit.direction);
    case Number::kUint64:
      return LowerElement<uint64_t>(first + index * sizeof(uint64_t), wanted, limit.direction);
    case Number::kInt32:
      return LowerElement<int32_t>(first + index * sizeof(int32_t), wanted, limit.direction);
    case Number::kFloat:
      return LowerElement<float>(first + index * sizeof(float), wanted, limit.direction);
  }
}

void LowerIn(const Profile& profile, VkStructureType type, void* structure) {
  for (const Limit& limit : kLimits) {
    if (limit.type != type) continue;
    const auto found = profile.limits.find(std::string_view(limit.name));
    if (found == profile.limits.end()) continue;
    for (size_t i = 0; i < limit.elements; ++i) LowerElement(limit, At(structure, limit.offset), i, found->second[i]);
  }
}

}  // namespace

bool IsFeature(std::string_view name) {
  return std::any_of(std::begin(kKnownFeatures), std::end(kKnownFeatures),
                     [&](const Feature& feature) { return name == feature.name; });
}

size_t LimitElements(std::string_view name) {
  if (name == "subgroupSize" || name == "minSubgroupSize" || name == "maxSubgroupSize") return 0;
  const auto* const found =
      std::find_if(std::begin(kLimits), std::end(kLimits), [&](const Limit& limit) { return name == limit.name; });
  return found == std::end(kLimits) ? 0 : found->elements;
}

uint32_t CommandVersion(std::string_view name) {
  const auto found = Commands().find(name);
  return found == Commands().end() ? VK_API_VERSION_1_0 : found->second;
}

void HideFeatures(const Profile& profile, VkPhysicalDeviceFeatures& features) { HideIn(profile, kCore, &features); }

void HideFeatures(const Profile& profile, void* chain) {
  for (auto* at = static_cast<VkBaseOutStructure*>(chain); at != nullptr; at = at->pNext) {
    if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) {
      HideFeatures(profile, reinterpret_cast<VkPhysicalDeviceFeatures2*>(at)->features);
    } else {
      HideIn(profile, at->sType, at);
    }
  }
}

std::vector<std::string> EnabledHiddenFeatures(const Profile& profile, const VkDeviceCreateInfo& info) {
  std::vector<std::string> names;
  if (info.pEnabledFeatures != nullptr) AddEnabledHidden(profile, kCore, info.pEnabledFeatures, names);
  for (const auto* at = static_cast<const VkBaseInStructure*>(info.pNext); at != nullptr; at = at->pNext) {
    if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) {
      AddEnabledHidden(profile, kCore, &reinterpret_cast<const VkPhysicalDeviceFeatures2*>(at)->features, names);
    } else {
      AddEnabledHidden(profile, at->sType, at, names);
    }
  }
  return names;
}

std::vector<std::string> EnabledHiddenExtensions(const Profile& profile, const VkDeviceCreateInfo& info) {
  std::vector<std::string> names(info.ppEnabledExtensionNames,
                                 info.ppEnabledExtensionNames + info.enabledExtensionCount);
  std::erase_if(names, [&profile](const std::string& name) { return !profile.extensions.Hides(name); });
  return names;
}

void LowerLimits(const Profile& profile, VkPhysicalDeviceLimits& limits) { LowerIn(profile, kCore, &limits); }

void LowerLimits(const Profile& profile, void* chain) {
  for (auto* at = static_cast<VkBaseOutStructure*>(chain); at != nullptr; at = at->pNext) {
    if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2) {
      LowerLimits(profile, reinterpret_cast<VkPhysicalDeviceProperties2*>(at)->properties.limits);
    } else {
      LowerIn(profile, at->sType, at);
    }
  }
}

}  // namespace trellis::test
