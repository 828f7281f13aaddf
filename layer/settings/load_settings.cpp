// SPDX-License-Identifier: Apache-2.0
#include "layer/settings/load_settings.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string_view>

#include "layer/dispatch/vulkan.h"
#include "layer/settings/setting_table.h"
#include "spirv_lowering/support/nearest_word.h"

namespace trellis {

namespace {

constexpr std::string_view kFilePrefix = "trellis_shader_enqueue.";

constexpr std::string_view kEnvironmentPrefix = "TRELLIS_";
// Variables that are not settings: the loader reads the first two, the program trellis the third.
constexpr std::string_view kOtherVariables[] = {"TRELLIS_ENABLE", "TRELLIS_DISABLE", "TRELLIS_GLSLANG"};

bool IsOfBuildOrTests(std::string_view variable) {
  static constexpr std::string_view kPrefixes[] = {"TRELLIS_TEST_",  "TRELLIS_FUZZ_", "TRELLIS_ICD_",
                                                   "TRELLIS_NEWER_", "TRELLIS_DEPS_", "TRELLIS_DEBIAN_"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return variable.starts_with(prefix); });
}

// Returns the end of a message that names the nearest name; empty if none is near. All names begin with `prefix`, which
// does not count towards nearness.
std::string Suggestion(std::string_view name, const std::vector<std::string>& names, std::string_view prefix) {
  std::vector<std::string_view> words;
  for (const std::string& each : names) words.push_back(std::string_view(each).substr(prefix.size()));
  const std::string_view nearest = NearestWord(name.substr(prefix.size()), words);
  if (nearest.empty()) return {};
  return "; did you mean '" + std::string(prefix) + std::string(nearest) + "'?";
}

constexpr const char* kNoSuggestion = "; docs/settings.md lists them";

std::string_view Trim(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

void Apply(LoadedSettings& loaded, std::string_view source, std::string_view key, std::string_view value) {
  const SettingRow* row = FindSetting(key);
  if (!row) {
    std::vector<std::string> keys;
    for (const SettingRow& each : SettingTable()) keys.emplace_back(each.key);
    const std::string suggestion = Suggestion(key, keys, {});
    loaded.problems.push_back(std::string(source) + ": there is no setting '" + std::string(key) + "'" +
                              (suggestion.empty() ? kNoSuggestion : suggestion));
  } else if (!row->set(loaded.settings, *row, value)) {
    loaded.problems.push_back(std::string(source) + ": '" + std::string(value) + "' is no value of the setting '" +
                              std::string(key) + "', which takes " + AllowedValues(*row));
  } else {
    loaded.settings.given.insert_or_assign(std::string(key), std::string(value));
    if (value == row->default_value) loaded.settings.given.erase(std::string(key));
  }
}

// The first value as text; nothing for a type that no setting of ours has.
std::optional<std::string> TextOf(const VkLayerSettingEXT& setting) {
  if (setting.valueCount == 0 || !setting.pValues) return std::nullopt;
  switch (setting.type) {
    case VK_LAYER_SETTING_TYPE_BOOL32_EXT:
      return *static_cast<const VkBool32*>(setting.pValues) ? "true" : "false";
    case VK_LAYER_SETTING_TYPE_INT32_EXT:
      return std::to_string(*static_cast<const int32_t*>(setting.pValues));
    case VK_LAYER_SETTING_TYPE_INT64_EXT:
      return std::to_string(*static_cast<const int64_t*>(setting.pValues));
    case VK_LAYER_SETTING_TYPE_UINT32_EXT:
      return std::to_string(*static_cast<const uint32_t*>(setting.pValues));
    case VK_LAYER_SETTING_TYPE_UINT64_EXT:
      return std::to_string(*static_cast<const uint64_t*>(setting.pValues));
    case VK_LAYER_SETTING_TYPE_STRING_EXT:
      return *static_cast<const char* const*>(setting.pValues);
    default:
      return std::nullopt;
  }
}

void LoadFromApi(LoadedSettings& loaded, const void* chain) {
  for (auto* at = static_cast<const VkBaseInStructure*>(chain); at; at = at->pNext) {
    if (at->sType != VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT) continue;
    const auto& info = *reinterpret_cast<const VkLayerSettingsCreateInfoEXT*>(at);
    for (uint32_t i = 0; i < info.settingCount; ++i) {
      const VkLayerSettingEXT& setting = info.pSettings[i];
      if (std::strcmp(setting.pLayerName, kLayerName) != 0) continue;
      if (const std::optional<std::string> text = TextOf(setting)) {
        Apply(loaded, "VK_EXT_layer_settings", setting.pSettingName, *text);
      } else {
        const SettingRow* row = FindSetting(setting.pSettingName);
        loaded.problems.push_back(std::string("VK_EXT_layer_settings: the setting '") + setting.pSettingName +
                                  "' has no value, or one of a type that no setting has" +
                                  (row ? "; it takes " + AllowedValues(*row) : ""));
      }
    }
  }
}

void LoadFromFile(LoadedSettings& loaded, std::string_view text, std::string_view file_name) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line = Trim(line.substr(0, line.find('#')));
    const size_t equals = line.find('=');
    if (!line.starts_with(kFilePrefix)) continue;
    if (equals == std::string_view::npos) {
      loaded.problems.push_back(std::string(file_name) + ": '" + std::string(line) +
                                "' has no value: write 'key = value'");
      continue;
    }
    const std::string_view key = Trim(line.substr(0, equals)).substr(kFilePrefix.size());
    const std::string_view value = Trim(line.substr(equals + 1));
    // Older versions of vkconfig write groups too, without a value.
    if (value.empty() && IsSettingGroup(key)) continue;
    Apply(loaded, file_name, key, value);
  }
}

void LoadFromEnvironment(LoadedSettings& loaded, const SettingSources& sources) {
  if (!sources.environment) return;
  std::vector<std::string> variables(std::begin(kOtherVariables), std::end(kOtherVariables));
  for (const SettingRow& row : SettingTable()) {
    const std::string& name = variables.emplace_back(EnvironmentName(row.key));
    if (const std::optional<std::string> value = sources.environment(name)) Apply(loaded, name, row.key, *value);
  }
  for (const std::string& name : sources.environment_names) {
    if (!name.starts_with(kEnvironmentPrefix) || IsOfBuildOrTests(name)) continue;
    if (std::find(variables.begin(), variables.end(), name) != variables.end()) continue;
    const std::string text = "the environment variable " + name + " is no setting";
    if (const std::string suggestion = Suggestion(name, variables, kEnvironmentPrefix); !suggestion.empty())
      loaded.problems.push_back(text + suggestion);
    else  // it may be another program's, and the layer is in all that use Vulkan
      loaded.notes.push_back(text + kNoSuggestion);
  }
}

}  // namespace

LoadedSettings LoadSettings(const SettingSources& sources) {
  LoadedSettings loaded;
  LoadFromApi(loaded, sources.api_chain);
  LoadFromFile(loaded, sources.file_text, sources.file_name);
  LoadFromEnvironment(loaded, sources);
  return loaded;
}

}  // namespace trellis
