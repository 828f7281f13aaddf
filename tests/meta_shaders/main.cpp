// GoogleTest's main, for a program that runs in parts.
#include <gtest/gtest.h>

#include "tests/support/test_part.h"

int main(int argc, char** argv) {
  trellis::test::SelectTestPart();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
