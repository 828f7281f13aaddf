// SPDX-License-Identifier: Apache-2.0
#include "tools/self_test/options.h"

#include <charconv>
#include <cstdio>
#include <string_view>

namespace trellis::self_test {
namespace {

std::optional<Options> Wrong(const std::string& what) {
  std::fprintf(stderr, "trellis doctor: %s (see 'trellis doctor --help')\n", what.c_str());
  return std::nullopt;
}

}  // namespace

std::optional<Options> ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool takes_value = argument == "-o" || argument == "--device";
    if (takes_value && i + 1 == argc) return Wrong("option '" + argument + "' needs a value");
    if (argument == "--help" || argument == "-h") {
      options.help = true;
    } else if (argument == "--no-bench") {
      options.bench = false;
    } else if (argument == "-o") {
      options.output = argv[++i];
    } else if (argument == "--device") {
      const std::string_view text = argv[++i];
      unsigned number = 0;
      const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
      if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size())
        return Wrong("--device takes a number, not '" + std::string(text) + "'");
      options.device = number;
    } else {
      return Wrong("unknown option '" + argument + "'");
    }
  }
  return options;
}

void PrintHelp() {
  std::puts(
      "usage: trellis doctor [-o FILE] [--device N] [--no-bench]\n\n"
      "Checks whether work graphs run on this machine and writes all that it finds into one file: drivers, devices, "
      "their features, the\n"
      "decision for each device and its reason, a self-test of every kind of launch against its CPU reference, and a "
      "short bench. Attach the\n"
      "file to an issue. It holds no user name; it names variables of the environment that begin with TRELLIS_, VK_ or "
      "XDG_ and their values.\n\n"
      "  -o FILE     the file (default: trellis-doctor.json)\n"
      "  --device N  only device N, counted from 0\n"
      "  --no-bench  no bench\n\n"
      "example: trellis doctor -o report.json\n"
      "exit status: 0 every device that offers graphs passed, 1 a test failed or no device offers graphs, 2 the "
      "command "
      "line is wrong");
}

}  // namespace trellis::self_test
