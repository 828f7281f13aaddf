// SPDX-License-Identifier: Apache-2.0
#include "samples/mesh_terrain/options.h"

#include <charconv>
#include <cstdio>
#include <string_view>

namespace terrain {
namespace {

bool ReadNumber(std::string_view text, uint32_t least, uint32_t most, uint32_t& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() && number >= least && number <= most;
}

bool ReadSize(std::string_view text, Options& options) {
  constexpr uint32_t kMax = 4096;
  const size_t cross = text.find('x');
  return cross != std::string_view::npos && ReadNumber(text.substr(0, cross), 1, kMax, options.width) &&
         ReadNumber(text.substr(cross + 1), 1, kMax, options.height);
}

// Whether the option and its value are understood.
bool ReadOption(std::string_view option, std::string_view value, Options& options) {
  if (option == "--frames") {
    if (ReadNumber(value, 1, 100000, options.frames.emplace())) return true;
    std::fprintf(stderr, "mesh_terrain: --frames takes a number from 1 to 100000, not '%s'\n", value.data());
  } else if (option == "--first") {
    if (ReadNumber(value, 0, 100000, options.first)) return true;
    std::fprintf(stderr, "mesh_terrain: --first takes a number from 0 to 100000, not '%s'\n", value.data());
  } else if (option == "--size") {
    if (ReadSize(value, options)) return true;
    std::fprintf(stderr, "mesh_terrain: --size takes a size from 1x1 to 4096x4096, not '%s'\n", value.data());
  } else if (option == "--output" || option == "--device") {
    (option == "--output" ? options.output : options.device) = value;
    if (!value.empty()) return true;
    std::fprintf(stderr, "mesh_terrain: %s takes a text\n", option.data());
  } else {
    std::fprintf(stderr, "mesh_terrain: there is no option '%s' (see --help)\n", option.data());
  }
  return false;
}

}  // namespace

std::optional<Options> ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--help" || option == "-h") {
      options.help = true;
    } else if (option == "--check") {
      options.check = true;
    } else if (option == "--validate") {
      options.validate = true;
    } else if (option == "--window") {
      options.window = true;
    } else if (!ReadOption(option, i + 1 < argc ? argv[i + 1] : "", options)) {
      return std::nullopt;
    } else {
      ++i;
    }
  }
  if (options.window && options.check) {
    std::fputs("mesh_terrain: --check compares pictures without a window: leave out --check or --window\n", stderr);
    return std::nullopt;
  }
  return options;
}

void PrintHelp() {
  std::puts(
      "usage: mesh_terrain [--frames N] [--first N] [--size WxH] [--output DIR] [--window] [--device TEXT] [--check] "
      "[--validate] [--help]\n"
      "\n"
      "Flies over a landscape that a work graph with mesh nodes draws, and writes each frame as DIR/frame_NNN.png.\n"
      "\n"
      "  --frames N     this many frames (60, the whole flight; in a window, until it is closed)\n"
      "  --first N      from this one on (0)\n"
      "  --size WxH     of the pictures or the window, in pixels (640x360)\n"
      "  --output DIR   folder for the pictures, made if it is not there (mesh_terrain)\n"
      "  --window       show the flight in a window instead; closing it or Escape ends the program\n"
      "  --device TEXT  the device whose name contains the text, instead of the best one\n"
      "  --check        write nothing; draw each frame without the graph, too, and compare the pictures\n"
      "  --validate     run with VK_LAYER_KHRONOS_validation; its errors make the program fail\n"
      "\n"
      "Exit status: 0 if everything worked, 77 if no device offers mesh nodes.");
}

}  // namespace terrain
