// SPDX-License-Identifier: Apache-2.0
// The command line of trellis-doctor.
#pragma once

#include <optional>
#include <string>

namespace trellis::self_test {

struct Options {
  std::string output = "trellis-doctor.json";
  std::optional<unsigned> device;  // all devices if there is none
  bool bench = true;
  bool help = false;
};

// Prints what is wrong to standard error and returns nothing if the command line is wrong.
[[nodiscard]] std::optional<Options> ParseOptions(int argc, char** argv);
void PrintHelp();

}  // namespace trellis::self_test
