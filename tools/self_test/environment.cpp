// SPDX-License-Identifier: Apache-2.0
#include "tools/self_test/environment.h"

#include <string_view>

#include "spirv_lowering/support/utf8_path.h"
#include "tools/platform/platform.h"
#include "tools/self_test/json.h"

namespace trellis::self_test {
namespace {

// Replaces the home folder, which may name the user.
std::string WithoutHome(std::string text) {
  const std::string home = tool::HomeFolder();
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
  return WithoutHome(Utf8FromPath(tool::SelectOwnLayer()));
}

}  // namespace trellis::self_test
