// SPDX-License-Identifier: Apache-2.0
// Fragment shaders that stand in one module with a node.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// Returns the words of the fragment shader `entry_point` alone, without the extension's capability and name, which
// drivers do not know. For modules that declare the extension (UsesShaderEnqueue); the words of others can be passed on
// as they are. The entry point keeps its name, and its specialisation constants their ids. Refuses a missing entry
// point, and fragment shaders that use the extension themselves.
[[nodiscard]] Expected<std::vector<uint32_t>> ExtractFragmentShader(Module module, std::string_view entry_point);

}  // namespace trellis::spirv
