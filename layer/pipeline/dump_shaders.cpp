// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/dump_shaders.h"

#include <cctype>
#include <filesystem>
#include <system_error>

#include "layer/platform/platform.h"
#include "spirv_lowering/support/utf8_path.h"

namespace trellis {
namespace {

std::string FileName(uint32_t id, const std::string& node_label, const char* kind) {
  std::string name = std::to_string(id) + "_" + node_label;
  // "node[3]" -> "node_3"
  if (!name.empty() && name.back() == ']') name.pop_back();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.') c = '_';
  return name + "_" + kind + ".spv";
}

bool WriteFile(const std::filesystem::path& path, std::span<const uint32_t> words) {
  const OutputFile file = ReplaceFile(path);
  return file && std::fwrite(words.data(), sizeof(uint32_t), words.size(), file.get()) == words.size();
}

}  // namespace

void DumpShader(const CreationContext& context, const std::string& node_label, const char* kind,
                std::span<const uint32_t> words) {
  const std::string& folder = context.device.settings.dump_dir;
  if (folder.empty()) return;
  std::error_code ignored;  // what matters is whether the file can be written
  std::filesystem::create_directories(PathFromUtf8(folder), ignored);
  const std::filesystem::path path = PathFromUtf8(folder) / FileName(context.id, node_label, kind);
  if (!WriteFile(path, words)) context.device.diagnostics.Warning("TRELLIS-dump", "cannot write " + Utf8FromPath(path));
}

}  // namespace trellis
