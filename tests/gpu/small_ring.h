// A device whose rings hold little, and what it says of records that found no place.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <regex>
#include <string>

#include "tests/support/gpu_test.h"

namespace trellis::test {

inline constexpr const char* kRecordsLost = "TRELLIS-records-lost";

// A device of its own whose rings may hold no more than 1 MiB.
class SmallRingTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string error;
    small_ = Context::Create(error, {{"TRELLIS_RING_BUDGET", "1"}});
    ASSERT_NE(small_, nullptr) << error;
    small_->messages.Expect(kRecordsLost);
  }
  void TearDown() override {
    if (small_ == nullptr) return;
    small_->DestroyDevice();
    ReportUnexpectedMessages(*small_);
  }

  [[nodiscard]] Context& context() const { return *small_; }

  // Records that were reported as lost so far.
  [[nodiscard]] uint32_t LostRecords() const {
    vkDeviceWaitIdle(small_->device);
    uint32_t lost = 0;
    for (const Message& message : small_->messages.Find(kRecordsLost)) {
      std::smatch match;
      if (std::regex_search(message.text, match, std::regex("([0-9]+) records \\(")))
        lost += static_cast<uint32_t>(std::stoul(match[1]));
    }
    return lost;
  }

 private:
  std::unique_ptr<Context> small_;
};

}  // namespace trellis::test
