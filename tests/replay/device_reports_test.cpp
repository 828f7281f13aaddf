// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/reports/device_reports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layer/replay/replay.h"
#include "layer/replay/reports/describe_report.h"
#include "meta_shaders/shared/report_data.h"
#include "tests/layer/fake_driver/messenger.h"
#include "tests/replay/test_pipeline.h"

namespace trellis::test {
namespace {

using shared::DeviceReport;
using shared::DeviceReportHeader;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class DeviceReportsTest : public ::testing::Test {
 protected:
  DeviceReportsTest() {
    device_.device().diagnostics.AddMessenger(HandleFromU64<VkDebugUtilsMessengerEXT>(16), MessengerInfo(collect_));
    reports_ = *DeviceReports::Of(device_.device());
  }

  static DeviceReport Lost(uint32_t graph, uint32_t slot, uint32_t level, uint32_t records) {
    return {ReportOrigin{graph, DispatchCommand::kHost}.Pack(), shared::kReportLost, slot, level, 0, records};
  }
  // As the device writes a report.
  void Write(DeviceReport report) {
    auto* header = reinterpret_cast<DeviceReportHeader*>(reports_->address());
    if (header->written - header->read == shared::kDeviceReportCapacity) {
      ++header->dropped;
      return;
    }
    reinterpret_cast<DeviceReport*>(header + 1)[header->written++ % shared::kDeviceReportCapacity] = report;
  }
  std::vector<std::string> Poll() {
    messages_.clear();
    PollReports(device_.device());
    return messages_;
  }

  static Settings Quiet() {
    Settings settings;
    settings.log_level = LogLevel::kError;
    return settings;
  }

  std::vector<std::string> messages_;
  const Hear collect_ = [this](const HeardMessage& message) { messages_.emplace_back(message.data.pMessage); };
  RecordingDevice device_{Quiet()};
  std::shared_ptr<DeviceReports> reports_;
};

TEST_F(DeviceReportsTest, EachReportIsToldOnceWithNodeRecordsAndBytes) {
  const auto pipeline = MakePipeline(device_, {NodeBuilder("a").To("b"), NodeBuilder("b", 0)});
  reports_->Register(pipeline);
  EXPECT_THAT(Poll(), IsEmpty());
  Write(Lost(pipeline->id, SlotOf(pipeline->graph, "b"), 1, 12));
  Write(Lost(pipeline->id, pipeline->graph.HeapSlot(), 3, 4));
  EXPECT_THAT(Poll(), ElementsAre(AllOf(HasSubstr("12 records"), HasSubstr("192 bytes"), HasSubstr("b[0]"),
                                        HasSubstr("level 1")),
                                  AllOf(HasSubstr("64 bytes"), HasSubstr("in the heap"), HasSubstr("level 3"))));
  EXPECT_THAT(Poll(), IsEmpty());
}

// Whether all nodes of the level dropped records in one execution or in several cannot be told apart, so the largest
// reports count. The device has rings of 64 MiB, and of 128 at most.
TEST_F(DeviceReportsTest, TheRingWouldHoldWhatAllNodesOfTheLevelDropped) {
  constexpr uint32_t kMiBOfRecords = 1 << 16;  // 16 bytes each
  const auto pipeline = MakePipeline(device_, {NodeBuilder("a").To("b"), NodeBuilder("b", 0), NodeBuilder("b", 1)});
  reports_->Register(pipeline);
  const auto write = [&](uint32_t index, uint32_t level, uint32_t records) {
    DeviceReport report = Lost(pipeline->id, SlotOf(pipeline->graph, "b", index), level, records);
    report.origin = ReportOrigin{pipeline->id, DispatchCommand::kHost, RingFit::kPart}.Pack();
    Write(report);
  };
  write(0, 1, 2 * kMiBOfRecords);
  write(1, 1, 3 * kMiBOfRecords);
  write(0, 1, 1 * kMiBOfRecords);
  write(0, 2, 1 * kMiBOfRecords);
  EXPECT_THAT(Poll(), ElementsAre(HasSubstr("ring_budget=85"), HasSubstr("ring_budget=85"), HasSubstr("ring_budget=85"),
                                  HasSubstr("ring_budget=69")));
}

TEST_F(DeviceReportsTest, AGraphThatIsGoneIsNamedByNumber) {
  Write(Lost(4711, 5, 2, 3));
  EXPECT_THAT(Poll(), ElementsAre(AllOf(HasSubstr("3 records"), HasSubstr("slot 5"), HasSubstr("4711"))));
}

TEST_F(DeviceReportsTest, AReportThatIsStillOnItsWayComesWithTheNextPoll) {
  Write(Lost(1, 1, 1, 0));
  EXPECT_THAT(Poll(), IsEmpty());
  reinterpret_cast<DeviceReport*>(reports_->address() + sizeof(DeviceReportHeader))->records = 9;
  EXPECT_EQ(Poll().size(), 1u);
}

TEST_F(DeviceReportsTest, TooManyReportsAreCounted) {
  for (const uint32_t excess : {10u, 3u}) {
    for (uint32_t i = 0; i < shared::kDeviceReportCapacity + excess; ++i) Write(Lost(1, 1, 1, 1 + i));
    const std::vector<std::string> messages = Poll();
    ASSERT_EQ(messages.size(), shared::kDeviceReportCapacity + 1u);
    EXPECT_THAT(messages[0], HasSubstr(std::to_string(excess) + " reports"));
    for (uint32_t i = 0; i < shared::kDeviceReportCapacity; ++i)
      EXPECT_THAT(messages[1 + i], StartsWith(std::to_string(1 + i) + " records"));
    EXPECT_THAT(Poll(), IsEmpty());
  }
}

TEST_F(DeviceReportsTest, TheBufferIsReusedRoundAndRound) {
  for (uint32_t i = 0; i < 3 * shared::kDeviceReportCapacity; ++i) {
    Write(Lost(1, 1, 1, 1 + i));
    EXPECT_THAT(Poll(), ElementsAre(HasSubstr(std::to_string(1 + i) + " records")));
  }
}

}  // namespace
}  // namespace trellis::test
