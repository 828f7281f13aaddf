#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "layer/settings/load_settings.h"

namespace trellis {

namespace {

constexpr char kFileName[] = "vk_layer_settings.txt";

bool HasRaisedPrivileges() { return getauxval(AT_SECURE) != 0; }

std::optional<std::string> Environment(const std::string& name) {
  const char* value = secure_getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

std::vector<std::string> EnvironmentNames() {
  std::vector<std::string> names;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

std::vector<std::filesystem::path> Candidates() {
  std::vector<std::filesystem::path> candidates;
  const std::filesystem::path vkconfig_file = std::filesystem::path("vulkan") / "settings.d" / kFileName;
  if (const auto data = Environment("XDG_DATA_HOME"); data && !data->empty()) {
    candidates.push_back(*data / vkconfig_file);
  } else if (const auto home = Environment("HOME"); home && !home->empty()) {
    candidates.push_back(std::filesystem::path(*home) / ".local" / "share" / vkconfig_file);
  }
  if (const auto path = Environment("VK_LAYER_SETTINGS_PATH"); path && !path->empty()) {
    candidates.push_back(*path);
    candidates.push_back(std::filesystem::path(*path) / kFileName);
  }
  candidates.push_back(kFileName);
  return candidates;
}

}  // namespace

SettingSources ProcessSettingSources(const void* api_chain) {
  SettingSources sources;
  sources.api_chain = api_chain;
  if (HasRaisedPrivileges()) return sources;
  sources.environment = Environment;
  sources.environment_names = EnvironmentNames();
  for (const std::filesystem::path& candidate : Candidates()) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(candidate, error)) continue;
    std::ifstream file(candidate, std::ios::binary);
    sources.file_text.assign(std::istreambuf_iterator<char>(file), {});
    sources.file_name = candidate.string();
    break;
  }
  return sources;
}

}  // namespace trellis
