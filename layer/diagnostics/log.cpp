// SPDX-License-Identifier: Apache-2.0
#include "layer/diagnostics/log.h"

#include <cerrno>
#include <system_error>

#include "spirv_lowering/support/utf8_path.h"

namespace trellis {

namespace {

constexpr const char* kNames[] = {"error", "warning", "info", "debug"};  // by LogLevel
static_assert(std::size(kNames) == static_cast<size_t>(LogLevel::kDebug) + 1);

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
  std::fprintf(file, "trellis %s: %.*s [%.*s]\n", kNames[static_cast<size_t>(level)], static_cast<int>(text.size()),
               text.data(), static_cast<int>(id.size()), id.data());
  std::fflush(file);
}

}  // namespace trellis
