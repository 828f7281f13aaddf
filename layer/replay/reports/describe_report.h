// SPDX-License-Identifier: Apache-2.0
// What a report of the device says to the application's developer. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "layer/replay/planning/report_origin.h"
#include "meta_shaders/shared/report_data.h"

namespace trellis {

struct ExecutionGraphPipeline;

// "vkCmdDispatchGraphAMDX" and the like.
[[nodiscard]] const char* CommandName(DispatchCommand command);

// kInvalidUsage: an error; pMessageIdName is a rule that the setting `validate` checks.
enum class ReportSeverity : uint8_t { kInfo, kWarning, kInvalidUsage };

struct ReportMessage {
  std::string id;  // pMessageIdName
  ReportSeverity severity = ReportSeverity::kWarning;
  std::string text;
};

// What a message about dropped records names a value of.
struct RingSettings {
  uint64_t ring_budget = 0;          // bytes, RingBudget
  uint64_t largest_ring_budget = 0;  // bytes, LargestRingBudget
  uint32_t max_rounds = 0;           // the setting
};

// Returns the bytes of the ring that the records of a kReportLost would have taken. 0 if the graph is gone.
[[nodiscard]] uint64_t DroppedBytes(const shared::DeviceReport& report, const ExecutionGraphPipeline* pipeline);

// `pipeline`: the report's graph; null if it is gone. `level_bytes`: of a kReportLost, DroppedBytes of all nodes of its
// level in one execution.
[[nodiscard]] ReportMessage DescribeReport(const shared::DeviceReport& report, const ExecutionGraphPipeline* pipeline,
                                           const RingSettings& settings, uint64_t level_bytes);

}  // namespace trellis
