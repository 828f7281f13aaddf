#include "layer/diagnostics/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

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

}  // namespace

OutputFile OpenForAppending(const std::filesystem::path& path) { return Open(path, O_APPEND, "a"); }

OutputFile ReplaceFile(const std::filesystem::path& path) {
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return nullptr;
  return Open(path, O_EXCL, "w");
}

}  // namespace trellis
