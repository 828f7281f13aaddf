// SPDX-License-Identifier: Apache-2.0
// Tests that look at what the layer writes to its log.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/gpu/own_device.h"
#include "tests/platform/platform.h"

namespace trellis::test {

// Its device's layer has a log file of the test's own.
class LoggedDeviceTest : public OwnDeviceTest {
 protected:
  void TearDown() override {
    OwnDeviceTest::TearDown();
    (void)std::remove(LogFile().c_str());
  }

  // For Settings. `level`: a value of the setting log_level.
  [[nodiscard]] static std::vector<EnvironmentSetting> LogSettings(const char* level) {
    return {{"TRELLIS_LOG_LEVEL", level}, {"TRELLIS_LOG_FILE", LogFile()}};
  }
  // What the layer has written so far.
  [[nodiscard]] static std::string Log() {
    std::stringstream text;
    text << std::ifstream(LogFile()).rdbuf();
    return text.str();
  }

 private:
  // Several runs of the program may be on their way at once.
  static std::string LogFile() {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test.test_suite_name()) + "." + test.name();
    std::replace(name.begin(), name.end(), '/', '_');
    return testing::TempDir() + "trellis_" + std::to_string(ProcessNumber()) + "_" + name + ".log";
  }
};

}  // namespace trellis::test
