// SPDX-License-Identifier: Apache-2.0
// Settings of the layer for a part of the program.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace trellis::bench {

// Sets a variable of the environment for as long as it lives. Settings are read when an instance is made.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* const name_;
  std::optional<std::string> before_;
};

}  // namespace trellis::bench
