// SPDX-License-Identifier: Apache-2.0
#include "tests/device_profiles/profile.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "tests/device_profiles/formats.h"
#include "tests/device_profiles/members.h"

namespace trellis::test {
namespace {

using Json = nlohmann::json;

struct NamedBit {
  const char* name;
  uint32_t value;
};
#define TRELLIS_BIT(name) \
  { #name, name }
constexpr NamedBit kBits[] = {
    TRELLIS_BIT(VK_MEMORY_HEAP_DEVICE_LOCAL_BIT),
    TRELLIS_BIT(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT),
    TRELLIS_BIT(VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT),
    TRELLIS_BIT(VK_MEMORY_PROPERTY_HOST_COHERENT_BIT),
    TRELLIS_BIT(VK_MEMORY_PROPERTY_HOST_CACHED_BIT),
    TRELLIS_BIT(VK_QUEUE_GRAPHICS_BIT),
    TRELLIS_BIT(VK_QUEUE_COMPUTE_BIT),
    TRELLIS_BIT(VK_QUEUE_TRANSFER_BIT),
    TRELLIS_BIT(VK_QUEUE_SPARSE_BINDING_BIT),
    TRELLIS_BIT(VK_SHADER_STAGE_FRAGMENT_BIT),
    TRELLIS_BIT(VK_SHADER_STAGE_COMPUTE_BIT),
    TRELLIS_BIT(VK_SUBGROUP_FEATURE_BASIC_BIT),
    TRELLIS_BIT(VK_SUBGROUP_FEATURE_VOTE_BIT),
    TRELLIS_BIT(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT),
    TRELLIS_BIT(VK_SUBGROUP_FEATURE_BALLOT_BIT),
    TRELLIS_BIT(VK_SUBGROUP_FEATURE_SHUFFLE_BIT),
    TRELLIS_BIT(VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT),
    TRELLIS_BIT(VK_SUBGROUP_FEATURE_CLUSTERED_BIT),
    TRELLIS_BIT(VK_SUBGROUP_FEATURE_QUAD_BIT),
};
#undef TRELLIS_BIT

constexpr std::array<const char*, 3> kVersions = {"1.2", "1.3", "1.4"};
constexpr std::array<const char*, 10> kKeys = {"source", "apiVersion", "deviceType",  "features",    "extensions",
                                               "limits", "formats",    "memoryHeaps", "memoryTypes", "queueFamilies"};

uint32_t Bits(const Json& names) {
  uint32_t bits = 0;
  for (const Json& name : names) {
    const auto found = std::find_if(std::begin(kBits), std::end(kBits),
                                    [&](const NamedBit& bit) { return name.get<std::string>() == bit.name; });
    if (found == std::end(kBits)) throw std::runtime_error("unknown bit " + name.get<std::string>());
    bits |= found->value;
  }
  return bits;
}

uint32_t ApiVersion(const Json& text) {
  const auto found = std::find(kVersions.begin(), kVersions.end(), text.get<std::string>());
  if (found == kVersions.end()) throw std::runtime_error("apiVersion is not 1.2, 1.3 or 1.4");
  return VK_MAKE_API_VERSION(0, 1, 2 + static_cast<uint32_t>(found - kVersions.begin()), 0);
}

VkPhysicalDeviceType DeviceType(const Json& text) {
  if (text == "VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU") return VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  if (text == "VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU") return VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  throw std::runtime_error("deviceType is neither a discrete nor an integrated GPU");
}

// {"only": [names]} or {"without": [names]}
NameFilter Filter(const Json& object) {
  NameFilter filter;
  if (object.size() != 1) throw std::runtime_error("features and extensions have one list: only, or without");
  if (object.contains("only")) {
    filter.ShowOnly(object["only"].get<std::set<std::string, std::less<>>>());
  } else {
    filter.Hide(object.at("without").get<std::set<std::string, std::less<>>>());
  }
  return filter;
}

// A number, a list of numbers, or a list of the names of bits.
std::vector<double> LimitValues(const Json& value) {
  if (!value.is_array()) return {value.get<double>()};
  if (value.empty() || value[0].is_string()) return {static_cast<double>(Bits(value))};
  return value.get<std::vector<double>>();
}

void ReadLimits(const Json& limits, Profile& profile) {
  for (const auto& [name, value] : limits.items()) {
    std::vector<double> values = LimitValues(value);
    const size_t elements = LimitElements(name);
    if (elements == 0) throw std::runtime_error(name + " is not a limit that the layer can change");
    if (elements != values.size())
      throw std::runtime_error(name + " has " + std::to_string(elements) + " elements, not " +
                               std::to_string(values.size()));
    profile.limits.emplace(name, std::move(values));
  }
}

// Reads a list of entries. {"names": [formats]} hides formats; with "without": [features] it hides those features.
// Entries with "only": [features] add up to all that the device has, in optimal tiling and in buffers.
void ReadFormats(const Json& entries, Profile& profile) {
  std::map<VkFormat, VkFormatFeatureFlags2> shown;
  for (const Json& entry : entries) {
    const bool only = entry.contains("only");
    const char* const key = only ? "only" : "without";
    if (entry.size() != (entry.contains(key) ? 2u : 1u))
      throw std::runtime_error("formats have names, and may have only or without");
    VkFormatFeatureFlags2 features = entry.contains(key) ? 0 : kAllFormatFeatures;
    for (const Json& name : entry.value(key, Json::array())) {
      const VkFormatFeatureFlags2 bit = FormatFeatureNamed(name.get<std::string>());
      if (bit == 0) throw std::runtime_error(name.get<std::string>() + " is not a feature of formats");
      features |= bit;
    }
    for (const Json& name : entry.at("names")) {
      const std::vector<VkFormat> formats = FormatsNamed(name.get<std::string>());
      if (formats.empty()) throw std::runtime_error(name.get<std::string>() + " is not a format");
      for (const VkFormat format : formats) (only ? shown : profile.hidden_format_features)[format] |= features;
    }
  }
  if (shown.empty()) return;
  profile.optimal_tiling_only = true;
  for (const VkFormat format : FormatsNamed("*")) profile.hidden_format_features[format] |= ~shown[format];
}

void ReadMemory(const Json& root, Profile& profile) {
  for (const Json& heap : root.value("memoryHeaps", Json::array()))
    profile.heaps.push_back({heap.at("size").get<uint64_t>(), Bits(heap.at("flags"))});
  for (const Json& type : root.value("memoryTypes", Json::array()))
    profile.memory_types.push_back({Bits(type.at("propertyFlags")), type.at("heapIndex").get<uint32_t>()});
  for (const VkMemoryType& type : profile.memory_types) {
    if (type.heapIndex >= profile.heaps.size()) throw std::runtime_error("a memory type names a heap that is missing");
  }
}

void Read(const Json& root, Profile& profile) {
  for (const auto& [key, value] : root.items()) {
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) throw std::runtime_error("unknown key " + key);
  }
  if (root.at("source").empty()) throw std::runtime_error("source is empty");
  profile.api_version = ApiVersion(root.at("apiVersion"));
  if (root.contains("deviceType")) profile.device_type = DeviceType(root["deviceType"]);
  if (root.contains("features")) profile.features = Filter(root["features"]);
  if (root.contains("extensions")) profile.extensions = Filter(root["extensions"]);
  for (const std::string& feature : profile.features.names()) {
    if (!IsFeature(feature)) throw std::runtime_error(feature + " is not a feature");
  }
  ReadLimits(root.value("limits", Json::object()), profile);
  ReadFormats(root.value("formats", Json::array()), profile);
  ReadMemory(root, profile);
  for (const Json& family : root.value("queueFamilies", Json::array()))
    profile.queue_families.push_back({Bits(family.at("queueFlags")), family.at("queueCount").get<uint32_t>(),
                                      family.value("timestampValidBits", 64u)});
}

}  // namespace

std::optional<Profile> ParseProfile(std::string_view name, std::string_view text, std::string& error) {
  Profile profile;
  profile.name = name;
  try {
    Read(Json::parse(text), profile);
  } catch (const std::exception& exception) {  // of the JSON library, and ours
    error = "device profile " + profile.name + ": " + exception.what();
    return std::nullopt;
  }
  return profile;
}

std::optional<Profile> LoadProfile(const std::string& path, std::string& error) {
  std::ifstream file(path);
  if (!file) {
    error = "cannot open the device profile " + path;
    return std::nullopt;
  }
  std::ostringstream text;
  text << file.rdbuf();
  return ParseProfile(std::filesystem::path(path).stem().string(), text.str(), error);
}

}  // namespace trellis::test
