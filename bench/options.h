#pragma once

#include <optional>
#include <string>

namespace trellis::bench {

struct Options {
  bool help = false;
  bool list_devices = false;
  bool list = false;
  bool quick = false;
  std::string device;  // number or part of the name; empty: the best one
  std::string filter;  // part of "id name size"; empty: all
  std::string json;    // file; empty: none
};

// Nothing, after saying what is wrong, if the arguments cannot be understood.
std::optional<Options> ParseOptions(int argc, char** argv);
void PrintHelp();

}  // namespace trellis::bench
