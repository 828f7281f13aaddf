// SPDX-License-Identifier: Apache-2.0
// glslang, as a program.
#pragma once

#include <string>

#include "spirv_lowering/support/expected.h"
#include "tools/platform/platform.h"

namespace trellis::tool {

// `wanted` if it is not empty, else the environment's TRELLIS_GLSLANG, else glslangValidator or glslang in PATH.
[[nodiscard]] Expected<std::string> FindGlslang(const std::string& wanted);

// The folder that holds trellis/node_payload.glsl: where this program is installed, else in the source tree. Empty if
// it is nowhere.
[[nodiscard]] std::string FindHeaderFolder();

}  // namespace trellis::tool
