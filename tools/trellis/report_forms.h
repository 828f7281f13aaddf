// A report of the layer in other forms. The JSON is that of docs/report_schema.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "spirv_lowering/support/expected.h"

namespace trellis::tool {

// Errors: no JSON, no report, or one of a schema that this program does not know.
[[nodiscard]] Expected<nlohmann::json> ParseReport(std::string_view text);

// The page, which holds the report and needs no other file.
[[nodiscard]] std::string ReportAsPage(const nlohmann::json& report);
// All graphs, with the records that arrived.
[[nodiscard]] std::string ReportAsDot(const nlohmann::json& report);
[[nodiscard]] std::string ReportAsMermaid(const nlohmann::json& report);
// Chrome's JSON trace events: mean GPU time of each step, one process per graph, one track per node.
[[nodiscard]] std::string ReportAsTrace(const nlohmann::json& report);

}  // namespace trellis::tool
