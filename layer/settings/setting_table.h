// SPDX-License-Identifier: Apache-2.0
// The list of settings: one row each, from which loading works and docs/settings.md and the manifest are checked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "layer/settings/settings.h"

namespace trellis {

enum class SettingType : uint8_t { kBool, kUint, kString, kEnum };

struct SettingRow {
  std::string_view key;  // the same in all three sources
  SettingType type;
  std::string_view default_value;
  // kEnum: the allowed ones in the order of the enumeration, separated by '|'. kString: their form, if not any.
  std::string_view values;
  std::string_view description;
  // False, and nothing changed, when the text is no value of this type.
  bool (*set)(Settings& settings, const SettingRow& row, std::string_view text);
};

[[nodiscard]] std::span<const SettingRow> SettingTable();

// Null when there is no such key.
[[nodiscard]] const SettingRow* FindSetting(std::string_view key);

// True for the key of a group of settings in the manifest. A group has no value.
[[nodiscard]] bool IsSettingGroup(std::string_view key);

// "TRELLIS_LOG_LEVEL" of "log_level".
[[nodiscard]] std::string EnvironmentName(std::string_view key);

// What a value may be: "error, warning, info or debug", "an integer from 0 to 4294967295".
[[nodiscard]] std::string AllowedValues(const SettingRow& row);

}  // namespace trellis
