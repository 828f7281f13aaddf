// SPDX-License-Identifier: Apache-2.0
#include "tests/support/validation_layer.h"

#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <vector>

namespace trellis::test {

uint32_t FoundValidationVersion() {
  uint32_t count = 0;
  vkEnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vkEnumerateInstanceLayerProperties(&count, layers.data());
  const auto found = std::find_if(layers.begin(), layers.end(), [](const VkLayerProperties& layer) {
    return std::strcmp(layer.layerName, kValidationLayer) == 0;
  });
  return found == layers.end() ? 0 : found->specVersion;
}

Expected<std::optional<uint32_t>> ConfiguredValidationVersion(const char* layer_path) {
  const std::string folders = layer_path != nullptr ? layer_path : "";
  if (folders.empty()) return std::optional<uint32_t>();
  std::istringstream stream(folders);
  for (std::string folder; std::getline(stream, folder, ':');) {
    std::ifstream file(folder + "/VkLayer_khronos_validation.json");
    if (!file) continue;
    const std::string manifest((std::istreambuf_iterator<char>(file)), {});
    std::smatch match;
    static const std::regex version("\"api_version\"\\s*:\\s*\"(\\d+)\\.(\\d+)\\.(\\d+)\"");
    if (!std::regex_search(manifest, match, version))
      return Error{folder + "/VkLayer_khronos_validation.json has no api_version"};
    const auto part = [&match](size_t i) { return static_cast<uint32_t>(std::stoul(match[i])); };
    return std::optional<uint32_t>(VK_MAKE_API_VERSION(0, part(1), part(2), part(3)));
  }
  return Error{"VK_LAYER_PATH=" + folders + " has no VkLayer_khronos_validation.json"};
}

Expected<void> RequireValidation(bool is_ci, uint32_t found, const char* layer_path) {
  if (!is_ci) return {};
  const Expected<std::optional<uint32_t>> configured = ConfiguredValidationVersion(layer_path);
  if (!configured) return configured.error();
  if (found == 0)
    return Error{std::string(kValidationLayer) +
                 " was not found, and CI=true requires it; TRELLIS_TEST_NO_VALIDATION=1 runs without it on purpose"};
  if (*configured && **configured != found)
    return Error{std::string(kValidationLayer) + " " + VersionText(found) +
                 " was found, but VK_LAYER_PATH=" + layer_path + " has version " + VersionText(**configured)};
  return {};
}

std::string VersionText(uint32_t version) {
  if (version == 0) return "none";
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version)) + "." +
         std::to_string(VK_API_VERSION_PATCH(version));
}

}  // namespace trellis::test
