// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/reports/json_writer.h"

#include <cstddef>
#include <cstdio>

namespace trellis {
namespace {

constexpr std::string_view kReplacement = "\\ufffd";

// Returns the bytes of the UTF-8 sequence that `text` begins with; 0 if it begins with none.
size_t SequenceLength(std::string_view text) {
  const auto byte = [text](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  const size_t length = first < 0x80                     ? 1
                        : first >= 0xc2 && first <= 0xdf ? 2
                        : first >= 0xe0 && first <= 0xef ? 3
                        : first >= 0xf0 && first <= 0xf4 ? 4
                                                         : 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0u) != 0x80u) return 0;
  // Overlong forms, surrogates and what lies above the last code point.
  const bool is_invalid = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
                          (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f);
  return is_invalid ? 0 : length;
}

void AppendAscii(std::string& target, char c) {
  if (c == '"' || c == '\\') {
    target += '\\';
    target += c;
  } else if (static_cast<unsigned char>(c) < 0x20 || c == '<') {
    // '<' would end the script element of a page that holds the text.
    char escaped[8];
    std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned>(c));
    target += escaped;
  } else {
    target += c;
  }
}

}  // namespace

void JsonWriter::Key(std::string_view key) {
  String(key);
  text_ += ':';
  needs_comma_ = false;
}

// The names of nodes are the application's, and need not be UTF-8.
void JsonWriter::String(std::string_view text) {
  Separate();
  text_ += '"';
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    if (length == 0) {
      text_ += kReplacement;
    } else if (length == 1) {
      AppendAscii(text_, text[0]);
    } else {
      text_ += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  text_ += '"';
}

void JsonWriter::Numbers(std::string_view key, std::span<const uint32_t> numbers) {
  BeginArray(key);
  for (const uint32_t number : numbers) Number(number);
  EndArray();
}

void JsonWriter::Open(char bracket) {
  Separate();
  text_ += bracket;
  needs_comma_ = false;
}

void JsonWriter::Close(char bracket) {
  text_ += bracket;
  needs_comma_ = true;
}

void JsonWriter::Raw(std::string_view text) {
  Separate();
  text_ += text;
}

void JsonWriter::Separate() {
  if (needs_comma_) text_ += ",\n";
  needs_comma_ = true;
}

}  // namespace trellis
