// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "layer/platform/platform.h"
#include "layer/settings/settings.h"

namespace trellis {

// Writes lines to standard error or to a file, never to standard output: that belongs to the application.
// Threading: any thread; a line is written whole.
class Log {
 public:
  // `file`: appended to. Standard error if it is empty, or cannot be opened, which is then said there.
  Log(LogLevel level, const std::string& file);
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  [[nodiscard]] bool Wants(LogLevel level) const { return level <= level_; }
  void Write(LogLevel level, std::string_view id, std::string_view text);

 private:
  const LogLevel level_;
  OutputFile file_;   // null: standard error
  std::mutex mutex_;  // keeps lines whole
};

}  // namespace trellis
