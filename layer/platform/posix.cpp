// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "layer/platform/platform.h"

namespace trellis {

namespace {

constexpr mode_t kMode = 0666;  // less what the process masks

OutputFile Open(const std::filesystem::path& path, int flags, const char* stdio_mode) {
  const int descriptor = open(path.c_str(), flags | O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kMode);
  if (descriptor < 0) return nullptr;
  OutputFile file(fdopen(descriptor, stdio_mode));
  if (!file) close(descriptor);
  return file;
}

// Lets the system read, which fails where a read by this process would fault. Processes may lack the right to
// process_vm_readv; pipes they have.
class ReadingPipe {
 public:
  ReadingPipe() : open_(pipe2(ends_, O_CLOEXEC | O_NONBLOCK) == 0) {}
  ~ReadingPipe() {
    if (!open_) return;
    close(ends_[0]);
    close(ends_[1]);
  }
  ReadingPipe(const ReadingPipe&) = delete;
  ReadingPipe& operator=(const ReadingPipe&) = delete;

  // The bytes of one page fit into an empty pipe.
  [[nodiscard]] bool Copy(const void* from, void* to, size_t bytes) const {
    if (!open_) return false;
    // Not write(): sanitizers check what that is given.
    const long written = syscall(SYS_write, ends_[1], from, bytes);
    if (written < 0) return errno == EFAULT;
    return static_cast<size_t>(written) == bytes && read(ends_[0], to, bytes) == written;
  }

 private:
  int ends_[2] = {-1, -1};
  const bool open_;
};

}  // namespace

bool HasRaisedPrivileges() { return getauxval(AT_SECURE) != 0; }

std::optional<std::string> EnvironmentVariable(const std::string& name) {
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

std::vector<std::filesystem::path> SystemSettingsFiles() {
  const std::filesystem::path file = std::filesystem::path("vulkan") / "settings.d" / "vk_layer_settings.txt";
  if (const auto data = EnvironmentVariable("XDG_DATA_HOME"); data && !data->empty()) return {*data / file};
  if (const auto home = EnvironmentVariable("HOME"); home && !home->empty())
    return {std::filesystem::path(*home) / ".local" / "share" / file};
  return {};
}

bool CopyIfReadable(const void* from, void* to, size_t bytes) { return ReadingPipe().Copy(from, to, bytes); }

OutputFile OpenForAppending(const std::filesystem::path& path) { return Open(path, O_APPEND, "a"); }

OutputFile ReplaceFile(const std::filesystem::path& path) {
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return nullptr;
  return Open(path, O_EXCL, "w");
}

}  // namespace trellis
