// SPDX-License-Identifier: Apache-2.0
// Paths and text. Text is UTF-8 on every system; paths are what the system uses. A path is converted once, where it
// enters or leaves the program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace trellis {

[[nodiscard]] inline std::filesystem::path PathFromUtf8(std::string_view text) {
  return std::filesystem::path(std::u8string(text.begin(), text.end()));
}

[[nodiscard]] inline std::string Utf8FromPath(const std::filesystem::path& path) {
  const std::u8string text = path.u8string();
  return std::string(text.begin(), text.end());
}

}  // namespace trellis
