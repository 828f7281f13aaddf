// SPDX-License-Identifier: Apache-2.0
// What trellis compile is given: files, stages and names of entry points.
#pragma once

#include <string>
#include <vector>

#include "spirv_lowering/support/expected.h"

namespace trellis::tool {

struct SourceFile {
  std::string path;
  std::string entry_point;  // empty: main
};

// Refuses what glslang would refuse without saying what to do: a file that cannot be read, a module, HLSL, and a name
// that does not tell the stage where `stage` is empty.
[[nodiscard]] Expected<void> CheckSource(const std::string& path, const std::string& stage);

// The n-th name belongs to the n-th path. Error: more names than paths, or, if all are to be in one module, two nodes
// of one name.
[[nodiscard]] Expected<std::vector<SourceFile>> NameSources(const std::vector<std::string>& paths,
                                                            const std::vector<std::string>& names, bool one_module);

}  // namespace trellis::tool
