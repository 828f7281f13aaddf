// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/options.h"

#include <cstring>

#include "tests/support/environment.h"

namespace trellis::test::soak {
namespace {

bool SetNumber(Options& options, const char* name, uint32_t value) {
  if (std::strcmp(name, "--seconds") == 0) {
    options.seconds = value;
  } else if (std::strcmp(name, "--threads") == 0 && value > 0) {
    options.threads = value;
  } else if (std::strcmp(name, "--seed") == 0) {
    options.seed = value;
  } else if (std::strcmp(name, "--flight") == 0) {
    options.flight = value;
  } else {
    return false;
  }
  return true;
}

}  // namespace

const char* const kUsage =
    "usage: trellis_soak [--seconds N] [--threads N] [--seed S] [--flight F] [--broken-reference]\n"
    "\n"
    "Threads make random graphs, record, submit and destroy them, and compare every result with the reference.\n"
    "  --flight F          only the work of this number, which a wrong result names, again and again\n"
    "  --broken-reference  compare with a wrong reference, so that every result is called wrong\n"
    "TRELLIS_TEST_SOAK_SECONDS=N stands for --seconds where that is not given.\n"
    "TRELLIS_TEST_DEVICE=hardware takes the first device that is not a CPU, TRELLIS_TEST_NO_VALIDATION=1 leaves the\n"
    "validation layer out.\n";

std::optional<Options> ParseOptions(int argc, char** argv) {
  Options options;
  options.seconds = ReadTestVariables().soak_seconds.value_or(options.seconds);
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--broken-reference") == 0) {
      options.broken_reference = true;
      continue;
    }
    if (i + 1 == argc) return std::nullopt;
    const std::optional<uint32_t> value = ParseNumber(argv[i + 1]);
    if (!value || !SetNumber(options, argv[i], *value)) return std::nullopt;
    ++i;
  }
  return options;
}

}  // namespace trellis::test::soak
