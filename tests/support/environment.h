// SPDX-License-Identifier: Apache-2.0
// Environment variables that control the tests. A value that is not allowed ends the program: a run that was told to
// test something must not quietly test something else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "spirv_lowering/support/expected.h"

namespace trellis::test {

// Which of the three commands dispatches the graph.
enum class DispatchCommand : uint8_t { kHost, kIndirect, kIndirectCount };

// The variables TRELLIS_TEST_*. The defaults stand for variables that are not set.
struct TestVariables {
  bool hardware = false;                              // DEVICE=hardware: the first device that is not a CPU
  bool no_validation = false;                         // NO_VALIDATION=1: without the validation layer
  bool one_queue = false;                             // ONE_QUEUE=1: one queue of each family
  DispatchCommand dispatch = DispatchCommand::kHost;  // DISPATCH=host, indirect or indirect_count
  std::string dump;                                   // DUMP=FOLDER: module texts are written there
  std::optional<uint32_t> random_graphs;              // RANDOM_GRAPHS, RANDOM_SEED, RANDOM_STEPPED: see tests/random
  std::optional<uint32_t> random_seed;
  std::optional<uint32_t> random_stepped;
  uint32_t random_parts = 1;  // RANDOM_PARTS, PARTS, PART (a number or "all"): see test_part.h
  uint32_t parts = 1;
  uint32_t part = 0;
  bool all_parts = false;
  uint32_t smaller_parts = 1;             // SMALLER_PARTS=N: see test_part.h
  std::optional<uint32_t> soak_seconds;   // SOAK_SECONDS: see tests/soak
  std::string device_profile;             // DEVICE_PROFILE=FILE: see tests/device_profiles
  std::optional<uint32_t> subgroup_size;  // SUBGROUP_SIZE=N: the device must have it
};

// `environment` has the form of `environ`. An unknown variable TRELLIS_TEST_*, or a value that is not allowed, is an
// error that names it.
[[nodiscard]] Expected<TestVariables> ParseTestVariables(const char* const* environment);

// The variables of this process as they are now. Ends the program on an error.
[[nodiscard]] TestVariables ReadTestVariables();

// A decimal number below 2^32; nothing else is one.
[[nodiscard]] std::optional<uint32_t> ParseNumber(const std::string& text);

// The number that the variable holds; `otherwise` if it is not set. Ends the program if it holds something else.
[[nodiscard]] uint32_t NumberFromEnvironment(const char* name, uint32_t otherwise);

// CI=true: what a run is configured for has to be there.
[[nodiscard]] bool IsCi();

}  // namespace trellis::test
