#include "layer/replay/describe_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/replay/test_pipeline.h"

namespace trellis::test {
namespace {

using shared::LossReport;
using ::testing::HasSubstr;

LossReport ReportOf(uint32_t kind, DispatchCommand command, uint32_t graph = 7) {
  LossReport report = {};
  report.origin = ReportOrigin{graph, command}.Pack();
  report.kind = kind;
  report.records = 12;
  report.value = 345;
  return report;
}

TEST(DescribeReport, OriginsKeepGraphAndCommand) {
  const ReportOrigin origin = ReportOrigin::Unpack(ReportOrigin{123456, DispatchCommand::kIndirectCount}.Pack());
  EXPECT_EQ(origin.graph, 123456u);
  EXPECT_EQ(origin.command, DispatchCommand::kIndirectCount);
}

TEST(DescribeReport, Steps) {
  const ReportMessage message = DescribeReport(ReportOf(shared::kReportSteps, DispatchCommand::kHost), nullptr);
  EXPECT_EQ(message.id, "TRELLIS-dispatch-graph");
  EXPECT_EQ(message.severity, ReportSeverity::kInfo);
  EXPECT_THAT(message.text, HasSubstr("execution graph 7 used 12 of 345 steps"));
}

TEST(DescribeReport, WhatStepsHaveLeftIsLost) {
  const ReportMessage message = DescribeReport(ReportOf(shared::kReportLeft, DispatchCommand::kHost), nullptr);
  EXPECT_EQ(message.id, "TRELLIS-records-lost");
  EXPECT_EQ(message.severity, ReportSeverity::kWarning);
  EXPECT_THAT(message.text, HasSubstr("12 records"));
  EXPECT_THAT(message.text, HasSubstr("max_rounds"));
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
    const ReportMessage message = DescribeReport(ReportOf(row.kind, row.command), nullptr);
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
    const ReportMessage message = DescribeReport(ReportOf(row.kind, row.command), nullptr);
    EXPECT_EQ(message.id, row.id);
    EXPECT_EQ(message.severity, ReportSeverity::kInvalidUsage);
    EXPECT_THAT(message.text, HasSubstr("12 "));
    EXPECT_TRUE(texts.insert(message.text).second) << "said twice: " << message.text;
  }
}

TEST(DescribeReport, GridsAreToldWithNodeAndBounds) {
  RecordingDevice device;
  const auto pipeline = MakePipeline(device, {NodeBuilder("a").To("b"), NodeBuilder("b").Dynamic(5, 0, 7)});
  LossReport report = ReportOf(shared::kReportGridComponent, DispatchCommand::kHost, pipeline->id);
  report.slot = SlotOf(pipeline->graph, "b");
  report.level = 1;
  const std::string text = DescribeReport(report, pipeline.get()).text;
  EXPECT_THAT(text, HasSubstr("12 payloads for node b[0] in level 1"));
  EXPECT_THAT(text, HasSubstr("up to 345"));
  EXPECT_THAT(text, HasSubstr("{5, 65535, 7}"));
}

TEST(DescribeReport, AllocationsAreToldWithReceiverAndSender) {
  RecordingDevice device;
  const auto pipeline =
      MakePipeline(device, {NodeBuilder("a").To("c", 344), NodeBuilder("b").To("c", 345), NodeBuilder("c")});
  LossReport report = ReportOf(shared::kReportAllocation, DispatchCommand::kIndirect, pipeline->id);
  report.slot = SlotOf(pipeline->graph, "c");
  const ReportMessage message = DescribeReport(report, pipeline.get());
  EXPECT_EQ(message.id, "VUID-vkCmdDispatchGraphIndirectAMDX-NodeMaxPayloadsAMDX-09188");
  EXPECT_EQ(message.severity, ReportSeverity::kInvalidUsage);
  EXPECT_THAT(message.text, HasSubstr("12 allocations of up to 345 payloads for node c[0] by a[0] in"));
}

TEST(DescribeReport, PayloadsWithoutANodeAreNoMistake) {
  const ReportMessage message = DescribeReport(ReportOf(shared::kReportNoTarget, DispatchCommand::kHost), nullptr);
  EXPECT_EQ(message.severity, ReportSeverity::kInfo);
  EXPECT_THAT(message.text, HasSubstr("12 payloads in execution graph 7"));
  EXPECT_THAT(message.text, HasSubstr("345"));
}

}  // namespace
}  // namespace trellis::test
