// SPDX-License-Identifier: Apache-2.0
// Files that the verbs read and write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::tool {

// Returns whether `bytes` begins with SPIR-V's magic number, in either byte order.
[[nodiscard]] bool BeginsAsModule(std::string_view bytes);

// Errors begin with the path.
[[nodiscard]] Expected<std::string> ReadText(const std::filesystem::path& path);
[[nodiscard]] Expected<std::vector<uint32_t>> ReadWords(const std::filesystem::path& path);
[[nodiscard]] Expected<spirv::Module> ReadNodes(const std::filesystem::path& path);
// Returns why the module in that file cannot be read, and what to do if it ends early.
[[nodiscard]] Error AboutModule(const std::filesystem::path& path, const std::string& reason);
[[nodiscard]] Expected<void> WriteText(const std::filesystem::path& path, std::string_view text);
[[nodiscard]] Expected<void> WriteWords(const std::filesystem::path& path, std::span<const uint32_t> words);

// A new empty folder, removed with everything in it when this goes away.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Empty if none could be made.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace trellis::tool
