// SPDX-License-Identifier: Apache-2.0
#include "bench/options.h"

#include <cstdio>
#include <cstdlib>
#include <map>

namespace trellis::bench {

std::optional<Options> ParseOptions(int argc, char** argv) {
  Options options;
  std::string repetitions;
  const std::map<std::string, bool*> switches = {{"--help", &options.help},
                                                 {"--list-devices", &options.list_devices},
                                                 {"--list", &options.list},
                                                 {"--quick", &options.quick},
                                                 {"--plain-dispatches", &options.plain_dispatches}};
  const std::map<std::string, std::string*> values = {{"--device", &options.device},
                                                      {"--filter", &options.filter},
                                                      {"--json", &options.json},
                                                      {"--growth", &options.growth},
                                                      {"--repetitions", &repetitions}};
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (const auto found = switches.find(argument); found != switches.end()) {
      *found->second = true;
    } else if (const auto value = values.find(argument); value != values.end() && i + 1 < argc) {
      *value->second = argv[++i];
    } else {
      std::fprintf(stderr, "trellis_bench: %s: not understood, or its value is missing (see --help)\n",
                   argument.c_str());
      return std::nullopt;
    }
  }
  if (repetitions.empty()) return options;
  options.repetitions = static_cast<uint32_t>(std::strtoul(repetitions.c_str(), nullptr, 10));
  if (options.repetitions != 0) return options;
  std::fputs("trellis_bench: --repetitions: a number above 0 is needed\n", stderr);
  return std::nullopt;
}

void PrintHelp() {
  std::puts(
      "usage: trellis_bench [options]\n"
      "Runs each workload as a work graph and as hand-written compute on the same device, checks both and compares.\n"
      "  --filter TEXT    only what has TEXT in its id, name or size, such as P2 or fan-out; several: P2,fan-out\n"
      "  --quick          small sizes, few repetitions: looks at the results rather than at the times\n"
      "  --repetitions N  of each form, after warming up; usually 20, or 3 with --quick\n"
      "  --device DEVICE  number, or part of the name\n"
      "  --json FILE      the figures as JSON too; - is standard output\n"
      "  --growth FILE    instead: times against records, levels and nodes, as JSON for scripts/plot_growth.py\n"
      "  --list           the workloads\n"
      "  --list-devices   the devices\n"
      "The layer must be enabled: TRELLIS_ENABLE=1 when it is installed; docs/performance.md says more.\n"
      "Ends with 1 if a result is wrong; times decide nothing.");
}

}  // namespace trellis::bench
