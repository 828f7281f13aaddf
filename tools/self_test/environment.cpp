#include "tools/self_test/environment.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "tools/self_test/json.h"

extern char** environ;

namespace trellis::self_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "implicit_layer.d/VkLayer_TRELLIS_shader_enqueue.json";

std::string ValueOf(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
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
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    const size_t equals = variable.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = variable.substr(0, equals);
    if (name.starts_with("TRELLIS_") || name.starts_with("VK_") || name.starts_with("XDG_"))
      variables.Text(name, WithoutHome(std::string(variable.substr(equals + 1))));
  }
  return variables.str();
}

std::string DescribeSystem() {
  JsonObject system;
  utsname name = {};
  if (uname(&name) == 0) {
    system.Text("kernel", std::string(name.sysname) + " " + name.release);
    system.Text("machine", name.machine);
  }
  std::ifstream release("/etc/os-release");
  for (std::string line; std::getline(release, line);) {
    if (line.starts_with("PRETTY_NAME=")) system.Text("distribution", line.substr(line.find('=') + 1));
  }
  return system.str();
}

std::string EnableLayer() {
  setenv("TRELLIS_ENABLE", "1", 1);
  unsetenv("TRELLIS_DISABLE");
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  // An installation, or an archive that was unpacked somewhere: <prefix>/bin.
  const fs::path data = self.parent_path().parent_path() / "share";
  if (fs::is_regular_file(data / "vulkan" / kManifest, ignored)) {
    const std::string folders = ValueOf("XDG_DATA_DIRS", "/usr/local/share:/usr/share");
    if ((":" + folders + ":").find(":" + data.string() + ":") == std::string::npos)
      setenv("XDG_DATA_DIRS", (data.string() + ":" + folders).c_str(), 1);
    return WithoutHome((data / "vulkan").string());
  }
  // A build tree: <build>/tools/trellis.
  const fs::path build = self.parent_path().parent_path().parent_path();
  if (fs::is_regular_file(build / "vulkan" / kManifest, ignored)) {
    setenv("XDG_CONFIG_DIRS", (build.string() + ":" + ValueOf("XDG_CONFIG_DIRS", "/etc/xdg")).c_str(), 1);
    return WithoutHome((build / "vulkan").string());
  }
  return {};
}

}  // namespace trellis::self_test
