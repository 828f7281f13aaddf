// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "layer/platform/platform.h"
#include "layer/settings/load_settings.h"
#include "spirv_lowering/support/utf8_path.h"

namespace trellis {

namespace {

constexpr char kFileName[] = "vk_layer_settings.txt";

std::vector<std::filesystem::path> Candidates() {
  std::vector<std::filesystem::path> candidates = SystemSettingsFiles();
  if (const auto path = EnvironmentVariable("VK_LAYER_SETTINGS_PATH"); path && !path->empty()) {
    candidates.push_back(PathFromUtf8(*path));
    candidates.push_back(PathFromUtf8(*path) / kFileName);
  }
  candidates.push_back(kFileName);
  return candidates;
}

}  // namespace

SettingSources ProcessSettingSources(const void* api_chain) {
  SettingSources sources;
  sources.api_chain = api_chain;
  if (HasRaisedPrivileges()) return sources;
  sources.environment = EnvironmentVariable;
  sources.environment_names = EnvironmentNames();
  for (const std::filesystem::path& candidate : Candidates()) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(candidate, error)) continue;
    std::ifstream file(candidate, std::ios::binary);
    sources.file_text.assign(std::istreambuf_iterator<char>(file), {});
    sources.file_name = Utf8FromPath(candidate);
    break;
  }
  return sources;
}

}  // namespace trellis
