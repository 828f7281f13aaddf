// SPDX-License-Identifier: Apache-2.0
// One verb of the command-line tool.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trellis::tool {

// What scripts see.
inline constexpr int kOk = 0;
inline constexpr int kRefused = 1;  // the input is wrong, unreadable, or cannot be done
inline constexpr int kUsage = 2;    // the command line is wrong

struct Verb {
  std::string_view name;
  std::string_view summary;
  std::string_view help;
  int (*run)(const std::vector<std::string>& arguments);
};

extern const Verb kCompile;
extern const Verb kValidate;
extern const Verb kReflect;
extern const Verb kLower;
extern const Verb kDisassemble;
extern const Verb kDoctor;
extern const Verb kReport;

// One line "trellis: ..." on stderr; returns the exit code for `return Refuse(...)`.
int Refuse(std::string_view message);
// The same with a hint at --help.
int WrongUsage(std::string_view verb, std::string_view message);

}  // namespace trellis::tool
