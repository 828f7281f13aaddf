// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/dump_shaders.h"

#include <cctype>
#include <filesystem>
#include <system_error>

#include "layer/platform/platform.h"
#include "spirv_lowering/support/utf8_path.h"

namespace trellis {
namespace {

std::string FileName(uint32_t id, const std::string& node_label, const char* ending) {
  std::string name = std::to_string(id) + "_" + node_label;
  // "node[3]" -> "node_3"
  if (!name.empty() && name.back() == ']') name.pop_back();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.') c = '_';
  return name + "_" + ending;
}

void Dump(const CreationContext& context, const std::string& node_label, const char* ending,
          std::span<const std::byte> bytes) {
  const std::string& folder = context.device.settings.dump_dir;
  if (folder.empty()) return;
  std::error_code ignored;  // what matters is whether the file can be written
  std::filesystem::create_directories(PathFromUtf8(folder), ignored);
  const std::filesystem::path path = PathFromUtf8(folder) / FileName(context.id, node_label, ending);
  const OutputFile file = ReplaceFile(path);
  if (!file || std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size())
    context.device.diagnostics.Warning("TRELLIS-dump", "cannot write " + Utf8FromPath(path));
}

}  // namespace

void DumpOriginal(const CreationContext& context, const std::string& node_label, std::span<const uint32_t> words) {
  Dump(context, node_label, "original.spv", std::as_bytes(words));
}

void DumpLowered(const CreationContext& context, const std::string& node_label, const LoweredShader& shader) {
  Dump(context, node_label, "lowered.spv", std::as_bytes(std::span(shader.node.words)));
  Dump(context, node_label, "lowered.options", std::as_bytes(std::span(shader.options)));
}

}  // namespace trellis
