// SPDX-License-Identifier: Apache-2.0
#include "tools/self_test/environment.h"

#include <filesystem>
#include <string_view>

#include "tools/platform/platform.h"
#include "tools/self_test/json.h"

namespace trellis::self_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "implicit_layer.d/VkLayer_TRELLIS_shader_enqueue.json";

std::string ValueOf(const std::string& name, const std::string& otherwise) {
  const std::string value = tool::EnvironmentVariable(name).value_or("");
  return value.empty() ? otherwise : value;
}

// Replaces the home folder, which may name the user.
std::string WithoutHome(std::string text) {
  const std::string home = ValueOf("HOME", "");
  if (home.size() < 2) return text;
  for (size_t at = 0; (at = text.find(home, at)) != std::string::npos; ++at) text.replace(at, home.size(), "~");
  return text;
}

}  // namespace

std::string DescribeEnvironment() {
  JsonObject variables;
  for (const auto& [name, value] : tool::EnvironmentVariables()) {
    if (name.starts_with("TRELLIS_") || name.starts_with("VK_") || name.starts_with("XDG_"))
      variables.Text(name, WithoutHome(value));
  }
  return variables.str();
}

std::string DescribeSystem() {
  const tool::SystemName name = tool::NameSystem();
  JsonObject system;
  system.Text("kernel", name.kernel);
  system.Text("machine", name.machine);
  if (!name.distribution.empty()) system.Text("distribution", name.distribution);
  return system.str();
}

std::string EnableLayer() {
  tool::SetEnvironmentVariableTo("TRELLIS_ENABLE", "1");
  tool::SetEnvironmentVariableTo("TRELLIS_DISABLE", std::nullopt);
  std::error_code ignored;
  const fs::path self = tool::OwnProgram();
  // An installation, or an archive that was unpacked somewhere: <prefix>/bin.
  const fs::path data = self.parent_path().parent_path() / "share";
  if (fs::is_regular_file(data / "vulkan" / kManifest, ignored)) {
    const std::string folders = ValueOf("XDG_DATA_DIRS", "/usr/local/share:/usr/share");
    if ((":" + folders + ":").find(":" + data.string() + ":") == std::string::npos)
      tool::SetEnvironmentVariableTo("XDG_DATA_DIRS", data.string() + ":" + folders);
    return WithoutHome((data / "vulkan").string());
  }
  // A build tree: <build>/tools/trellis.
  const fs::path build = self.parent_path().parent_path().parent_path();
  if (fs::is_regular_file(build / "vulkan" / kManifest, ignored)) {
    tool::SetEnvironmentVariableTo("XDG_CONFIG_DIRS", build.string() + ":" + ValueOf("XDG_CONFIG_DIRS", "/etc/xdg"));
    return WithoutHome((build / "vulkan").string());
  }
  return {};
}

}  // namespace trellis::self_test
