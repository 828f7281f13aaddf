// SPDX-License-Identifier: Apache-2.0
#include <spawn.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "tools/platform/platform.h"

extern char** environ;

namespace trellis::tool {
namespace {

namespace fs = std::filesystem;

class Pipe {
 public:
  Pipe() { open_ = pipe(ends_.data()) == 0; }
  ~Pipe() {
    CloseWrite();
    if (open_) close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] bool open() const { return open_; }
  [[nodiscard]] int read_end() const { return ends_[0]; }
  [[nodiscard]] int write_end() const { return ends_[1]; }
  void CloseWrite() {
    if (open_ && ends_[1] >= 0) close(std::exchange(ends_[1], -1));
  }

 private:
  std::array<int, 2> ends_ = {-1, -1};
  bool open_ = false;
};

// Puts `folder` in front of the folders of a variable, unless it is among them.
void PutInFront(const std::string& variable, const fs::path& folder, const char* otherwise) {
  std::string folders = EnvironmentVariable(variable).value_or("");
  if (folders.empty()) folders = otherwise;
  if ((":" + folders + ":").find(":" + folder.string() + ":") == std::string::npos)
    SetEnvironmentVariableTo(variable, folder.string() + ":" + folders);
}

bool IsProgram(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::vector<std::string> CommandLine(int argc, char** argv) {
  return argc > 0 ? std::vector<std::string>(argv + 1, argv + argc) : std::vector<std::string>();
}

std::optional<std::string> EnvironmentVariable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

std::vector<std::pair<std::string, std::string>> EnvironmentVariables() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    if (const size_t equals = variable.find('='); equals != std::string_view::npos)
      variables.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return variables;
}

void SetEnvironmentVariableTo(const std::string& name, const std::optional<std::string>& value) {
  if (value)
    setenv(name.c_str(), value->c_str(), 1);
  else
    unsetenv(name.c_str());
}

std::string HomeFolder() { return EnvironmentVariable("HOME").value_or(""); }

fs::path SelectOwnLayer() {
  constexpr const char* kManifest = "vulkan/implicit_layer.d/VkLayer_TRELLIS_shader_enqueue.json";
  std::error_code ignored;
  const fs::path folder = OwnProgram().parent_path();
  // An installation, or an archive that was unpacked somewhere: <prefix>/bin.
  const fs::path data = folder.parent_path() / "share";
  if (fs::is_regular_file(data / kManifest, ignored)) {
    PutInFront("XDG_DATA_DIRS", data, "/usr/local/share:/usr/share");
    return data / "vulkan";
  }
  // A build tree: <build>/tools/trellis.
  const fs::path build = folder.parent_path().parent_path();
  if (fs::is_regular_file(build / kManifest, ignored)) {
    PutInFront("XDG_CONFIG_DIRS", build, "/etc/xdg");
    return build / "vulkan";
  }
  return {};
}

SystemName NameSystem() {
  SystemName system;
  utsname name = {};
  if (uname(&name) == 0) {
    system.kernel = std::string(name.sysname) + " " + name.release;
    system.machine = name.machine;
  }
  constexpr std::string_view kDistribution = "PRETTY_NAME=";
  std::ifstream release("/etc/os-release");
  for (std::string line; std::getline(release, line);) {
    if (line.starts_with(kDistribution)) system.distribution = line.substr(kDistribution.size());
  }
  return system;
}

std::FILE* OpenFile(const fs::path& path, const char* mode) { return std::fopen(path.c_str(), mode); }

fs::path MakeTemporaryFolder() {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "trellis-XXXXXX").string();
  return !error && mkdtemp(pattern.data()) != nullptr ? fs::path(pattern) : fs::path();
}

fs::path OwnProgram() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

std::string FindInPath(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path program = fs::path(folder.empty() ? "." : folder) / name;
    if (IsProgram(program)) return program.string();
  }
  return {};
}

Expected<ProgramResult> RunProgram(const std::vector<std::string>& command) {
  Pipe output;
  if (!output.open()) return Error{std::string("pipe: ") + std::strerror(errno)};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write_end(), STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, output.read_end());
  posix_spawn_file_actions_addclose(&actions, output.write_end());
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return Error{command[0] + ": " + std::strerror(failed)};
  output.CloseWrite();
  ProgramResult result;
  std::array<char, 4096> buffer;
  for (ssize_t got = 0;
       (got = read(output.read_end(), buffer.data(), buffer.size())) > 0 || (got < 0 && errno == EINTR);) {
    if (got > 0) result.output.append(buffer.data(), static_cast<size_t>(got));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return Error{command[0] + ": " + std::strerror(errno)};
  }
  if (WIFSIGNALED(status))
    result.signal = WTERMSIG(status);
  else
    result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace trellis::tool
