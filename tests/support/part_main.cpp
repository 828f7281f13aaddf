// SPDX-License-Identifier: Apache-2.0
// GoogleTest's main, for programs that run in parts.
#include <gtest/gtest.h>

#include "tests/support/test_part.h"

int main(int argc, char** argv) {
  trellis::test::SelectTestPart(trellis::test::PartKind::kElsewhere);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
