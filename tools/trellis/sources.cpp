// SPDX-License-Identifier: Apache-2.0
#include "tools/trellis/sources.h"

#include <filesystem>
#include <set>

#include "spirv_lowering/support/utf8_path.h"
#include "tools/trellis/files.h"

namespace trellis::tool {
namespace {

namespace fs = std::filesystem;

// glslang takes "node.comp.glsl" for a compute shader.
std::string StageOf(const fs::path& path) {
  return Utf8FromPath((path.extension() == ".glsl" && path.stem().has_extension() ? path.stem() : path).extension());
}

// "cull" of "shaders/cull.comp".
std::string Stem(const std::string& path) { return Utf8FromPath(PathFromUtf8(path).filename().stem().stem()); }

std::string HowToName(const std::vector<std::string>& paths) {
  std::string files, names;
  for (const std::string& path : paths) {
    files += " " + Utf8FromPath(PathFromUtf8(path).filename());
    names += " -e " + Stem(path);
  }
  return "trellis compile" + files + names + " -o OUTPUT";
}

}  // namespace

Expected<void> CheckSource(const std::string& path, const std::string& stage) {
  const Expected<std::string> text = ReadText(PathFromUtf8(path));
  if (!text) return text.error();
  if (BeginsAsModule(*text)) {
    return Error{path +
                 ": is a SPIR-V module, not GLSL: nothing is left to compile; 'trellis validate' checks it and "
                 "'trellis reflect' describes it"};
  }
  const fs::path extension = PathFromUtf8(path).extension();
  if (extension == ".hlsl") {
    return Error{path +
                 ": HLSL is not compiled here: let DXC make SPIR-V of it (-spirv) and check that with 'trellis "
                 "validate', or write the node in GLSL"};
  }
  const std::string own = StageOf(PathFromUtf8(path));
  if (!stage.empty() || own == ".comp" || own == ".mesh") return {};
  return Error{path + ": the name does not tell whether it is a compute or a mesh shader: name it .comp or .mesh, or " +
               "add -S comp or -S mesh"};
}

Expected<std::vector<SourceFile>> NameSources(const std::vector<std::string>& paths,
                                              const std::vector<std::string>& names, bool one_module) {
  if (names.size() > paths.size()) {
    return Error{"-e is given " + std::to_string(names.size()) + " times, but there " +
                 (paths.size() == 1 ? "is 1 input" : "are " + std::to_string(paths.size()) + " inputs") +
                 ": the n-th name is for the n-th of them"};
  }
  std::vector<SourceFile> sources;
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    const SourceFile& source =
        sources.emplace_back(SourceFile{path, sources.size() < names.size() ? names[sources.size()] : std::string()});
    const std::string name = source.entry_point.empty() ? "main" : source.entry_point;
    if (!seen.insert(name).second && one_module) {
      return Error{"two inputs have the entry point '" + name +
                   "', and -o makes one module of them: name each with -e, as in '" + HowToName(paths) + "'"};
    }
  }
  return sources;
}

}  // namespace trellis::tool
