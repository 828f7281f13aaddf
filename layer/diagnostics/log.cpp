#include "layer/diagnostics/log.h"

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

Log::Log(LogLevel level, const std::string& file) : level_(level), file_(stderr) {
  if (file.empty()) return;
  if (std::FILE* opened = std::fopen(file.c_str(), "ae")) file_ = opened;
}

Log::~Log() {
  if (file_ != stderr) std::fclose(file_);
}

void Log::Write(LogLevel level, std::string_view id, std::string_view text) {
  if (!Wants(level)) return;
  std::lock_guard lock(mutex_);
  std::fprintf(file_, "trellis %s: %.*s [%.*s]\n", NameOf(level), static_cast<int>(text.size()), text.data(),
               static_cast<int>(id.size()), id.data());
  std::fflush(file_);
}

}  // namespace trellis
