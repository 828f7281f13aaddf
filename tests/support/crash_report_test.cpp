// SPDX-License-Identifier: Apache-2.0
#include "tests/support/crash_report.h"

#include <gtest/gtest.h>

#include <csignal>

namespace trellis::test {
namespace {

// Sanitizers report crashes themselves.
#ifndef __SANITIZE_ADDRESS__
TEST(CrashReport, NamesTheTestAndEndsWithTheSignal) {
  const auto crash = [] {
    ReportCrashes();
    std::raise(SIGSEGV);
  };
  EXPECT_EXIT(crash(), testing::KilledBySignal(SIGSEGV),
              "crashed in CrashReport.NamesTheTestAndEndsWithTheSignal; the stack of the thread:");
}
#endif

}  // namespace
}  // namespace trellis::test
