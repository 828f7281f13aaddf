// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/reports/describe_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "meta_shaders/shared/report_data.h"
#include "tests/replay/test_pipeline.h"
#include "tests/support/units.h"

namespace trellis::test {
namespace {

using shared::DeviceReport;
using ::testing::HasSubstr;

DeviceReport ReportOf(uint32_t kind, DispatchCommand command, uint32_t graph = 7) {
  DeviceReport report = {};
  report.origin = ReportOrigin{graph, command}.Pack();
  report.kind = kind;
  report.records = 12;
  report.value = 345;
  return report;
}

ReportMessage Described(const DeviceReport& report, const ExecutionGraphPipeline* pipeline, uint64_t level_bytes = 0) {
  return DescribeReport(report, pipeline, {.ring_budget = 64 * kMiB, .largest_ring_budget = 1024 * kMiB}, level_bytes);
}

TEST(DescribeReport, OriginsKeepWhatTheyAreMadeOf) {
  for (const RingFit fit : {RingFit::kAll, RingFit::kPart, RingFit::kPartOrSteps}) {
    for (const bool is_short : {false, true}) {
      const ReportOrigin origin =
          ReportOrigin::Unpack(ReportOrigin{123'456'789, DispatchCommand::kIndirectCount, fit, is_short}.Pack());
      EXPECT_EQ(origin.graph, 123'456'789u);
      EXPECT_EQ(origin.command, DispatchCommand::kIndirectCount);
      EXPECT_EQ(origin.fit, fit);
      EXPECT_EQ(origin.is_short_of_memory, is_short);
    }
  }
}

// 1,000 records of 16 bytes that node b did not get, in a plan with this origin.
DeviceReport Dropped(const ExecutionGraphPipeline& pipeline, ReportOrigin origin, uint32_t level = 1) {
  DeviceReport report = {};
  origin.graph = pipeline.id;
  report.origin = origin.Pack();
  report.kind = shared::kReportLost;
  report.slot = SlotOf(pipeline.graph, "b");
  report.level = level;
  report.records = 1000;
  return report;
}

// Each message names node and number, and the one setting that helps: a ring that would have been large enough, or
// steps where there is no memory for it.
TEST(DescribeReport, DroppedRecordsAreToldWithTheSettingThatKeepsThem) {
  RecordingDevice device;
  const auto pipeline = MakePipeline(device, {NodeBuilder("a").To("b"), NodeBuilder("b")});
  struct Row {
    ReportOrigin origin;
    uint32_t level;
    uint64_t level_bytes;
    const char* setting;  // with "set" before it; empty: none helps
    const char* says;
  };
  const auto host = DispatchCommand::kHost;
  const auto indirect = DispatchCommand::kIndirect;
  const Row rows[] = {
      {{0, host, RingFit::kPart}, 1, 16'000, "ring_budget=65", "the ring is too small"},
      {{0, host, RingFit::kPartOrSteps}, 1, 16'000, "ring_budget=65", "the ring is too small"},
      // 100 MiB that found no place, and 64 that are there.
      {{0, host, RingFit::kPartOrSteps}, 1, 100 * kMiB, "ring_budget=465", "the ring is too small"},
      // Half of the heap is 1 GiB.
      {{0, host, RingFit::kPartOrSteps}, 1, 300 * kMiB, "max_rounds, for example max_rounds=64", "in steps"},
      {{0, host, RingFit::kPart}, 1, 300 * kMiB, "", "no memory for a larger ring"},
      {{0, indirect, RingFit::kPartOrSteps}, 1, 16'000, "ring_budget=65", "the ring is too small"},
      // Steps do not make room for the records that infos bring.
      {{0, indirect, RingFit::kPartOrSteps}, 0, 300 * kMiB, "", "dispatch fewer payloads"},
      {{0, indirect, RingFit::kAll}, 0, 16'000, "ring_budget=65", "the ring is too small"},
      {{0, host, RingFit::kPartOrSteps, true}, 1, 16'000, "max_rounds, for example max_rounds=64", "in steps"},
      {{0, host, RingFit::kPart, true}, 1, 16'000, "", "no memory for a larger ring"},
      {{0, host, RingFit::kAll}, 1, 16'000, "", "exceeded NodeMaxPayloadsAMDX"},
  };
  for (const Row& row : rows) {
    const ReportMessage message = Described(Dropped(*pipeline, row.origin, row.level), pipeline.get(), row.level_bytes);
    SCOPED_TRACE(message.text);
    EXPECT_EQ(message.id, "TRELLIS-records-lost");
    EXPECT_EQ(message.severity, ReportSeverity::kWarning);
    EXPECT_THAT(message.text, HasSubstr("1000 records (16000 bytes) for node b[0] in level"));
    EXPECT_THAT(message.text, HasSubstr(row.says));
    if (*row.setting != 0)
      EXPECT_THAT(message.text, HasSubstr("set " + std::string(row.setting)));
    else
      EXPECT_THAT(message.text, HasSubstr("no setting helps"));
    EXPECT_EQ(message.text.find("ring_budget") == std::string::npos,
              std::string(row.setting).find("ring_budget") == std::string::npos);
    EXPECT_EQ(message.text.find("max_rounds") == std::string::npos,
              std::string(row.setting).find("max_rounds") == std::string::npos);
  }
}

TEST(DescribeReport, WhatTheHeapHasNoRoomForIsToldWithTheNodesThatAllocateThere) {
  RecordingDevice device;
  const auto pipeline = MakePipeline(device, {NodeBuilder("a").To("b"), NodeBuilder("b").To("c"), NodeBuilder("c")});
  pipeline->graph.slots[SlotOf(pipeline->graph, "a")].heap_bytes = 64;
  DeviceReport report = Dropped(*pipeline, {0, DispatchCommand::kHost, RingFit::kPart});
  report.slot = pipeline->graph.HeapSlot();
  const std::string text = Described(report, pipeline.get(), 16'000).text;
  EXPECT_THAT(text, HasSubstr("16000 bytes that node a[0] allocated in the heap"));
  EXPECT_THAT(text, HasSubstr("set ring_budget=65"));
}

// Record state lies in the ring as well.
TEST(DescribeReport, DroppedBytesCountRecordState) {
  RecordingDevice device;
  const auto pipeline = MakePipeline(device, {NodeBuilder("a").To("b"), NodeBuilder("b").Dynamic()});
  const uint32_t words = pipeline->graph.StateWords(SlotOf(pipeline->graph, "b"));
  ASSERT_EQ(words, 1u);
  EXPECT_EQ(DroppedBytes(Dropped(*pipeline, {}), pipeline.get()), 20'000u);
  EXPECT_EQ(DroppedBytes(Dropped(*pipeline, {}), nullptr), 0u);
}

TEST(DescribeReport, Steps) {
  const ReportMessage message = Described(ReportOf(shared::kReportSteps, DispatchCommand::kHost), nullptr);
  EXPECT_EQ(message.id, "TRELLIS-dispatch-graph");
  EXPECT_EQ(message.severity, ReportSeverity::kInfo);
  EXPECT_THAT(message.text, HasSubstr("execution graph 7 used 12 of 345 steps"));
}

TEST(DescribeReport, WhatStepsHaveLeftIsLost) {
  RecordingDevice device;
  const auto pipeline = MakePipeline(device, {NodeBuilder("a").To("b"), NodeBuilder("b")});
  DeviceReport report = Dropped(*pipeline, {});
  report.kind = shared::kReportLeft;
  const ReportMessage message = DescribeReport(report, pipeline.get(), {.max_rounds = 8}, 0);
  EXPECT_EQ(message.id, "TRELLIS-records-lost");
  EXPECT_EQ(message.severity, ReportSeverity::kWarning);
  EXPECT_THAT(message.text, HasSubstr("1000 records (16000 bytes) for node b[0] in level 1"));
  EXPECT_THAT(message.text, HasSubstr("set max_rounds to more than 8"));
  EXPECT_EQ(message.text.find("ring_budget"), std::string::npos) << "one setting";
}

// What the layer does about it whatever the settings say is a warning of its own, with the rule in the text.
TEST(DescribeReport, WhatIsIgnoredNamesTheRuleOfItsCommand) {
  struct Row {
    uint32_t kind;
    DispatchCommand command;
    const char* vuid;
  };
  const Row rows[] = {
      {shared::kReportNoNode, DispatchCommand::kIndirect, "(VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09157)"},
      {shared::kReportNoNode, DispatchCommand::kIndirectCount,
       "(VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09169)"},
      {shared::kReportNoPayloads, DispatchCommand::kIndirect, "(VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09154)"},
      {shared::kReportNoPayloads, DispatchCommand::kIndirectCount,
       "(VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09166)"},
      {shared::kReportNoInfos, DispatchCommand::kIndirectCount,
       "(VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09162)"},
  };
  for (const Row& row : rows) {
    const ReportMessage message = Described(ReportOf(row.kind, row.command), nullptr);
    EXPECT_EQ(message.id, "TRELLIS-graph-dispatch-input");
    EXPECT_EQ(message.severity, ReportSeverity::kWarning);
    EXPECT_THAT(message.text, HasSubstr(row.vuid));
    EXPECT_THAT(message.text, HasSubstr("12 infos"));
    EXPECT_THAT(message.text, HasSubstr("execution graph 7"));
  }
}

TEST(DescribeReport, ValidUsageIsNamedAfterTheRuleOfItsCommand) {
  struct Row {
    uint32_t kind;
    DispatchCommand command;
    const char* id;
  };
  const Row rows[] = {
      {shared::kReportPayloadsAlignment, DispatchCommand::kIndirect,
       "VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09156"},
      {shared::kReportPayloadsAlignment, DispatchCommand::kIndirectCount,
       "VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09168"},
      {shared::kReportPayloadStride, DispatchCommand::kIndirect,
       "VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09158"},
      {shared::kReportPayloadStride, DispatchCommand::kIndirectCount,
       "VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09170"},
      {shared::kReportPayloadCount, DispatchCommand::kIndirect, "VUID-VkDispatchGraphInfoAMDX-payloadCount-09171"},
      {shared::kReportInfosAlignment, DispatchCommand::kIndirectCount,
       "VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09164"},
      {shared::kReportInfosStride, DispatchCommand::kIndirectCount,
       "VUID-vkCmdDispatchGraphIndirectCountAMDX-infos-09165"},
      {shared::kReportGridComponent, DispatchCommand::kHost,
       "VUID-vkCmdDispatchGraphAMDX-maxComputeWorkGroupCount-09186"},
      {shared::kReportGridWorkgroups, DispatchCommand::kIndirectCount,
       "VUID-vkCmdDispatchGraphIndirectCountAMDX-maxComputeWorkGroupCount-09186"},
  };
  std::set<std::string> texts;
  for (const Row& row : rows) {
    const ReportMessage message = Described(ReportOf(row.kind, row.command), nullptr);
    EXPECT_EQ(message.id, row.id);
    EXPECT_EQ(message.severity, ReportSeverity::kInvalidUsage);
    EXPECT_THAT(message.text, HasSubstr("12 "));
    EXPECT_TRUE(texts.insert(message.text).second) << "said twice: " << message.text;
  }
}

TEST(DescribeReport, GridsAreToldWithNodeAndBounds) {
  RecordingDevice device;
  const auto pipeline = MakePipeline(device, {NodeBuilder("a").To("b"), NodeBuilder("b").Dynamic(5, 0, 7)});
  DeviceReport report = ReportOf(shared::kReportGridComponent, DispatchCommand::kHost, pipeline->id);
  report.slot = SlotOf(pipeline->graph, "b");
  report.level = 1;
  const std::string text = Described(report, pipeline.get()).text;
  EXPECT_THAT(text, HasSubstr("12 payloads for node b[0] in level 1"));
  EXPECT_THAT(text, HasSubstr("up to 345"));
  EXPECT_THAT(text, HasSubstr("{5, 65535, 7}"));
}

TEST(DescribeReport, AllocationsAreToldWithReceiverAndProducer) {
  RecordingDevice device;
  const auto pipeline =
      MakePipeline(device, {NodeBuilder("a").To("c", 344), NodeBuilder("b").To("c", 345), NodeBuilder("c")});
  DeviceReport report = ReportOf(shared::kReportAllocation, DispatchCommand::kIndirect, pipeline->id);
  report.slot = SlotOf(pipeline->graph, "c");
  const ReportMessage message = Described(report, pipeline.get());
  EXPECT_EQ(message.id, "VUID-vkCmdDispatchGraphIndirectAMDX-NodeMaxPayloadsAMDX-09188");
  EXPECT_EQ(message.severity, ReportSeverity::kInvalidUsage);
  EXPECT_THAT(message.text, HasSubstr("12 allocations of up to 345 payloads for node c[0] by a[0] in"));
}

TEST(DescribeReport, PayloadsWithoutANodeAreNoMistake) {
  const ReportMessage message = Described(ReportOf(shared::kReportNoTarget, DispatchCommand::kHost), nullptr);
  EXPECT_EQ(message.severity, ReportSeverity::kInfo);
  EXPECT_THAT(message.text, HasSubstr("12 payloads in execution graph 7"));
  EXPECT_THAT(message.text, HasSubstr("345"));
}

}  // namespace
}  // namespace trellis::test
