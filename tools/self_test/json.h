// SPDX-License-Identifier: Apache-2.0
// Writes JSON, as text.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace trellis::self_test {

inline std::string JsonText(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(byte));
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

class JsonArray {
 public:
  void Add(const std::string& json) { items_ += (items_.empty() ? "\n" : ",\n") + json; }
  [[nodiscard]] std::string str() const { return "[" + items_ + (items_.empty() ? "]" : "\n]"); }

 private:
  std::string items_;
};

class JsonObject {
 public:
  void Text(std::string_view key, std::string_view text) { Add(key, JsonText(text)); }
  void Truth(std::string_view key, bool value) { Add(key, value ? "true" : "false"); }
  void Number(std::string_view key, uint64_t value) { Add(key, std::to_string(value)); }
  void Decimal(std::string_view key, double value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.3f", value);
    Add(key, text);
  }
  void Add(std::string_view key, const std::string& json) {
    members_ += (members_.empty() ? "" : ", ") + JsonText(key) + ": " + json;
  }
  [[nodiscard]] std::string str() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

}  // namespace trellis::self_test
