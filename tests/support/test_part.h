// Long runs are divided into parts, one of which a change has to pass before it lands.
//
//   TRELLIS_TEST_PART=N    the part to run, modulo the number of parts; a number of its own for every commit
//   (scripts/run_tests.sh) TRELLIS_TEST_PART=all  everything TRELLIS_TEST_PARTS=N   how many parts the run has; set by
//   CMake. Without it a program runs all of its tests.
#pragma once

#include <cstdint>

namespace trellis::test {

struct TestPart {
  uint32_t number = 0;  // not yet modulo `count`
  uint32_t count = 1;   // of parts; 1: everything runs
};

// Reads the variables, the number of parts from the one named. Ends the program with a message if one has another form.
[[nodiscard]] TestPart TestPartFromEnvironment(const char* count_variable);

// Makes GoogleTest run the part that TRELLIS_TEST_PARTS and TRELLIS_TEST_PART name. Call it before
// testing::InitGoogleTest.
void SelectTestPart();

}  // namespace trellis::test
