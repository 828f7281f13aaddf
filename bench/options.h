// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace trellis::bench {

struct Options {
  bool help = false;
  bool list_devices = false;
  bool list = false;
  bool quick = false;
  bool plain_dispatches = false;  // for the program's own use: see PrintPlainDispatchCost
  uint32_t repetitions = 0;       // 0: the usual number
  std::string device;             // number or part of the name; empty: the best one
  std::string filter;             // part of "id name size"; empty: all
  std::string json;               // file; empty: none
  std::string growth;             // file for the growth of times; empty: the usual run
};

// Nothing, after saying what is wrong, if the arguments cannot be understood.
std::optional<Options> ParseOptions(int argc, char** argv);
void PrintHelp();

}  // namespace trellis::bench
