// SPDX-License-Identifier: Apache-2.0
// Writes JSON text. Commas and escapes are its business, structure is the caller's.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace trellis {

class JsonWriter {
 public:
  void BeginObject() { Open('{'); }
  void BeginObject(std::string_view key) { Key(key), BeginObject(); }
  void EndObject() { Close('}'); }
  // A member that is an array.
  void BeginArray(std::string_view key) { Key(key), Open('['); }
  void EndArray() { Close(']'); }
  // Writes the key of the value that follows, in an object.
  void Key(std::string_view key);

  void String(std::string_view text);
  void Number(uint64_t number) { Raw(std::to_string(number)); }
  void Bool(bool value) { Raw(value ? "true" : "false"); }
  void Null() { Raw("null"); }

  void Member(std::string_view key, std::string_view text) { Key(key), String(text); }
  void Member(std::string_view key, const char* text) { Key(key), String(text); }
  void Member(std::string_view key, bool value) { Key(key), Bool(value); }
  void Member(std::string_view key, std::unsigned_integral auto number) { Key(key), Number(number); }

  // A member that is an array of numbers.
  void Numbers(std::string_view key, std::span<const uint32_t> numbers);
  // A member that is an array of objects: for each of `values`, what `write` writes of it.
  template <typename Values>
  void Objects(std::string_view key, Values& values, const auto& write) {
    BeginArray(key);
    for (auto& value : values) {
      BeginObject();
      write(value);
      EndObject();
    }
    EndArray();
  }
  // Members that another writer has written.
  void Members(std::string_view members) { Raw(members); }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void Open(char bracket);
  void Close(char bracket);
  void Raw(std::string_view text);
  // Comma before all values but the first of an object or array.
  void Separate();

  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace trellis
