// What a report of the device says to the application's developer. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "meta_shaders/shared/graph_data.h"

namespace trellis {

struct ExecutionGraphPipeline;

// The command that dispatched a graph.
enum class DispatchCommand : uint8_t { kHost, kIndirect, kIndirectCount };

// LossReport::origin.
struct ReportOrigin {
  uint32_t graph = 0;  // ExecutionGraphPipeline::id
  DispatchCommand command = DispatchCommand::kHost;

  [[nodiscard]] uint32_t Pack() const { return graph << 2 | static_cast<uint32_t>(command); }
  [[nodiscard]] static ReportOrigin Unpack(uint32_t packed) {
    return {packed >> 2, static_cast<DispatchCommand>(packed & 3)};
  }
};

// kInvalidUsage: an error; pMessageIdName is a rule that the setting `validate` checks.
enum class ReportSeverity : uint8_t { kInfo, kWarning, kInvalidUsage };

struct ReportMessage {
  std::string id;  // pMessageIdName
  ReportSeverity severity = ReportSeverity::kWarning;
  std::string text;
};

// `pipeline`: the report's graph; null if it is gone.
[[nodiscard]] ReportMessage DescribeReport(const shared::LossReport& report, const ExecutionGraphPipeline* pipeline);

}  // namespace trellis
