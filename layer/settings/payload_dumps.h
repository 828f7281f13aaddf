// SPDX-License-Identifier: Apache-2.0
// The setting `dump_payloads`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

// Nodes whose first payloads the report is to hold.
struct PayloadDumpSetting {
  std::string node;               // name
  std::optional<uint32_t> index;  // nothing: every index of the name
  uint32_t count = 64;            // records of each level

  [[nodiscard]] bool Names(std::string_view name, uint32_t node_index) const {
    return node == name && index.value_or(node_index) == node_index;
  }
};

inline constexpr uint32_t kMaxDumpedRecords = 4096;
inline constexpr std::string_view kPayloadDumpForm = "NAME, NAME[INDEX] or either with :COUNT, separated by commas";

// Parses "cull", "cull[3]", "cull:8", "cull[3]:8", and several of them with commas between them. Nothing if the text is
// none of that, or a count is 0 or more than kMaxDumpedRecords.
[[nodiscard]] std::optional<std::vector<PayloadDumpSetting>> ParsePayloadDumps(std::string_view text);

}  // namespace trellis
