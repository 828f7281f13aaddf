// SPDX-License-Identifier: Apache-2.0
// What a test program says when it crashes.
#pragma once

namespace trellis::test {

// From here on, the signals of crashes, such as SIGSEGV and SIGABRT, write the running test and the stack to standard
// error. The signal's default action follows. Call once, after InitGoogleTest. Sanitizers have reports of their own and
// are left alone.
void ReportCrashes();

}  // namespace trellis::test
