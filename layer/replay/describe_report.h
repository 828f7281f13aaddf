// SPDX-License-Identifier: Apache-2.0
// What a report of the device says to the application's developer. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "meta_shaders/shared/graph_data.h"

namespace trellis {

struct ExecutionGraphPipeline;

// The command that dispatched a graph.
enum class DispatchCommand : uint8_t { kHost, kIndirect, kIndirectCount };
// "vkCmdDispatchGraphAMDX" and the like.
[[nodiscard]] const char* CommandName(DispatchCommand command);

// What the plan of a dispatch has room for. It decides which setting keeps records from being dropped.
enum class RingFit : uint8_t {
  kAll,          // all that nodes may allocate, in one pass or in steps
  kPart,         // less; the graph cannot run in steps
  kPartOrSteps,  // less; the graph runs in steps with the setting max_rounds
};

// LossReport::origin.
struct ReportOrigin {
  uint32_t graph = 0;  // ExecutionGraphPipeline::id, less than 2^27
  DispatchCommand command = DispatchCommand::kHost;
  RingFit fit = RingFit::kAll;
  bool is_short_of_memory = false;  // the driver had no memory for a ring of RingBudget

  [[nodiscard]] uint32_t Pack() const {
    return graph << 5 | (is_short_of_memory ? 1u : 0u) << 4 | static_cast<uint32_t>(fit) << 2 |
           static_cast<uint32_t>(command);
  }
  [[nodiscard]] static ReportOrigin Unpack(uint32_t packed) {
    return {packed >> 5, static_cast<DispatchCommand>(packed & 3), static_cast<RingFit>(packed >> 2 & 3),
            (packed >> 4 & 1) != 0};
  }
};

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
[[nodiscard]] uint64_t DroppedBytes(const shared::LossReport& report, const ExecutionGraphPipeline* pipeline);

// `pipeline`: the report's graph; null if it is gone. `level_bytes`: of a kReportLost, DroppedBytes of all nodes of its
// level in one execution.
[[nodiscard]] ReportMessage DescribeReport(const shared::LossReport& report, const ExecutionGraphPipeline* pipeline,
                                           const RingSettings& settings, uint64_t level_bytes);

}  // namespace trellis
