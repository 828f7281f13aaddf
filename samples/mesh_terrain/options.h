// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "samples/mesh_terrain/frame.h"

namespace terrain {

struct Options {
  bool help = false;
  bool check = false;
  bool validate = false;
  bool window = false;
  std::optional<uint32_t> frames;  // nothing: the whole flight; in a window, until it is closed
  uint32_t first = 0;
  uint32_t width = 640;  // of pictures; of the window when it opens
  uint32_t height = 360;
  std::string output = "mesh_terrain";  // folder
  std::string device;                   // part of a name; empty: the best one
};

// Nothing, after saying what is wrong, if the arguments cannot be understood.
std::optional<Options> ParseOptions(int argc, char** argv);
void PrintHelp();

}  // namespace terrain
