// SPDX-License-Identifier: Apache-2.0
#include "samples/hello_graph/options.h"

#include <charconv>
#include <cstdio>
#include <string_view>

namespace hello {

std::optional<Options> ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      options.help = true;
    } else if (argument == "--list-devices") {
      options.list_devices = true;
    } else if (argument == "--validate") {
      options.validate = true;
    } else if (argument == "--device") {
      const std::string_view text = i + 1 < argc ? argv[++i] : "";
      unsigned number = 0;
      const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
      if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
        std::fprintf(stderr, "hello_graph: --device takes a number (see --list-devices), not '%s'\n", text.data());
        return std::nullopt;
      }
      options.device = number;
    } else {
      std::fprintf(stderr, "hello_graph: there is no option '%s' (see --help)\n", argv[i]);
      return std::nullopt;
    }
  }
  return options;
}

void PrintHelp() {
  std::puts(
      "usage: hello_graph [--device N] [--list-devices] [--validate] [--help]\n"
      "\n"
      "Runs a work graph of three nodes with VK_AMDX_shader_enqueue and compares what it wrote with what it should "
      "write.\n"
      "\n"
      "  --device N      run on device N of the list instead of the best one that offers the extension\n"
      "  --list-devices  name the devices and stop\n"
      "  --validate      run with VK_LAYER_KHRONOS_validation; its errors make the result FAIL\n"
      "\n"
      "Exit status: 0 if all words are as expected.");
}

}  // namespace hello
