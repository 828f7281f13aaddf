// SPDX-License-Identifier: Apache-2.0
// Long runs are divided into parts, one of which a change has to pass before it lands.
//
//   TRELLIS_TEST_PART=N           the part to run, modulo the number of parts; a number of its own for every commit
//                                 (scripts/run_tests.sh)
//   TRELLIS_TEST_PART=all         everything
//   TRELLIS_TEST_PARTS=N          how many parts the run has; set by CMake. Without it a program runs all of its tests.
//   TRELLIS_TEST_SMALLER_PARTS=N  N times as many where a driver compiles the shaders of tests: on a machine that has
//                                 none in its caches yet
#pragma once

#include <cstdint>

#include "tests/support/environment.h"

namespace trellis::test {

struct TestPart {
  uint32_t number = 0;  // not yet modulo `count`
  uint32_t count = 1;   // of parts; 1: everything runs
};

// Whether TRELLIS_TEST_SMALLER_PARTS counts.
enum class PartKind : uint8_t { kOnDriver, kElsewhere };

// Returns the part that was chosen of a run that has `parts` of them.
[[nodiscard]] TestPart ChosenPart(const TestVariables& variables, uint32_t parts, PartKind kind);

// How GoogleTest divides a program's tests: test i runs if i % total == index.
struct TestShard {
  uint32_t index = 0;
  uint32_t total = 1;
};

// Returns the shard's share of a part: over all shards these are the part, each test once.
[[nodiscard]] TestShard ShardOfPart(const TestPart& part, const TestShard& shard);

// Makes GoogleTest run the part that TRELLIS_TEST_PARTS and TRELLIS_TEST_PART name, or the share of it that
// GTEST_SHARD_INDEX names. Call it before testing::InitGoogleTest.
void SelectTestPart(PartKind kind);

}  // namespace trellis::test
