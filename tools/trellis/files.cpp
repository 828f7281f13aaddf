// SPDX-License-Identifier: Apache-2.0
#include "tools/trellis/files.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "spirv_lowering/reflect/node_module.h"
#include "spirv_lowering/support/utf8_path.h"
#include "tools/platform/platform.h"

namespace trellis::tool {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

Error About(const std::filesystem::path& path, const std::string& what) {
  return Error{Utf8FromPath(path) + ": " + what};
}

}  // namespace

bool BeginsAsModule(std::string_view bytes) {
  constexpr std::array<std::string_view, 2> kMagic = {"\x03\x02\x23\x07", "\x07\x23\x02\x03"};
  return bytes.starts_with(kMagic[0]) || bytes.starts_with(kMagic[1]);
}

Expected<std::string> ReadText(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return About(path, "is a folder");
  const File file(OpenFile(path, "rb"));
  if (!file) return About(path, std::strerror(errno));
  std::string text;
  char buffer[1 << 14];
  for (size_t got = 0; (got = std::fread(buffer, 1, sizeof(buffer), file.get())) > 0;) text.append(buffer, got);
  if (std::ferror(file.get()) != 0) return About(path, "cannot be read");
  return text;
}

Expected<std::vector<uint32_t>> ReadWords(const std::filesystem::path& path) {
  Expected<std::string> text = ReadText(path);
  if (!text) return text.error();
  if (!BeginsAsModule(*text))
    return About(path, "is not a SPIR-V module; 'trellis compile' makes modules of nodes in GLSL");
  if (text->size() % sizeof(uint32_t) != 0) {
    return About(path, "is a SPIR-V module that was cut short: it has " + std::to_string(text->size()) +
                           " bytes, which is no multiple of 4; make the file again");
  }
  std::vector<uint32_t> words(text->size() / sizeof(uint32_t));
  std::memcpy(words.data(), text->data(), text->size());
  return words;
}

Expected<spirv::Module> ReadNodes(const std::filesystem::path& path) {
  Expected<std::vector<uint32_t>> words = ReadWords(path);
  if (!words) return words.error();
  Expected<spirv::Module> module = spirv::ReadNodeModule(*words);
  if (!module) return AboutModule(path, module.error().message);
  return module;
}

Error AboutModule(const std::filesystem::path& path, const std::string& reason) {
  // In the words of our reader and of SPIRV-Tools'.
  const bool ends_early =
      reason.find("truncated") != std::string::npos || reason.find("End of input") != std::string::npos;
  return About(path, reason + (ends_early ? "; the file was cut short: make it again" : ""));
}

Expected<void> WriteText(const std::filesystem::path& path, std::string_view text) {
  std::FILE* const file = OpenFile(path, "wb");
  if (file == nullptr) return About(path, std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written) return About(path, "cannot be written");
  return {};
}

Expected<void> WriteWords(const std::filesystem::path& path, std::span<const uint32_t> words) {
  return WriteText(path, {reinterpret_cast<const char*>(words.data()), words.size_bytes()});
}

TemporaryFolder::TemporaryFolder() : path_(MakeTemporaryFolder()) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace trellis::tool
