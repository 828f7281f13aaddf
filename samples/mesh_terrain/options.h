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
  uint32_t frames = kFlightFrames;
  uint32_t first = 0;
  uint32_t width = 640;
  uint32_t height = 360;
  std::string output = "mesh_terrain";  // folder
  std::string device;                   // part of a name; empty: the best one
};

// Nothing, after saying what is wrong, if the arguments cannot be understood.
std::optional<Options> ParseOptions(int argc, char** argv);
void PrintHelp();

}  // namespace terrain
