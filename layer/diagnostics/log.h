#pragma once

#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

#include "layer/settings/settings.h"

namespace trellis {

// Writes lines to standard error or to a file, never to standard output: that belongs to the application.
// Threading: any thread; a line is written whole.
class Log {
 public:
  // `file`: appended to; empty, or not to be opened: standard error.
  Log(LogLevel level, const std::string& file);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  [[nodiscard]] bool Wants(LogLevel level) const { return level <= level_; }
  void Write(LogLevel level, std::string_view id, std::string_view text);

 private:
  const LogLevel level_;
  std::FILE* file_;   // stderr, or owned
  std::mutex mutex_;  // keeps lines whole
};

}  // namespace trellis
