// SPDX-License-Identifier: Apache-2.0
// A device profile: upper bounds on what a device offers. See profiles/*.json.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "layer/dispatch/vulkan.h"

namespace trellis::test {

// The names a profile hides: those of a list, or all others.
class NameFilter {
 public:
  void ShowOnly(std::set<std::string, std::less<>> names) {
    only_ = true;
    names_ = std::move(names);
  }
  void Hide(std::set<std::string, std::less<>> names) {
    only_ = false;
    names_ = std::move(names);
  }
  [[nodiscard]] bool Hides(std::string_view name) const { return (names_.count(name) != 0) != only_; }
  [[nodiscard]] const std::set<std::string, std::less<>>& names() const { return names_; }

 private:
  bool only_ = false;
  std::set<std::string, std::less<>> names_;
};

struct QueueFamily {
  VkQueueFlags flags = 0;
  uint32_t count = 1;
  uint32_t timestamp_valid_bits = 64;
};

inline constexpr VkFormatFeatureFlags2 kAllFormatFeatures = ~VkFormatFeatureFlags2{0};

struct Profile {
  std::string name;
  uint32_t api_version = 0;
  std::optional<VkPhysicalDeviceType> device_type;
  NameFilter features;
  NameFilter extensions;
  std::map<std::string, std::vector<double>, std::less<>> limits;    // an array has one value per element
  std::map<VkFormat, VkFormatFeatureFlags2> hidden_format_features;  // kAllFormatFeatures: the whole format
  bool optimal_tiling_only = false;                                  // no other tiling has features
  // Empty: the driver's.
  std::vector<VkMemoryHeap> heaps;
  std::vector<VkMemoryType> memory_types;
  std::vector<QueueFamily> queue_families;
};

// Reads a profile. Returns nothing and sets `error` if the text is no JSON, or contains a name that Vulkan does not
// have or that a layer cannot change.
[[nodiscard]] std::optional<Profile> ParseProfile(std::string_view name, std::string_view text, std::string& error);
// Reads PATH/NAME.json as the profile NAME.
[[nodiscard]] std::optional<Profile> LoadProfile(const std::string& path, std::string& error);

}  // namespace trellis::test
