// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace hello {

struct Options {
  bool help = false;
  bool list_devices = false;
  bool validate = false;
  std::optional<unsigned> device;  // none: the best one
};

// Nothing, after saying what is wrong, if the arguments cannot be understood.
std::optional<Options> ParseOptions(int argc, char** argv);
void PrintHelp();

}  // namespace hello
