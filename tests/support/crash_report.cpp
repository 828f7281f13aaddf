// SPDX-License-Identifier: Apache-2.0
#include "tests/support/crash_report.h"

#include <gtest/gtest.h>

#include <csignal>

#include "tests/platform/platform.h"

namespace trellis::test {

#ifdef __SANITIZE_ADDRESS__

void ReportCrashes() {}

#else

namespace {

// stdio's buffer is lost in a crash.
void OnCrash(int signal) {
  std::signal(signal, SIG_DFL);
  WriteToError("crashed ");
  if (const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info()) {
    WriteToError("in ");
    WriteToError(test->test_suite_name());
    WriteToError(".");
    WriteToError(test->name());
  } else {
    WriteToError("outside of tests");
  }
  WriteToError("; the stack of the thread:\n");
  WriteStack(true);
  (void)std::raise(signal);
}

}  // namespace

void ReportCrashes() {
  WriteStack(false);
  for (const int signal : CrashSignals()) std::signal(signal, OnCrash);
}

#endif

}  // namespace trellis::test
