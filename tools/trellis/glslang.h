// glslang, as a program.
#pragma once

#include <string>
#include <vector>

#include "spirv_lowering/support/expected.h"

namespace trellis::tool {

struct ProgramResult {
  int exit_code = 0;   // of a program that ended by itself
  int signal = 0;      // what ended it otherwise
  std::string output;  // stdout and stderr
};

// Runs a program (looked up in PATH if it has no slash) and waits for it.
[[nodiscard]] Expected<ProgramResult> RunProgram(const std::vector<std::string>& command);

// `wanted` if it is not empty, else the environment's TRELLIS_GLSLANG, else glslangValidator or glslang in PATH.
[[nodiscard]] Expected<std::string> FindGlslang(const std::string& wanted);

// The folder that holds trellis/node_payload.glsl: where this program is installed, else in the source tree. Empty if
// it is nowhere.
[[nodiscard]] std::string FindHeaderFolder();

}  // namespace trellis::tool
