// SPDX-License-Identifier: Apache-2.0
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
// Chrome's JSON trace events, one process per graph: mean CPU time of recording and submission, mean GPU time of each
// level and step. CPU recording, CPU submission, GPU levels and each node have a track.
[[nodiscard]] std::string ReportAsTrace(const nlohmann::json& report);

// Payloads that the report holds, decoded with the names of their members: one object for each, with its bytes.
[[nodiscard]] nlohmann::json DecodePayloads(const nlohmann::json& report);
// The same, one line for each member: graph, node, index, level, payload, member, value.
[[nodiscard]] std::string PayloadsAsCsv(const nlohmann::json& report);

}  // namespace trellis::tool
