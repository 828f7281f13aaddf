// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace trellis::test::soak {

struct Options {
  uint32_t seconds = 15;
  uint32_t threads = 4;
  uint32_t seed = 1;
  std::optional<uint32_t> flight;  // only this one, again and again
  bool broken_reference = false;   // the CPU's results are wrong: shows that somebody looks
};

// Nothing for a command line that is none.
[[nodiscard]] std::optional<Options> ParseOptions(int argc, char** argv);
extern const char* const kUsage;

}  // namespace trellis::test::soak
