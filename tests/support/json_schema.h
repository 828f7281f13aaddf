// SPDX-License-Identifier: Apache-2.0
// Checks JSON against the part of JSON Schema that json/report.schema.json uses.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace trellis::test {

// Returns what the first violation is, and where; empty if there is none. A keyword that is not known is one.
[[nodiscard]] std::string SchemaViolation(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace trellis::test
