// SPDX-License-Identifier: Apache-2.0
#include "layer/settings/payload_dumps.h"

#include <charconv>

namespace trellis {
namespace {

std::optional<uint32_t> ParseNumber(std::string_view text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::optional<PayloadDumpSetting> ParseOne(std::string_view text) {
  PayloadDumpSetting dump;
  // Names may hold colons of their own: of HLSL's namespaces.
  if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    if (const std::optional<uint32_t> count = ParseNumber(text.substr(colon + 1))) {
      dump.count = *count;
      text = text.substr(0, colon);
    }
  }
  if (text.ends_with(']')) {
    const size_t bracket = text.rfind('[');
    if (bracket == std::string_view::npos) return std::nullopt;
    dump.index = ParseNumber(text.substr(bracket + 1, text.size() - bracket - 2));
    if (!dump.index) return std::nullopt;
    text = text.substr(0, bracket);
  }
  dump.node = text;
  if (dump.node.empty() || dump.count == 0 || dump.count > kMaxDumpedRecords) return std::nullopt;
  return dump;
}

}  // namespace

std::optional<std::vector<PayloadDumpSetting>> ParsePayloadDumps(std::string_view text) {
  std::vector<PayloadDumpSetting> dumps;
  while (!Trimmed(text).empty()) {
    const size_t comma = text.find(',');
    const std::optional<PayloadDumpSetting> dump = ParseOne(Trimmed(text.substr(0, comma)));
    if (!dump) return std::nullopt;
    dumps.push_back(*dump);
    if (comma == std::string_view::npos) break;
    text = text.substr(comma + 1);
  }
  return dumps;
}

}  // namespace trellis
