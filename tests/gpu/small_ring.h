// SPDX-License-Identifier: Apache-2.0
// A device whose rings hold little, and what it says of records that found no place.
#pragma once

#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "tests/gpu/own_device.h"

namespace trellis::test {

inline constexpr const char* kRecordsLost = "TRELLIS-records-lost";

// Records that were reported as lost so far.
[[nodiscard]] inline uint32_t LostRecords(const Context& context) {
  vkDeviceWaitIdle(context.device);
  uint32_t lost = 0;
  for (const Message& message : context.messages.Find(kRecordsLost)) {
    std::smatch match;
    if (std::regex_search(message.text, match, std::regex("([0-9]+) records \\(")))
      lost += static_cast<uint32_t>(std::stoul(match[1]));
  }
  return lost;
}

// A device of its own whose rings may hold no more than 1 MiB.
class SmallRingTest : public OwnDeviceTest {
 protected:
  void SetUp() override {
    OwnDeviceTest::SetUp();
    if (!HasFatalFailure()) context().messages.Expect(kRecordsLost);
  }
  [[nodiscard]] std::vector<EnvironmentSetting> Settings() const override { return {{"TRELLIS_RING_BUDGET", "1"}}; }

  [[nodiscard]] uint32_t LostRecords() const { return test::LostRecords(context()); }
};

}  // namespace trellis::test
