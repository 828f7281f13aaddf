// SPDX-License-Identifier: Apache-2.0
#include "tools/trellis/glslang.h"

#include <filesystem>

#include "spirv_lowering/support/utf8_path.h"

namespace trellis::tool {

namespace fs = std::filesystem;

Expected<std::string> FindGlslang(const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  if (const auto program = EnvironmentVariable("TRELLIS_GLSLANG"); program && !program->empty()) return *program;
  for (const char* name : {"glslangValidator", "glslang"}) {
    const std::string found = FindInPath(name);
    if (!found.empty()) return found;
  }
  return Error{
      "glslang 12.0 or newer is needed: neither glslangValidator nor glslang is in PATH (package glslang-tools or "
      "glslang; or name it with --glslang)"};
}

std::string FindHeaderFolder() {
  std::error_code ignored;
  const fs::path self = OwnProgram();
  for (const fs::path& folder : {self.parent_path().parent_path() / "include", fs::path(TRELLIS_SOURCE_INCLUDE_DIR)}) {
    if (fs::is_regular_file(folder / "trellis/node_payload.glsl", ignored)) return Utf8FromPath(folder);
  }
  return {};
}

}  // namespace trellis::tool
