// SPDX-License-Identifier: Apache-2.0
#include "tests/support/crash_report.h"

#include <execinfo.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

namespace trellis::test {

#ifdef __SANITIZE_ADDRESS__

void ReportCrashes() {}

#else

namespace {

// stdio's buffer is lost in a crash.
void Write(const char* text) { (void)!write(STDERR_FILENO, text, std::strlen(text)); }

void OnCrash(int signal) {
  std::signal(signal, SIG_DFL);
  Write("crashed ");
  if (const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info()) {
    Write("in ");
    Write(test->test_suite_name());
    Write(".");
    Write(test->name());
  } else {
    Write("outside of tests");
  }
  Write("; the stack of the thread:\n");
  void* frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
  (void)std::raise(signal);
}

}  // namespace

void ReportCrashes() {
  // The first call loads a library, which a signal handler should not do.
  void* frame = nullptr;
  (void)backtrace(&frame, 1);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) std::signal(signal, OnCrash);
}

#endif

}  // namespace trellis::test
