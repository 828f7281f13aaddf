// SPDX-License-Identifier: Apache-2.0
#include "layer/diagnostics/log.h"

#include <cerrno>
#include <system_error>

#include "spirv_lowering/support/utf8_path.h"

namespace trellis {

namespace {

const char* NameOf(LogLevel level) {
  switch (level) {
    case LogLevel::kError:
      return "error";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kDebug:
      return "debug";
  }
  return "";
}

}  // namespace

Log::Log(LogLevel level, const std::string& file) : level_(level) {
  if (file.empty()) return;
  file_ = OpenForAppending(PathFromUtf8(file));
  if (file_) return;
  const std::string reason = std::generic_category().message(errno);
  Write(LogLevel::kWarning, "TRELLIS-setting-ignored", "log_file: cannot open " + file + ": " + reason);
}

void Log::Write(LogLevel level, std::string_view id, std::string_view text) {
  if (!Wants(level)) return;
  std::lock_guard lock(mutex_);
  std::FILE* const file = file_ ? file_.get() : stderr;
  std::fprintf(file, "trellis %s: %.*s [%.*s]\n", NameOf(level), static_cast<int>(text.size()), text.data(),
               static_cast<int>(id.size()), id.data());
  std::fflush(file);
}

}  // namespace trellis
